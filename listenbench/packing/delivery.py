"""How a data set comes to its place packed: in a folder, or at an address."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from listenbench.dataset import PACKING, Row
from listenbench.delivery import Delivery, DeliveryToFolder
from listenbench.errors import DataError
from listenbench.extras import require
from listenbench.finishing import hide_times
from listenbench.packing.files import LocalFiles, RemoteFiles, is_address
from listenbench.packing.options import PARQUET, Packing
from listenbench.packing.pack import pack
from listenbench.workplace import Workplace


@dataclass(frozen=True)
class FolderOfShards(DeliveryToFolder):
    """Shards in a folder of this machine.

    Attributes
    ----------
    packing : Packing
        How.
    progress : bool
        Whether a progress bar is shown.
    """

    packing: Packing
    progress: bool = False

    @property
    def marks(self) -> Mapping[str, Any]:  # type: ignore[override] # read-only, as all of them are used
        """What dataset.json says of the delivery."""
        return {PACKING: self.packing.to_dict()}

    def deliver(self, place: Workplace) -> None:
        """Pack the data set in the workplace, and rename the result to its place."""
        self.deliver_from(place.data, place)

    def deliver_from(self, folder: Path, place: Workplace) -> None:
        """Pack a data set that lies anywhere, by way of a workplace."""
        packed = place.folder / "packed"
        shutil.rmtree(packed, ignore_errors=True)
        pack(folder, self.packing, LocalFiles(packed), progress=self.progress)
        hide_times(packed)
        place.publish(packed)


@dataclass(frozen=True)
class ShardsAtAddress(Delivery):
    """Shards at an address that fsspec knows.

    Attributes
    ----------
    address : str
        For example s3://bucket/folder.
    workplace : Path
        Beside which the recordings are made before they are packed.
    packing : Packing
        How.
    progress : bool
        Whether a progress bar is shown.
    """

    address: str
    workplace: Path
    packing: Packing
    progress: bool = False

    @property
    def marks(self) -> Mapping[str, Any]:  # type: ignore[override] # read-only, as all of them are used
        """What dataset.json says of the delivery."""
        return {PACKING: self.packing.to_dict()}

    @property
    def shown(self) -> str:
        """The address, as messages name it."""
        return self.files.shown

    @cached_property
    def files(self) -> RemoteFiles:
        """The files at the address."""
        return RemoteFiles(self.address)

    def is_there(self, wanted: Row) -> bool:
        """Return whether the address holds the very data set already."""
        description = self.files.description()
        if description is not None and all(description.get(key) == value for key, value in wanted.items()):
            return True
        if description is not None or self.files.holds_something_else():
            raise DataError(
                f"{self.files.shown}: there is something else already: give another --out, or --overwrite to "
                "replace a data set"
            )
        return False

    def description(self) -> Row:
        """Return the content of dataset.json."""
        return self.files.description() or {}

    def check_replaceable(self) -> None:
        """Refuse to replace anything but a data set."""
        if self.files.holds_something_else():
            raise DataError(
                f"{self.files.shown}: this is no data set: only a data set is ever replaced; "
                "give another --out"
            )

    def deliver(self, place: Workplace) -> None:
        """Pack the data set in the workplace to the address."""
        self.deliver_from(place.data)
        place.discard()

    def deliver_from(self, folder: Path) -> None:
        """Pack a data set that lies anywhere."""
        self.files.begin()
        pack(folder, self.packing, self.files, progress=self.progress)
        self.files.end()


def delivery_to(
    out: str | Path, packing: Packing, scratch: Path, *, progress: bool = False
) -> FolderOfShards | ShardsAtAddress:
    """Return the delivery to a folder or an address.

    Parameters
    ----------
    out : str or Path
        A folder, or an address for fsspec.
    packing : Packing
        How.
    scratch : Path
        Beside which recordings are made that go to an address.
    progress : bool
        Whether a progress bar is shown.

    Raises
    ------
    SpecError
        If a library is missing.
    """
    if packing.form == PARQUET:
        require("pyarrow", "formats", "--parquet")
    if isinstance(out, str) and is_address(out):
        return ShardsAtAddress(out, scratch, packing, progress)
    return FolderOfShards(Path(out), packing, progress)
