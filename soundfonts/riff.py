"""The RIFF structure of soundfonts: where the chunks are, and whether the file is whole.

Only headers are read, never the sample data, so that a file of any size is checked in about a millisecond.

References
----------
.. [1] SoundFont Technical Specification 2.04, E-mu Systems, 2006: section 3 (RIFF structure) and
   section 4 (the chunks of a SoundFont file).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from listenbench.errors import RenderError

HEADER_SIZE: Final = 12
"""Bytes by which a soundfont can be told: 'RIFF', the size, 'sfbk'."""

_LISTS: Final = (b"INFO", b"sdta", b"pdta")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Where the content of a chunk lies in the file, in bytes."""

    start: int
    size: int


class BrokenSoundfontError(RenderError):
    """A file is no soundfont, or not a whole one."""


def check_header(header: bytes, where: str) -> None:
    """Check the first `HEADER_SIZE` bytes of what should be a soundfont.

    Raises
    ------
    BrokenSoundfontError
        If they belong to something else.
    """
    if header[:4] == b"RIFF" and header[8:12] == b"sfbk":
        return
    if not header:
        raise BrokenSoundfontError(f"{where}: the file is empty")
    if header.lstrip()[:1] == b"<":
        raise BrokenSoundfontError(f"{where}: this is a web page, not a soundfont")
    raise BrokenSoundfontError(
        f"{where}: not a soundfont: an SF2 or SF3 file starts with 'RIFF', its size and 'sfbk', "
        f"this one with {header[:HEADER_SIZE]!r}"
    )


def check_whole(path: Path) -> None:
    """Check that a file is a soundfont and that nothing of it is missing.

    Raises
    ------
    BrokenSoundfontError
        If it is something else, or its chunks don't fit into the file.
    RenderError
        If it can't be read.
    """
    chunks_of(path)


def chunks_of(path: Path) -> Mapping[str, Chunk]:
    """Return the chunks inside a soundfont's three lists by name, such as 'smpl' and 'phdr'.

    Raises
    ------
    BrokenSoundfontError, RenderError
        As `check_whole`.
    """
    try:
        with path.open("rb") as file:
            return MappingProxyType(_chunks(file, str(path)))
    except OSError as error:
        raise RenderError(f"{path}: can't read this soundfont: {error.strerror}") from None


def _chunks(file: BinaryIO, where: str) -> dict[str, Chunk]:
    header = file.read(HEADER_SIZE)
    check_header(header, where)
    (size,) = struct.unpack_from("<I", header, 4)
    actual = os.fstat(file.fileno()).st_size
    if actual < 8 + size:
        raise BrokenSoundfontError(
            f"{where}: the soundfont is truncated: {actual:,} bytes instead of {8 + size:,}; get it again"
        )
    found: dict[str, Chunk] = {}
    lists = set()
    for name, chunk in _walk(file, Chunk(HEADER_SIZE, size - 4), where):
        if name == b"LIST":
            file.seek(chunk.start)
            lists.add(file.read(4))
            content = _walk(file, Chunk(chunk.start + 4, chunk.size - 4), where)
            found |= {inner.decode("latin-1"): place for inner, place in content}
    missing = [name.decode() for name in _LISTS if name not in lists]
    if missing:
        raise BrokenSoundfontError(f"{where}: the soundfont has no {missing[0]!r} list: the file is damaged")
    return found


def _walk(file: BinaryIO, inside: Chunk, where: str) -> Iterator[tuple[bytes, Chunk]]:
    """Yield the chunks that lie one after the other inside another.

    A zero byte pads odd sizes (section 3.1), but some SF3 files leave it out; no name starts with one.
    """
    position, end = inside.start, inside.start + inside.size
    while position + 8 <= end:
        file.seek(position)
        name, size = struct.unpack("<4sI", file.read(8))
        if position + 8 + size > end:
            raise BrokenSoundfontError(
                f"{where}: the chunk {name.decode('latin-1')!r} at byte {position:,} is longer than what "
                "contains it: the file is damaged; get it again"
            )
        yield name, Chunk(position + 8, size)
        file.seek(position + 8 + size)
        padded = size % 2 == 1 and file.read(1) == b"\0"
        position += 8 + size + padded
