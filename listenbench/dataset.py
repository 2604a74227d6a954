"""The data set on disk: names, rows and reading.

dataset.json     the split as used, seed, counts, versions, soundfonts, fingerprint
metadata.jsonl   what a model may see
gold.jsonl       the evaluator's side
manifest.jsonl   how every file was made
croissant.json   what catalogues of data sets read
audio/<id>.wav   the recordings, or <id>.flac
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import FORMATS, SAMPLE_RATE, WAV, Samples, dequantised, read_samples
from listenbench.errors import DataError

FORMAT: Final = "listenbench-1"
"""Version of the layout on disk."""

DESCRIPTION: Final = "dataset.json"
METADATA: Final = "metadata.jsonl"
GOLD: Final = "gold.jsonl"
MANIFEST: Final = "manifest.jsonl"
CROISSANT: Final = "croissant.json"
AUDIO: Final = "audio"

PACKING: Final = "packing"
"""Key of dataset.json: how the recordings are packed; there is none if they are files."""

SHARDS: Final = "shards"
"""Key of dataset.json: the files that hold the recordings."""

_LONGEST_NAME: Final = 64

Row = dict[str, Any]


def json_line(row: Mapping[str, Any]) -> str:
    """Return a row as one line of JSON."""
    return json.dumps(row, ensure_ascii=False, separators=(", ", ": ")) + "\n"


def fingerprint(folder: Path) -> str:
    """Return the SHA-256 over the three tables, the last of which holds the SHA-256 of every recording."""
    digest = hashlib.sha256()
    for name in (METADATA, GOLD, MANIFEST):
        digest.update(f"{name} {file_sha256(folder / name)}\n".encode())
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a JSON Lines file.

    Raises
    ------
    DataError
        Naming file and line, if the file can't be read or a line is not a JSON object.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                yield parsed_row(path, number, line)
    except OSError as error:
        raise DataError(f"{path}: can't read this file: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8 text: the data set is damaged") from None


def parsed_row(path: Path, number: int, line: str | bytes) -> Row:
    """Return the object that a line of a JSON Lines file holds.

    Raises
    ------
    DataError
        Naming file and line, if it is not a JSON object.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise DataError(f"{path}:{number}: not a JSON object: the data set is damaged")
    return row


def read_description(folder: Path) -> Row:
    """Return the content of dataset.json.

    Raises
    ------
    DataError
        If the folder holds no data set, or one of another format.
    """
    path = folder / DESCRIPTION
    for name in (DESCRIPTION, METADATA, GOLD, MANIFEST, CROISSANT, AUDIO):
        check_inside(folder, folder / name)
        _check_ends(folder / name)
    try:
        description = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(f"{folder}: not a data set: it has no {DESCRIPTION}") from None
    except OSError as error:
        raise DataError(f"{path}: can't read this file: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: not JSON: the data set is damaged") from None
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise DataError(f"{path}: not a data set of format {FORMAT}")
    if audio_format(description) not in FORMATS:
        raise DataError(f"{path}: 'audio_format' is none of {', '.join(FORMATS)}")
    return description


def audio_format(description: Mapping[str, Any]) -> str:
    """Return how the recordings of a data set are stored, which is also the suffix of their files."""
    value: str = description.get("audio_format", WAV)
    return value


def check_unpacked(folder: Path, description: Mapping[str, Any]) -> None:
    """Refuse a data set whose recordings are packed in shards.

    Raises
    ------
    DataError
        If they are.
    """
    if description.get(PACKING) is not None:
        raise DataError(
            f"{folder}: its recordings are packed in shards, which webdataset or datasets read: "
            "make the data set again without --shards or --parquet for this"
        )


def recording_name(identifier: str, suffix: str) -> str:
    """Return the path of a recording within its data set, as metadata.jsonl states it."""
    return f"{AUDIO}/{identifier}.{suffix}"


