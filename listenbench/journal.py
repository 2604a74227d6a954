"""The journal of unfinished work: one line a finished recording, in the order of the plan.

A line is complete when its line feed is there. What follows the last whole item, whose recordings are all
on disk as the journal says, is cut off before work goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from listenbench.dataset import file_sha256, recording_name
from listenbench.errors import DataError


class Entry(NamedTuple):
    """One recording: its name, the hash of its file, and its rows in the three tables as JSON."""

    id: str
    sha256: str
    metadata: str
    gold: str
    manifest: str

    def line(self) -> str:
        """Return the entry as one line; JSON has neither tabs nor line feeds of its own."""
        return "\t".join(self) + "\n"

    @classmethod
    def parse(cls, line: str) -> Entry:
        """Read a line.

        Raises
        ------
        DataError
            If it is not complete.
        """
        fields = line.removesuffix("\n").split("\t")
        if len(fields) != len(cls._fields) or not line.endswith("\n"):
            raise DataError("a line of the journal is not complete")
        return cls(*fields)


def append(path: Path, entries: Iterable[Entry]) -> None:
    """Add entries at the end, in one piece where the disk has room for it.

    Raises
    ------
    OSError
        If it has none.
    """
    data = "".join(entry.line() for entry in entries).encode()
    with path.open("ab", buffering=0) as file:
        while data:
            data = data[file.write(data) :]


def read(path: Path) -> Iterator[Entry]:
    """Yield all entries."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield Entry.parse(line)


def recover(path: Path, data: Path, variants: int, suffix: str) -> int:
    """Cut off what an interrupted run left incomplete.

    Parameters
    ----------
    path : Path
        The journal; it need not exist.
    data : Path
        The data set in the making.
    variants : int
        Recordings an item.
    suffix : str
        How the recordings are stored.

    Returns
    -------
    int
        The number of whole items, all of whose recordings were found as the journal says.
    """
    if not path.exists():
        return 0
    recordings, position, end = 0, 0, 0
    with path.open("r+b") as file:
        for line in file:
            if not _is_on_disk(line, data, suffix):
                break
            recordings += 1
            position += len(line)
            if recordings % variants == 0:
                end = position
        file.truncate(end)
        os.fsync(file.fileno())
    return recordings // variants


def _is_on_disk(line: bytes, data: Path, suffix: str) -> bool:
    try:
        entry = Entry.parse(line.decode())
        return file_sha256(data / recording_name(entry.id, suffix)) == entry.sha256
    except (DataError, OSError, UnicodeDecodeError):
        return False
