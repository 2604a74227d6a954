"""Checking that a data set on disk is whole and unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

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
        ]
    except DataError as error:
        return [str(error)]


def _table_problems(folder: Path, description: Row) -> Iterator[str]:
    """Yield what is wrong with the tables: fingerprint, keys, ids, counts, answers."""
    if fingerprint(folder) != description.get("fingerprint"):
        yield f"{folder / DESCRIPTION}: the fingerprint is not that of the tables: a table was changed"
    tables = {name: list(read_rows(folder / name)) for name in _KEYS}
    for name, keys in _KEYS.items():
        for number, row in enumerate(tables[name], start=1):
            missing = [key for key in keys if key not in row]
            if missing:
                yield f"{folder / name}:{number}: no {', '.join(missing)}"
    identifiers = {name: [row.get("id") for row in rows] for name, rows in tables.items()}
    for name, values in identifiers.items():
        doubled = [str(value) for value, count in Counter(values).items() if count > 1]
        if doubled:
            yield f"{folder / name}: the id {doubled[0]} stands there more than once"
        if values != identifiers[METADATA]:
            yield f"{folder / name}: its ids are not those of {METADATA}"
    expected = description.get("counts", {}).get("recordings")
    if len(tables[METADATA]) != expected:
        yield f"{folder / METADATA}: {len(tables[METADATA])} rows, {DESCRIPTION} says {expected}"
    answers = {row.get("id"): row.get("answer") for row in tables[GOLD]}
    for row in tables[MANIFEST]:
        if answers.get(row.get("id")) != row.get("answer"):
            yield f"{folder / GOLD}: the answer of {row.get('id')} is not the one in {MANIFEST}"


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


def _unlisted(folder: Path, below: str, listed: set[str]) -> Iterator[str]:
    """Yield the files of a folder that don't belong there."""
    try:
        check_inside(folder, folder / below)
        present = sorted(entry.name for entry in (folder / below).iterdir())
    except OSError as error:
        yield f"{folder / below}: can't read this folder: {error.strerror}"
        return
    for name in present:
        if f"{below}/{name}" not in listed:
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