@dataclass(frozen=True)
class DatasetItem:
    """One question with its recording, as a model may see it.

    Attributes
    ----------
    id : str
        Opaque name.
    question : str
        The whole text, with the instruction how to answer.
    choices : tuple of str
        What the letters A, B ... mean.
    path : Path
        The recording.
    """

    id: str
    question: str
    choices: tuple[str, ...]
    path: Path

    @cached_property
    def audio(self) -> npt.NDArray[np.float32]:
        """The samples, float32 from -1 to 1, shape (n,), at 44.1 kHz; read when first asked for.

        Raises
        ------
        DataError
            If the file is missing or not the recording that it should be.
        """
        return dequantised(self.samples())

    def samples(self) -> Samples:
        """Return the recording as the 16-bit integers that it holds; read anew and not kept.

        Raises
        ------
        DataError
            If the file is missing, a link, or not the recording that it should be.
        """
        check_inside(self.path.parents[1], self.path)
        return read_samples(self.path)

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return SAMPLE_RATE


@dataclass(frozen=True)
class Dataset:
    """A data set in a folder.

    Attributes
    ----------
    folder : Path
        Where it is.
    description : mapping
        The content of dataset.json.
    items : tuple of DatasetItem
        Everything that a model may see, in the order of the ids.
    """

    folder: Path
    description: Mapping[str, Any]
    items: tuple[DatasetItem, ...]

    def __len__(self) -> int:
        """Return the number of recordings."""
        return len(self.items)

    def __iter__(self) -> Iterator[DatasetItem]:
        """Iterate over the items."""
        return iter(self.items)

    def gold(self) -> dict[str, Row]:
        """Return the evaluator's rows by id: answer, task, item, condition, factor, rung."""
        return {row["id"]: row for row in read_rows(self.folder / GOLD)}

    def manifest(self) -> dict[str, Row]:
        """Return the provenance rows by id."""
        return {row["id"]: row for row in read_rows(self.folder / MANIFEST)}


def load(folder: str | Path) -> Dataset:
    """Open a data set.

    Parameters
    ----------
    folder : str or Path
        A folder that `listenbench generate` has made.

    Raises
    ------
    DataError
        If it is none, or a row is damaged.
    """
    path = Path(folder)
    description = read_description(path)
    check_unpacked(path, description)
    suffix = audio_format(description)
    rows = enumerate(read_rows(path / METADATA), start=1)
    return Dataset(path, description, tuple(_item(path, number, row, suffix) for number, row in rows))


def _item(folder: Path, number: int, row: Row, suffix: str) -> DatasetItem:
    identifier, question, choices = row.get("id"), row.get("question"), row.get("choices")
    if (
        not isinstance(identifier, str)
        or not isinstance(question, str)
        or not isinstance(choices, list)
        or row.get("file_name") != recording_name(identifier, suffix)
        or not is_identifier(identifier)
    ):
        raise DataError(f"{folder / METADATA}:{number}: not a row of a data set")
    path = folder / recording_name(identifier, suffix)
    return DatasetItem(identifier, question, tuple(map(str, choices)), path)


def is_identifier(value: object) -> bool:
    """Return whether a value may name a recording: letters and digits alone, so that it leads nowhere."""
    return isinstance(value, str) and value.isascii() and value.isalnum() and len(value) <= _LONGEST_NAME


def check_inside(folder: Path, path: Path) -> None:
    """Refuse a path below a data set that a link leads out of: nothing outside of the folder is ever read.

    Raises
    ------
    DataError
        If the path or a folder between it and the data set is a link.
    """
    while path not in (folder, path.parent):
        if path.is_symlink():
            raise DataError(f"{path}: a link: a data set holds files and folders alone; copy the file itself")
        path = path.parent


def _check_ends(path: Path) -> None:
    """Refuse a pipe or a device in place of a table, which could be read for ever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DataError(f"{path}: neither a file nor a folder: the data set is damaged")


def recording_path(folder: Path, description: Mapping[str, Any], identifier: str) -> Path:
    """Return where the recording of an id lies.

    Raises
    ------
    DataError
        If the id could lead out of the data set, or a link does, or the recordings are packed in shards.
    """
    check_unpacked(folder, description)
    if not is_identifier(identifier):
        raise DataError(f"{folder}: {identifier!r} is no id of a recording: the data set is damaged")
    path = folder / recording_name(identifier, audio_format(description))
    check_inside(folder, path)
    return path


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a JSON Lines file."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json_line(row) for row in rows)


def write_description(path: Path, description: Mapping[str, Any]) -> None:
    """Write dataset.json, indented for readers."""
    path.write_text(json.dumps(description, indent=2, ensure_ascii=False) + "\n", "utf-8")
