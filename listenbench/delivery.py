"""How a finished data set comes to its place: as a folder, unless it is packed on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from listenbench.dataset import DESCRIPTION, PACKING, Row, fingerprint, read_description
from listenbench.errors import DataError
from listenbench.workplace import Workplace, is_empty_folder


class Delivery(ABC):
    """What becomes of a data set whose recordings and tables are all there.

    Attributes
    ----------
    workplace : Path
        The folder beside which the data set is made.
    marks : mapping
        What dataset.json says of the delivery; None for a key that must not be there.
    """

    workplace: Path
    marks: Mapping[str, Any]

    @property
    def shown(self) -> str:
        """The place, as messages name it."""
        return str(self.workplace)

    @abstractmethod
    def is_there(self, wanted: Row) -> bool:
        """Return whether the place holds the very data set already; refuse anything else that it holds.

        Raises
        ------
        DataError
            If it holds something else.
        """

    @abstractmethod
    def description(self) -> Row:
        """Return the content of the dataset.json that was delivered."""

    @abstractmethod
    def check_replaceable(self) -> None:
        """Refuse to replace anything but a data set.

        Raises
        ------
        DataError
            If the place holds something else.
        """

    @abstractmethod
    def deliver(self, place: Workplace) -> None:
        """Put the data set in its place and remove the workplace.

        Raises
        ------
        OSError, DataError
            If it can't be written there.
        """


@dataclass(frozen=True)
class DeliveryToFolder(Delivery):
    """A data set, in whatever form, that belongs into a folder of this machine.

    Attributes
    ----------
    workplace : Path
        That folder.
    """

    workplace: Path

    def is_there(self, wanted: Row) -> bool:
        """Return whether the folder holds the very data set already."""
        return _folder_is_there(self.workplace, wanted)

    def description(self) -> Row:
        """Return the content of dataset.json."""
        return read_description(self.workplace)

    def check_replaceable(self) -> None:
        """Refuse to replace anything but a data set."""
        target = self.workplace
        if target.exists() and not (target / DESCRIPTION).is_file() and not is_empty_folder(target):
            raise DataError(
                f"{target}: this is no data set: only a data set is ever replaced; give another --out"
            )


@dataclass(frozen=True)
class FolderDelivery(DeliveryToFolder):
    """The data set as it is, renamed to its place."""

    marks = {PACKING: None}  # noqa: RUF012 # a constant of the class, as the base declares it

    def deliver(self, place: Workplace) -> None:
        """Rename the folder."""
        place.publish()


def _folder_is_there(target: Path, wanted: Row) -> bool:
    """Return whether a folder holds the very data set already; refuse anything else that it holds."""
    if not target.exists() or is_empty_folder(target):
        return False
    try:
        description = read_description(target)
        same = all(description.get(key) == value for key, value in wanted.items())
        if same and fingerprint(target) == description.get("fingerprint"):
            return True
    except (DataError, OSError):
        pass
    raise DataError(
        f"{target}: there is something else already: give another --out, or --overwrite to replace a data set"
    )
