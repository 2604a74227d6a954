"""The recordings of a data set one by one, each checked against its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from listenbench.dataset import (
    GOLD,
    MANIFEST,
    METADATA,
    Row,
    audio_format,
    check_inside,
    is_identifier,
    json_line,
    read_description,
    read_rows,
    recording_name,
)
from listenbench.errors import DataError

_SHOWN: Final = ("id", "question", "choices")
_BLOCK: Final = 512


@dataclass(frozen=True, slots=True)
class PackedSample:
    """One recording as a shard holds it.

    Attributes
    ----------
    id : str
        Its name.
    suffix : str
        How the recording is stored.
    audio : bytes
        The file.
    row : mapping
        id, question and choices; answer, task, item, condition, factor, rung and texture where asked for.
    """

    id: str
    suffix: str
    audio: bytes
    row: Row

    @property
    def text(self) -> bytes:
        """The row as JSON."""
        return json_line(self.row).encode()


def rows(folder: Path, *, answers: bool) -> Iterator[tuple[Row, str]]:
    """Yield the row of each recording as it is packed, and the SHA-256 of its file.

    Raises
    ------
    DataError
        If a table is damaged.
    """
    tables = (read_rows(folder / name) for name in (METADATA, GOLD, MANIFEST))
    suffix = audio_format(read_description(folder))
    try:
        for number, (metadata, gold, manifest) in enumerate(zip(*tables, strict=True), start=1):
            identifier = metadata.get("id")
            if (
                not is_identifier(identifier)
                or {gold.get("id"), manifest.get("id")} != {identifier}
                or metadata.get("file_name") != recording_name(str(identifier), suffix)
                or any(key not in metadata for key in _SHOWN)
            ):
                raise DataError(f"{folder / METADATA}:{number}: not a row of a data set")
            shown = {key: metadata[key] for key in _SHOWN}
            yield ({**shown, **gold} if answers else shown), str(manifest.get("sha256"))
    except ValueError:
        raise DataError(
            f"{folder}: the tables have different numbers of rows: the data set is damaged"
        ) from None


def samples(folder: Path, *, answers: bool) -> Iterator[PackedSample]:
    """Yield the recordings in the order of their ids; one is in memory at a time.

    Raises
    ------
    DataError
        If one is missing, a link, or not the file whose hash the manifest states.
    """
    suffix = audio_format(read_description(folder))
    for row, sha256 in rows(folder, answers=answers):
        path = folder / recording_name(row["id"], suffix)
        check_inside(folder, path)
        try:
            audio = path.read_bytes()
        except OSError as error:
            raise DataError(f"{path}: can't read this recording: {error.strerror}") from None
        if hashlib.sha256(audio).hexdigest() != sha256:
            raise DataError(f"{path}: changed: its SHA-256 is not the one in {MANIFEST}")
        yield PackedSample(row["id"], suffix, audio, row)


def sizes(folder: Path, *, answers: bool) -> Iterator[int]:
    """Yield what each sample takes in a tar file, in bytes: two headers, and both files in whole blocks."""
    suffix = audio_format(read_description(folder))
    for row, _ in rows(folder, answers=answers):
        path = folder / recording_name(row["id"], suffix)
        try:
            audio = path.lstat().st_size
        except OSError as error:
            raise DataError(f"{path}: can't read this recording: {error.strerror}") from None
        yield 2 * _BLOCK + _whole_blocks(audio) + _whole_blocks(len(json_line(row).encode()))


def _whole_blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK
