"""Packing a data set: shards first, then tables, and dataset.json last."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from tqdm import tqdm

from listenbench import model_errors
from listenbench.croissant import croissant
from listenbench.dataset import (
    CROISSANT,
    DESCRIPTION,
    GOLD,
    MANIFEST,
    METADATA,
    PACKING,
    SHARDS,
    Row,
    file_sha256,
    read_description,
)
from listenbench.errors import DataError
from listenbench.packing.files import Files
from listenbench.packing.options import FOLDER, SUFFIXES, WEBDATASET, Packing
from listenbench.packing.parquet import write_parquet
from listenbench.packing.samples import PackedSample, samples, sizes
from listenbench.packing.shards import HashedFile, plan_shards
from listenbench.packing.tar import ENDING_BYTES, RECORD_BYTES, write_tar
from listenbench.splits import Split

MEDIA_TYPES: Final = {"tar": "application/x-tar", "parquet": "application/x-parquet"}


def pack(folder: Path, packing: Packing, files: Files, *, progress: bool = False) -> None:
    """Write a data set that lies in a folder as shards, its tables beside them.

    Memory doesn't grow with the number of recordings.

    Parameters
    ----------
    folder : Path
        The data set, which stays as it is.
    packing : Packing
        How.
    files : Files
        Where to.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.

    Raises
    ------
    DataError
        If a recording or table is not as it was made, or the place can't be written to.
    OSError
        If a folder can't be written to.
    SpecError
        If a library is missing.
    """
    description = read_description(folder)
    split = _split(folder, description)
    shards = list(_write_shards(folder, packing, files, split.name, progress))
    for name in (METADATA, GOLD, MANIFEST):
        with (folder / name).open("rb") as source, files.write(name) as target:
            shutil.copyfileobj(source, target)
    document = croissant(
        split,
        (f"{FOLDER}/*.{SUFFIXES[packing.form]}", MEDIA_TYPES[SUFFIXES[packing.form]]),
        file_sha256(folder / METADATA),
    )
    sha256 = _write_json(files, CROISSANT, document)
    files.remove_other_shards(shard["name"] for shard in shards)
    described = {**description, "croissant": sha256, PACKING: packing.to_dict(), SHARDS: shards}
    _write_json(files, DESCRIPTION, described)


def _split(folder: Path, description: Row) -> Split:
    try:
        return Split.model_validate(description["split"])
    except KeyError:
        raise DataError(f"{folder}: dataset.json has no 'split': the data set is damaged") from None
    except ValidationError as error:
        reasons = model_errors.described(error, Split, description["split"])
        raise DataError(f"{folder}: the split in dataset.json is damaged: {reasons}") from None


def _write_shards(folder: Path, packing: Packing, files: Files, split: str, progress: bool) -> Iterator[Row]:
    """Write the shards one by one, and yield what dataset.json says of each."""
    most = (packing.shard_bytes - ENDING_BYTES) // RECORD_BYTES * RECORD_BYTES
    counts = plan_shards(sizes(folder, answers=packing.answers), most)
    with tqdm(
        total=sum(counts),
        unit="recording",
        desc="packing",
        disable=not (progress and sys.stderr.isatty()),
        file=sys.stderr,
    ) as bar:
        source = samples(folder, answers=packing.answers)
        for number, count in enumerate(counts):
            name = packing.shard_name(split, number, len(counts))
            with files.write(name) as file:
                written = HashedFile(file)
                _write(written, _watched(islice(source, count), bar), packing)
            yield {"name": name, "recordings": count, "bytes": written.size, "sha256": written.sha256()}


def _watched(source: Iterable[PackedSample], bar: tqdm[None]) -> Iterator[PackedSample]:
    for sample in source:
        yield sample
        bar.update()


def _write(file: HashedFile, source: Iterable[PackedSample], packing: Packing) -> None:
    if packing.form == WEBDATASET:
        write_tar(file, source)
    else:
        write_parquet(file, source, answers=packing.answers)


def _write_json(files: Files, name: str, document: Row) -> str:
    """Write indented JSON, and return its SHA-256."""
    with files.write(name) as file:
        written = HashedFile(file)
        written.write((json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())
    return written.sha256()
