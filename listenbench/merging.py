"""Joining the parts that `--shard` makes into the data set that one run would have made."""

from __future__ import annotations

import hashlib
import heapq
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from listenbench.dataset import (
    GOLD,
    MANIFEST,
    METADATA,
    Dataset,
    Row,
    audio_format,
    check_inside,
    check_unpacked,
    file_sha256,
    fingerprint,
    is_identifier,
    load,
    parsed_row,
    read_description,
    recording_name,
)
from listenbench.errors import DataError, SpecError
from listenbench.finishing import finish
from listenbench.journal import Entry
from listenbench.model_errors import described
from listenbench.randomness import checked_seed
from listenbench.request import Request, Shard
from listenbench.splits import Split
from listenbench.workplace import Workplace, absolute, is_empty_folder, lies_within, workplace

_SHARED: Final = ("task", "item", "condition", "answer")
"""What gold and manifest both say."""

_COMMON: Final = ("format", "seed", "audio_format", "split", "soundfonts", "versions")


def merge(parts: Sequence[str | Path], out: str | Path) -> Dataset:
    """Join all parts of a data set; they stay as they are.

    Parameters
    ----------
    parts : sequence of str or Path
        The folders that `generate` made with `shard='1/N'` to `'N/N'`, in any order.
    out : str or Path
        The folder to make.

    Returns
    -------
    Dataset
        The same files, tables and fingerprint as those of one run.

    Raises
    ------
    DataError
        If a part is missing, doubled, damaged or of another data set, or `out` is there already.
    """
    folders, target = [Path(part) for part in parts], Path(out)
    _check_apart(folders, target)
    descriptions = [_checked(folder) for folder in folders]
    _check_same(folders, descriptions)
    _check_complete(folders, descriptions)
    if target.exists() and not is_empty_folder(target):
        raise DataError(f"{target}: there is something already: give another --out")
    request = _whole_request(folders[0], descriptions[0])
    name = json.dumps([[d["shard"], d["fingerprint"]] for d in descriptions])
    with workplace(target, hashlib.sha256(name.encode()).hexdigest()[:16]) as place:
        try:
            parts_rows = (_entries(folder, place, request.audio_format) for folder in folders)
            rows = _all_of(request, heapq.merge(*parts_rows))
            finish(place, request, descriptions[0], rows)
        except OSError as error:
            raise DataError(f"{target}: can't join the parts: {error.strerror or error}") from None
    return load(target)


def _check_apart(folders: Sequence[Path], target: Path) -> None:
    """Refuse to write into a part."""
    for folder in folders:
        if lies_within(absolute(target).parent, folder):
            raise DataError(f"{target}: lies in the part {folder}, which stays as it is: give another --out")


def _checked(folder: Path) -> Row:
    """Return the description of a part whose tables are as they were made."""
    description = read_description(folder)
    check_unpacked(folder, description)
    if not isinstance(description.get("shard"), str):
        raise DataError(f"{folder}: this is no part of a data set: parts are made with --shard I/N")
    if fingerprint(folder) != description.get("fingerprint"):
        raise DataError(f"{folder}: a table was changed: make this part again")
    return description


def _check_same(folders: Sequence[Path], descriptions: Sequence[Row]) -> None:
    for folder, description in zip(folders, descriptions, strict=True):
        for key in _COMMON:
            if description.get(key) != descriptions[0].get(key):
                raise DataError(
                    f"{folder}: its {key} is not that of {folders[0]}: they are of different data sets"
                )


def _check_complete(folders: Sequence[Path], descriptions: Sequence[Row]) -> None:
    """Refuse any set of parts but 1/N to N/N, each once."""
    try:
        shards = [Shard.parse(description["shard"]) for description in descriptions]
    except SpecError as error:
        raise DataError(f"a part is damaged: {error}") from None
    if not shards:
        raise DataError("no parts are given")
    numbers: dict[int, Path] = {}
    for folder, shard in zip(folders, shards, strict=True):
        if shard.count != shards[0].count:
            raise DataError(f"{folder}: part {shard}, but {folders[0]} is part {shards[0]}")
        if shard.number in numbers:
            raise DataError(f"{folder}: part {shard} is given already: {numbers[shard.number]}")
        numbers[shard.number] = folder
    missing = [number for number in range(1, shards[0].count + 1) if number not in numbers]
    if missing:
        raise DataError(
            f"part {missing[0]}/{shards[0].count} is missing: make it with --shard, and give it, too"
        )


