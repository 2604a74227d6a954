"""The answer key: which file belongs to which item, under which condition, and its right letter.

A key is a JSON Lines file with one object a file::

    {"id": "...", "answer": "A", "task": "melody", "item": "...", "condition": "clean",
     "factor": null, "rung": 100}

`condition` is `clean`, `flip`, `stay` or `both`. `factor` names the edit of a FLIP row and the sound change
of a STAY or `both` row. `texture` and `choices` (what the letters mean, in their order) may be given too. In
a data set folder the key is `gold.jsonl`, `dataset.json` names the data set, and `metadata.jsonl` has the
choices.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from listenbench.errors import DataError
from listenbench.scoring.answers import Choices, letters_of
from listenbench.scoring.jsonlines import read_json_lines
from listenbench.scoring.key_rows import KeyBuilder
from listenbench.scoring.problems import ProblemLog, printable

GOLD: Final = "gold.jsonl"
METADATA: Final = "metadata.jsonl"
DATASET: Final = "dataset.json"


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The rows of a key, and the items that they belong to.

    Attributes
    ----------
    name : str
        Name of the data set, or of the key file.
    seed : int or None
        Seed of the data set, where it states one.
    fingerprint : str or None
        Fingerprint of the data set, where it states one.
    rows : mapping of str to int
        File id to row number.
    truth : array of uint8, shape (rows,)
        Code of the right letter.
    choices : tuple of Choices
        The distinct meanings of the letters; the first stands for 'not known' and is empty.
    choices_of_row : array of int32, shape (rows,)
        Index into `choices`.
    assumed_choices : bool
        Whether the key says nothing about the letters, so that the published meaning was taken.
    row_of : array of int32, shape (items, conditions)
        Row of each item under each of `CONDITIONS`, or -1.
    names : mapping of str to tuple of str
        For each of `FIELDS`, its distinct names in the order in which reports list them.
    codes : mapping of str to array of int32, shape (items,)
        For each of `FIELDS`, index into its names, or -1 where the item has none.
    clusters : array of int64, shape (items,), or None
        Items with the same number are resampled as one; None where each item is apart.
    """

    name: str
    seed: int | None
    fingerprint: str | None
    rows: Mapping[str, int]
    truth: NDArray[np.uint8]
    choices: tuple[Choices, ...]
    choices_of_row: NDArray[np.int32]
    assumed_choices: bool
    row_of: NDArray[np.int32]
    names: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, NDArray[np.int32]]
    clusters: NDArray[np.int64] | None = None

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the question with the most choices."""
        return max((letters_of(self.choices[code]) for code in np.unique(self.choices_of_row)), key=len)


def read_key(data: str | os.PathLike[str]) -> AnswerKey:
    """Read the key of a data set folder, or a key file.

    Raises
    ------
    DataError
        If there is no key, if it is a link, or if a line of it can't be read or contradicts another one.
    """
    path = Path(data)
    if path.is_dir():
        for name in (GOLD, METADATA, DATASET):
            check_no_link(path / name)
        return _read(path / GOLD, _description(path / DATASET))
    return _read(path, {"name": printable(path.name)})


def check_no_link(path: Path) -> None:
    """Refuse a link in a folder that others may have filled: it could lead anywhere.

    Raises
    ------
    DataError
        If the path is one.
    """
    if path.is_symlink():
        raise DataError(f"{path}: a link: such a folder holds files alone; copy the file itself")


def _read(path: Path, description: Mapping[str, Any]) -> AnswerKey:
    builder = _read_rows(path)
    if not builder.has_choices:
        _read_choices(path.with_name(METADATA), builder)
    assumed = not builder.has_choices
    if assumed:
        builder.assume_published_choices()
    problems = ProblemLog(str(path))
    for line, trouble in builder.answers_without_choice():
        problems.add(line, trouble)
    problems.raise_if_any()
    columns = builder.finish()
    return AnswerKey(
        name=description["name"],
        seed=description.get("seed"),
        fingerprint=description.get("fingerprint"),
        assumed_choices=assumed,
        **columns,
    )


def _read_rows(path: Path) -> KeyBuilder:
    builder = KeyBuilder()
    problems = ProblemLog(str(path))
    for line, value, reason in read_json_lines(path):
        trouble = reason or builder.add(value, line)
        if trouble:
            problems.add(line, trouble)
    problems.raise_if_any()
    if not builder.rows:
        raise DataError(f"{path}: it has no rows; an answer key has one a file of the data set")
    return builder


def _read_choices(path: Path, builder: KeyBuilder) -> None:
    """Add what the letters mean from the listener's side of the data set, if it is there."""
    if not path.is_file():
        return
    problems = ProblemLog(str(path))
    for line, value, reason in read_json_lines(path):
        trouble = reason or builder.add_choices(value)
        if trouble:
            problems.add(line, trouble)
    problems.raise_if_any()


def _description(path: Path) -> dict[str, Any]:
    """Return name, seed and fingerprint of a data set, each checked."""
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path}: it can't be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: it is not a JSON file in UTF-8") from error
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise DataError(f"{path}: it doesn't describe a data set: it has no 'name'")
    seed, fingerprint = value.get("seed"), value.get("fingerprint")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise DataError(f"{path}: 'seed' is not an integer")
    if fingerprint is not None and not isinstance(fingerprint, str):
        raise DataError(f"{path}: 'fingerprint' is not a text")
    fingerprint = None if fingerprint is None else printable(fingerprint)
    return {"name": printable(value["name"]), "seed": seed, "fingerprint": fingerprint}
