"""Checking that a data set on disk is whole and unchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final

import numpy as np

from listenbench.dataset import (
    AUDIO,
    CROISSANT,
    DESCRIPTION,
    GOLD,
    MANIFEST,
    METADATA,
    PACKING,
    SHARDS,
    Row,
    audio_format,
    check_inside,
    file_sha256,
    fingerprint,
    is_identifier,
    read_description,
    read_rows,
    recording_name,
)
from listenbench.errors import DataError
from listenbench.packing.options import FOLDER as SHARD_FOLDER
from listenbench.packing.options import is_shard_name

_KEYS: Final = {
    METADATA: ("file_name", "id", "question", "choices"),
    GOLD: ("id", "answer", "task", "item", "condition", "factor", "rung"),
    MANIFEST: ("id", "answer", "sha256", "clip_a", "clip_b"),
}

_DIGEST: Final = np.dtype(">u8")


def verify(folder: str | Path) -> list[str]:
    """Return what is wrong with a data set, one line a problem; nothing if it is as it was made.

    Parameters
    ----------
    folder : str or Path
        The data set.

    Raises
    ------
    DataError
        If it is no data set at all.
    """
    path = Path(folder)
    description = read_description(path)
    try:
        return [
            *_table_problems(path, description),
            *_croissant_problems(path, description.get("croissant")),
            *_recording_problems(path, description),
            *_unlisted(path, "", _top(description)),
        ]
    except DataError as error:
        return [str(error)]


def _table_problems(folder: Path, description: Row) -> Iterator[str]:
    """Yield what is wrong with the tables: fingerprint, keys, ids, counts, answers.

    They are read side by side, since they have the same order; memory grows by 8 bytes a row and table.
    """
    try:
        if fingerprint(folder) != description.get("fingerprint"):
            yield f"{folder / DESCRIPTION}: the fingerprint is not that of the tables: a table was changed"
    except OSError as error:
        raise DataError(f"{error.filename}: can't read this table: {error.strerror}") from None
    digests = {name: bytearray() for name in _KEYS}
    for number, rows in enumerate(zip_longest(*(read_rows(folder / name) for name in _KEYS)), start=1):
        named = {name: row for name, row in zip(_KEYS, rows, strict=True) if row is not None}
        yield from _row_problems(folder, number, named)
        for name, row in named.items():
            digests[name] += _digest(row.get("id"))
    for name in _KEYS:
        yield from _id_problems(folder, name, digests)
    counts = description.get("counts")
    expected = counts.get("recordings") if isinstance(counts, dict) else None
    found = len(digests[METADATA]) // _DIGEST.itemsize
    if found != expected:
        yield f"{folder / METADATA}: {found} rows, {DESCRIPTION} says {expected}"


def _row_problems(folder: Path, number: int, rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield what is wrong with the rows of one recording."""
    for name, row in rows.items():
        missing = [key for key in _KEYS[name] if key not in row]
        if missing:
            yield f"{folder / name}:{number}: no {', '.join(missing)}"
    gold, manifest = rows.get(GOLD, {}), rows.get(MANIFEST, {})
    if gold.get("id") == manifest.get("id") and gold.get("answer") != manifest.get("answer"):
        yield f"{folder / GOLD}: the answer of {gold.get('id')} is not the one in {MANIFEST}"


def _id_problems(folder: Path, name: str, digests: Mapping[str, bytearray]) -> Iterator[str]:
    """Yield whether an id comes twice in a table, or its ids are not those of the metadata."""
    values, counts = np.unique(np.frombuffer(digests[name], _DIGEST), return_counts=True)
    doubled = set(values[counts > 1].tolist())
    if doubled:
        ids = (row.get("id") for row in read_rows(folder / name))
        first = next(
            identifier for identifier in ids if int.from_bytes(_digest(identifier), "big") in doubled
        )
        yield f"{folder / name}: the id {first} stands there more than once"
    if digests[name] != digests[METADATA]:
        yield f"{folder / name}: its ids are not those of {METADATA}"


def _digest(identifier: object) -> bytes:
    """Return 64 bits that stand for an id of any kind."""
    return hashlib.sha256(repr(identifier).encode("utf-8", "replace")).digest()[: _DIGEST.itemsize]


def _croissant_problems(folder: Path, sha256: object) -> Iterator[str]:
    """Yield what is wrong with the Croissant description; data sets of early versions have none."""
    path = folder / CROISSANT
    if sha256 is None:
        problem = "not part of the data set" if path.exists() else None
    else:
        problem = _file_problem(path, sha256, DESCRIPTION)
    if problem:
        yield f"{path}: {problem}"


def _recording_problems(folder: Path, description: Row) -> Iterator[str]:
    """Yield what is wrong with the recordings, or with the shards that hold them."""
    if description.get(PACKING) is None:
        return _audio_problems(folder, audio_format(description))
    return _shard_problems(folder, description.get(SHARDS))


def _shard_problems(folder: Path, shards: object) -> Iterator[str]:
    """Yield the shards that are missing, changed or not listed."""
    listed = set()
    for row in shards if isinstance(shards, list) else [None]:
        if not isinstance(row, dict) or not is_shard_name(row.get("name")):
            yield f"{folder / DESCRIPTION}: 'shards' names something that is no shard"
            continue
        name = str(row["name"])
        listed.add(name)
        problem = _file_problem(folder / name, row.get("sha256"), DESCRIPTION)
        if problem:
            yield f"{folder / name}: {problem}"
    yield from _unlisted(folder, SHARD_FOLDER, listed)


def _top(description: Row) -> set[str]:
    """Return what lies in the folder of a data set itself."""
    sound = AUDIO if description.get(PACKING) is None else SHARD_FOLDER
    # What croissant.json has to be is said elsewhere.
    return {DESCRIPTION, METADATA, GOLD, MANIFEST, CROISSANT, sound}


def _unlisted(folder: Path, below: str, listed: set[str]) -> Iterator[str]:
    """Yield the files of a folder that don't belong there; `listed` are their paths in the data set."""
    try:
        check_inside(folder, folder / below)
        present = sorted(entry.name for entry in (folder / below).iterdir())
    except OSError as error:
        yield f"{folder / below}: can't read this folder: {error.strerror}"
        return
    for name in present:
        if (Path(below) / name).as_posix() not in listed:
            yield f"{folder / below / name}: not part of the data set"


def _audio_problems(folder: Path, suffix: str) -> Iterator[str]:
    """Yield the recordings that are missing, changed or not listed."""
    listed = set()
    for number, row in enumerate(read_rows(folder / MANIFEST), start=1):
        identifier = row.get("id")
        if not is_identifier(identifier):
            yield f"{folder / MANIFEST}:{number}: the id is none of a recording"
            continue
        name = recording_name(str(identifier), suffix)
        listed.add(name)
        problem = _file_problem(folder / name, row.get("sha256"), MANIFEST)
        if problem:
            yield f"{folder / name}: {problem}"
    yield from _unlisted(folder, AUDIO, listed)


def _file_problem(path: Path, sha256: object, source: str) -> str | None:
    """Return what is wrong with a file whose SHA-256 stands in `source`, or None."""
    if path.is_symlink():
        return "a link: a data set holds files and folders alone"
    if not path.is_file():
        return "missing"
    try:
        return None if file_sha256(path) == sha256 else f"changed: its SHA-256 is not the one in {source}"
    except OSError as error:
        return f"can't read this file: {error.strerror}"