def _whole_request(folder: Path, description: Row) -> Request:
    for key in ("soundfonts", "versions"):
        if not isinstance(description.get(key), dict):
            raise DataError(f"{folder}: dataset.json has no {key!r}: make this part again")
    try:
        seed = checked_seed(description.get("seed"))
        split = Split.model_validate(description.get("split"))
        return Request(split, seed, audio_format=audio_format(description))
    except SpecError as error:
        raise DataError(f"{folder}: dataset.json is damaged: {error}: make this part again") from None
    except ValidationError as error:
        reasons = described(error, Split, description.get("split"))
        raise DataError(f"{folder}: the split in dataset.json is damaged: {reasons}") from None


def _all_of(request: Request, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Pass on entries in the order of their ids; refuse them if one comes twice or they are not all there."""
    before, found = "", 0
    for entry in entries:
        if entry.id <= before:
            raise DataError(f"the id {entry.id} is not in its place, or comes twice: make all parts again")
        yield entry
        before, found = entry.id, found + 1
    wanted = request.items * len(request.split.variants)
    if found != wanted:
        raise DataError(f"the parts have {found} recordings, and {wanted} belong there: make all parts again")


def _entries(folder: Path, place: Workplace, suffix: str) -> Iterator[Entry]:
    """Yield the entries of a part in the order of the ids; copy each recording on the way."""
    with (
        (folder / METADATA).open(encoding="utf-8", newline="\n") as metadata,
        (folder / GOLD).open(encoding="utf-8", newline="\n") as gold,
        (folder / MANIFEST).open(encoding="utf-8", newline="\n") as manifest,
    ):
        try:
            for number, lines in enumerate(zip(metadata, gold, manifest, strict=True), start=1):
                texts = [line.rstrip("\n") for line in lines]
                identifier, sha256 = _names(folder, number, texts, suffix)
                _copy(folder, place.data, recording_name(identifier, suffix), sha256)
                yield Entry(identifier, sha256, *texts)
        except ValueError:  # lengths that differ, or text that is no UTF-8
            raise DataError(f"{folder}: its tables are damaged: make this part again") from None


def _names(folder: Path, number: int, texts: Sequence[str], suffix: str) -> tuple[str, str]:
    """Return the id and the hash that a row of the three tables tells, if they agree with each other."""
    tables = (METADATA, GOLD, MANIFEST)
    metadata, gold, manifest = (
        parsed_row(folder / name, number, text) for name, text in zip(tables, texts, strict=True)
    )
    identifier, sha256 = manifest.get("id"), manifest.get("sha256")
    if (
        not is_identifier(identifier)
        or not isinstance(sha256, str)
        or not metadata.get("id") == gold.get("id") == identifier
        or metadata.get("file_name") != recording_name(str(identifier), suffix)
        or any(manifest.get(key) != gold.get(key) for key in _SHARED)
        # Half a surrogate pair is text, but can't be written.
        or not all(str(manifest.get(key)).isprintable() for key in (*_SHARED, "content"))
        or not all(isinstance(manifest.get(key), str) for key in (*_SHARED, "content"))
        or not {"clip_a", "clip_b"} <= manifest.keys()
    ):
        raise DataError(f"{folder / MANIFEST}:{number}: not a row of a data set")
    return str(identifier), sha256


def _copy(part: Path, folder: Path, name: str, sha256: str) -> None:
    source = part / name
    check_inside(part, source)
    try:
        copy = shutil.copyfile(source, folder / name)
    except FileNotFoundError:
        raise DataError(f"{source}: missing: make this part again") from None
    if file_sha256(copy) != sha256:
        raise DataError(f"{source}: changed: make this part again")
