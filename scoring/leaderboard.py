"""The leaderboard: a folder of submissions, checked, scored and ranked by Acc_FS.

Submissions that used a training split are ranked apart from those that didn't. Below both stand listeners
that are known not to hear: a constant A, a constant B, and what guessing is expected to give, with the range
that it covers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from listenbench.errors import DataError, ListenbenchError
from listenbench.scoring.answers import INVALID, letters_of
from listenbench.scoring.conditions import AUDIO, condition_of
from listenbench.scoring.key import AnswerKey, check_no_link, read_key
from listenbench.scoring.outcomes import tabulate
from listenbench.scoring.predictions import Predictions
from listenbench.scoring.problems import quoted
from listenbench.scoring.report import with_interval
from listenbench.scoring.scored import check_resampling, checked_predictions
from listenbench.scoring.scorer import Group, overall
from listenbench.scoring.tables import Table

READOUTS: Final = ("logprob", "generated")
"""What `meta.readout` may be."""

REQUIRED: Final = ("model", "version", "readout", "used_training_split", "date")
"""What `meta` must have."""

NO_TRAINING: Final = "none"
"""`meta.used_training_split` of a zero-shot submission."""

FIGURES: Final = {
    "clean_accuracy": "clean",
    "acc_fs": "Acc_FS",
    "miss_rate": "MR",
    "false_flip_rate": "FFR",
    "pairs_both_right": "pairs right",
}
"""The figures of a line, with their names in the header."""

_HEADER: Final = (
    "model",
    "rank",
    *("version", "readout", "training split", "date"),
    *FIGURES.values(),
    *("missing", "invalid"),
)
_NOTE: Final = "In percent, with 95 % intervals over items. ~ marks figures that guessing gives (p > 0.05)."


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission, or a reference line.

    Attributes
    ----------
    meta : mapping of str to str
        Its first line.
    group : Group
        Its figures over all items.
    """

    meta: Mapping[str, Any]
    group: Group

    @property
    def is_zero_shot(self) -> bool:
        """Whether it says that no training split was used."""
        return str(self.meta["used_training_split"]).strip().lower() == NO_TRAINING


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Ranked submissions.

    Attributes
    ----------
    key : AnswerKey
        What they were scored on.
    zero_shot, trained : tuple of Entry
        The submissions, best first.
    reference : tuple of Entry
        The listeners that don't hear.
    rejected : tuple of str
        Why submissions were left out, one line each.
    """

    key: AnswerKey
    zero_shot: tuple[Entry, ...]
    trained: tuple[Entry, ...]
    reference: tuple[Entry, ...]
    rejected: tuple[str, ...]

    def tables(self) -> tuple[Table, ...]:
        """Return the three tables; those without rows are left out."""
        parts = (
            ("Zero-shot", self.zero_shot, _NOTE),
            ("Trained on a training split", self.trained, ""),
            ("Reference: listeners that don't hear", self.reference, ""),
        )
        return tuple(Table(title, _HEADER, _rows(entries), note) for title, entries, note in parts if entries)


def make_leaderboard(
    folder: str | os.PathLike[str], data: str | os.PathLike[str], *, resamples: int, seed: int
) -> Leaderboard:
    """Score and rank all `*.jsonl` files of a folder.

    Parameters
    ----------
    folder : path
        Where the submissions are.
    data : path
        A data set folder, or a key file.
    resamples : int
        Number of bootstrap resamples behind each interval.
    seed : int
        Seed of the resampling.

    Raises
    ------
    DataError
        If the key can't be used, has no FLIP or no STAY files, or if there is no submission. Submissions that
        can't be used are listed in `Leaderboard.rejected`.
    """
    check_resampling(resamples, seed)
    key = read_key(data)
    entries, rejected = [], []
    for path in _submissions(Path(folder)):
        try:
            check_no_link(path)
            predictions = checked_predictions(path, key, "error", strict=False, whole=True)
            check_meta(predictions)
        except ListenbenchError as error:
            rejected.append(str(error))
            continue
        entries.append(_entry(key, predictions.meta, predictions.responses, resamples, seed))
    reference = _references(key, resamples, seed)
    if reference[0].group.figures["acc_fs"].value is None:
        raise DataError(f"{quoted(key.name)} has no FLIP or no STAY files: there is no Acc_FS to rank by")
    ranked = sorted(entries, key=_order)
    return Leaderboard(
        key,
        tuple(entry for entry in ranked if entry.is_zero_shot),
        tuple(entry for entry in ranked if not entry.is_zero_shot),
        reference,
        tuple(rejected),
    )


def check_meta(predictions: Predictions) -> None:
    """Refuse a submission that doesn't say what it is.

    Raises
    ------
    DataError
        If its first line lacks a field of `REQUIRED`, has another readout than those of `READOUTS`, or a
        condition under which the recordings weren't shown.
    """
    for field in REQUIRED:
        value = predictions.meta.get(field)
        if not isinstance(value, str) or not value.strip():
            raise DataError(
                f"{predictions.source}:1: meta.{field} is missing; the first line must be "
                f'{{"meta": {{...}}}} with {", ".join(REQUIRED)}'
            )
    condition = condition_of(predictions.meta)
    if condition != AUDIO:
        raise DataError(
            f"{predictions.source}:1: meta.condition is {quoted(condition)}; what is ranked is "
            "answers to the recordings"
        )
    if predictions.meta["readout"] not in READOUTS:
        stated = quoted(predictions.meta["readout"])
        raise DataError(
            f"{predictions.source}:1: meta.readout is {stated}; it must be {' or '.join(READOUTS)}"
        )


def _submissions(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise DataError(f"{folder}: it is no folder")
    paths = sorted(path for path in folder.glob("*.jsonl") if path.is_file())
    if not paths:
        raise DataError(f"{folder}: it has no submissions; each is a file whose name ends in .jsonl")
    return paths


def _entry(
    key: AnswerKey, meta: Mapping[str, Any], responses: NDArray[np.uint8], resamples: int, seed: int
) -> Entry:
    return Entry(meta, overall(tabulate(key, responses), resamples, seed))


def _references(key: AnswerKey, resamples: int, seed: int) -> tuple[Entry, ...]:
    """Return the lines of a constant answer a letter, and of guessing."""
    letters = np.array([len(letters_of(choices)) for choices in key.choices])[key.choices_of_row]
    constants = [
        _entry(
            key,
            _reference_meta(f"always {letter}"),
            np.where(code < letters, code, INVALID).astype(np.uint8),
            resamples,
            seed,
        )
        for code, letter in enumerate(key.letters)
    ]
    return (*constants, Entry(_reference_meta("guessing (expected)"), _guessed_group(constants[0].group)))


def _guessed_group(group: Group) -> Group:
    """Return a group with the figures that guessing is expected to give on its files."""
    figures = {name: replace(figure, value=None, interval=None) for name, figure in group.figures.items()}
    for name, found in group.guessed.items():
        figures[name] = replace(figures[name], value=found.expected, interval=found.interval)
    return replace(group, figures=figures)


def _reference_meta(name: str) -> dict[str, str]:
    return {"model": name, "version": "", "readout": "", "used_training_split": NO_TRAINING, "date": ""}


def _order(entry: Entry) -> tuple[Any, ...]:
    """Order by Acc_FS, best first; equal ones by name."""
    return (-(entry.group.figures["acc_fs"].value or 0), *(str(entry.meta[field]) for field in REQUIRED))


def ranks(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the ranks of ordered entries; equal Acc_FS, equal rank. What doesn't compete has none."""
    values = [entry.group.figures["acc_fs"].value for entry in entries]
    return tuple(
        str(1 + values.index(value)) if entry.meta["version"] else ""
        for entry, value in zip(entries, values, strict=True)
    )


def _rows(entries: Sequence[Entry]) -> tuple[tuple[str, ...], ...]:
    return tuple(_row(entry, rank) for entry, rank in zip(entries, ranks(entries), strict=True))


def _row(entry: Entry, rank: str) -> tuple[str, ...]:
    meta, group = entry.meta, entry.group
    return (
        meta["model"],
        rank,
        *(meta[field] for field in REQUIRED[1:]),
        *(with_interval(group.figures[name]) for name in FIGURES),
        str(group.totals["missing"]),
        str(group.totals["invalid"]),
    )
