"""Joining the parts that `--shard` makes into the data set that one run would have made."""

from __future__ import annotations

import hashlib
import heapq
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

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
    read_description,
    recording_name,
)
from listenbench.errors import DataError, SpecError
from listenbench.finishing import finish
from listenbench.journal import Entry
from listenbench.model_errors import described
from listenbench.request import Request, Shard
from listenbench.splits import Split
from listenbench.workplace import Workplace, is_empty_folder, workplace

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
    descriptions = [_checked(folder) for folder in folders]
    _check_same(folders, descriptions)
    _check_complete(folders, descriptions)
    if target.exists() and not is_empty_folder(target):
        raise DataError(f"{target}: there is something already: give another --out")
    request = _whole_request(folders[0], descriptions[0])
    name = json.dumps([[d["shard"], d["fingerprint"]] for d in descriptions])
    with workplace(target, hashlib.sha256(name.encode()).hexdigest()[:16]) as place:
        try:
            rows = heapq.merge(*(_entries(folder, place, request.audio_format) for folder in folders))
            finish(place, request, descriptions[0], rows)
        except OSError as error:
            raise DataError(f"{target}: can't join the parts: {error.strerror}") from None
    return load(target)


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
    try:
        split = Split.model_validate(description["split"])
        return Request(split, description["seed"], audio_format=audio_format(description))
    except ValidationError as error:
        reasons = described(error, Split, description["split"])
        raise DataError(f"{folder}: the split in dataset.json is damaged: {reasons}") from None


def _entries(folder: Path, place: Workplace, suffix: str) -> Iterator[Entry]:
    """Yield the entries of a part in the order of the ids; copy each recording on the way."""
    with (
        (folder / METADATA).open(encoding="utf-8", newline="\n") as metadata,
        (folder / GOLD).open(encoding="utf-8", newline="\n") as gold,
        (folder / MANIFEST).open(encoding="utf-8", newline="\n") as manifest,
    ):
        for number, lines in enumerate(zip(metadata, gold, manifest, strict=False), start=1):
            texts = [line.rstrip("\n") for line in lines]
            identifier, sha256 = _names(folder, number, texts[2])
            _copy(folder, place.data, recording_name(identifier, suffix), sha256)
            yield Entry(identifier, sha256, *texts)


def _names(folder: Path, number: int, text: str) -> tuple[str, str]:
    """Return the id and the hash in a line of a manifest."""
    try:
        row: dict[str, Any] = json.loads(text)
        identifier, sha256 = row["id"], row["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        identifier, sha256 = None, None
    if not is_identifier(identifier) or not isinstance(sha256, str):
        raise DataError(f"{folder / MANIFEST}:{number}: not a row of a data set")
    return identifier, sha256


def _copy(part: Path, folder: Path, name: str, sha256: str) -> None:
    source = part / name
    check_inside(part, source)
    try:
        copy = shutil.copyfile(source, folder / name)
    except FileNotFoundError:
        raise DataError(f"{source}: missing: make this part again") from None
    if file_sha256(copy) != sha256:
        raise DataError(f"{source}: changed: make this part again")
