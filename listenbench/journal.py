"""The journal of unfinished work: one line a finished recording, in the order of the plan.

A line ends with a check of all of it and of its place in the file, so that no row is gone on from that was
altered or stands elsewhere than it was written. It is complete when its line feed is there. What follows the
last whole item, whose recordings are all on disk as the journal says, is cut off before work goes on.
"""

from __future__ import annotations

import hashlib
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

    def line(self, place: int) -> bytes:
        """Return the line at a place of a file; JSON has neither tabs nor line feeds of its own."""
        text = "\t".join(self).encode()
        return text + b"\t" + _check(text, place) + b"\n"

    @classmethod
    def parse(cls, line: bytes, place: int) -> Entry:
        """Read the line at a place of a file, in bytes from its start.

        Raises
        ------
        DataError
            If it is not complete, or not the one that was written there.
        """
        text, _, check = line.removesuffix(b"\n").rpartition(b"\t")
        fields = text.split(b"\t")
        if len(fields) != len(cls._fields) or not line.endswith(b"\n") or check != _check(text, place):
            raise DataError("a line of the journal is not complete, or was altered")
        return cls(*(field.decode() for field in fields))


def _check(text: bytes, place: int) -> bytes:
    return hashlib.sha256(b"%d\t%b" % (place, text)).hexdigest()[:16].encode()


def append(path: Path, entries: Iterable[Entry]) -> None:
    """Add entries at the end, in one piece where the disk has room for it.

    Raises
    ------
    OSError
        If it has none.
    """
    with path.open("ab", buffering=0) as file:
        data, place = bytearray(), file.tell()
        for entry in entries:
            data += entry.line(place + len(data))
        while data:
            data = data[file.write(data) :]


def read(path: Path) -> Iterator[Entry]:
    """Yield all entries."""
    place = 0
    with path.open("rb") as file:
        for line in file:
            yield Entry.parse(line, place)
            place += len(line)


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
            if not _is_on_disk(line, position, data, suffix):
                break
            recordings += 1
            position += len(line)
            if recordings % variants == 0:
                end = position
        file.truncate(end)
        os.fsync(file.fileno())
    return recordings // variants


def _is_on_disk(line: bytes, place: int, data: Path, suffix: str) -> bool:
    try:
        entry = Entry.parse(line, place)
        path = data / recording_name(entry.id, suffix)
        return not path.is_symlink() and file_sha256(path) == entry.sha256
    except (DataError, OSError, UnicodeDecodeError):
        return False
