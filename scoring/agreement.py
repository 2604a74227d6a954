"""Agreement between listeners who answered the same files: Krippendorff's alpha for nominal data.

    alpha = 1 - observed disagreement / expected disagreement

Alpha is 1 where all agree, and 0 where they agree no better than if answers had been dealt out by chance.
Any number of listeners, each of whom may have answered any of the files (Krippendorff, Computing
Krippendorff's Alpha-Reliability, 2011; Content Analysis, 4th edition 2019, chapter 12). A unit is a file, a
value is a letter; only letters count, and only files with two of them or more. The library `krippendorff`
computes it.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from listenbench._version import __version__
from listenbench.errors import DataError
from listenbench.randomness import stream
from listenbench.scoring.answers import INVALID, LETTERS
from listenbench.scoring.bootstrap import Interval, percentile_interval
from listenbench.scoring.figures_text import float_text, interval_text
from listenbench.scoring.json_values import interval_value
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.predictions import Duplicates, Predictions, Source, read_predictions
from listenbench.scoring.rounding import percent
from listenbench.scoring.scored import check_fingerprint, check_resampling
from listenbench.scoring.tables import Table, as_text
from listenbench.scoring.trials import LISTENER

SCHEMA: Final = "listenbench.agreement/1"
"""Name and version of the JSON form."""

_NOTE: Final = (
    "Krippendorff's alpha, nominal, with 95 % intervals over files: 1 where all agree, 0 for chance.\n"
    "Shared files have two letters or more; equal pairs are in percent of all pairs of answers to one file."
)

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well listeners agree on some files.

    Attributes
    ----------
    task : str or None
        The task; None for all files.
    files : int
        Number of files with two letters or more.
    answers : int
        Number of letters given to them.
    equal_pairs : Fraction or None
        Share of equal pairs among all pairs of answers to the same file.
    alpha : float or None
        Krippendorff's alpha; None where there is no such file, or where all letters are the same.
    interval : Interval or None
        Of alpha, over files.
    """

    task: str | None
    files: int
    answers: int
    equal_pairs: Fraction | None
    alpha: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement over all files, then by task.

    Attributes
    ----------
    key : AnswerKey
        The data set.
    predictions : Predictions
        The answers.
    groups : tuple of Agreement
        The first is over all files.
    resamples, seed : int
        How the intervals were made.
    """

    key: AnswerKey
    predictions: Predictions
    groups: tuple[Agreement, ...]
    resamples: int
    seed: int

    @property
    def listeners(self) -> int:
        """Number of listeners."""
        return 0 if self.predictions.trials is None else len(self.predictions.trials.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data for JSON."""
        return {
            "schema": SCHEMA,
            "listenbench_version": __version__,
            "data": {"name": self.key.name, "seed": self.key.seed, "fingerprint": self.key.fingerprint},
            "predictions": {"source": self.predictions.source, "meta": dict(self.predictions.meta)},
            "listeners": self.listeners,
            "bootstrap": {"resamples": self.resamples, "seed": self.seed, "unit": "file"},
            "groups": [_value(group) for group in self.groups],
        }

    def to_text(self) -> str:
        """Return a table for a terminal."""
        header = ("", "shared files", "answers", "equal pairs", "alpha")
        rows = tuple(_cells(group) for group in self.groups)
        facts = f"data: {self.key.name}\nlisteners: {self.listeners}"
        return f"{facts}\n\n{as_text(Table('Agreement between listeners', header, rows, _NOTE))}"


def make_agreement(
    source: Source,
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates = "error",
    resamples: int = 1_000,
    seed: int = 0,
) -> AgreementReport:
    """Measure the agreement between the listeners of a predictions file.

    Parameters
    ----------
    source : path, mapping, or iterable of mappings
        Predictions whose lines name a `listener`.
    data : path
        A data set folder, or a key file.
    duplicates : {"error", "first", "last"}, optional
        Which reply counts when a listener gave several to a file.
    resamples, seed : int, optional
        Number of bootstrap resamples of files, and their seed.

    Raises
    ------
    DataError
        If predictions or key can't be used, or lines name no listener.
    """
    check_resampling(resamples, seed)
    key = read_key(data)
    predictions = read_predictions(source, key, duplicates)
    check_fingerprint(predictions, key)
    if predictions.trials is None:
        raise DataError(
            f"{predictions.source}: its lines name no {LISTENER}; agreement is between listeners: each line "
            f'should be like {{"id": ..., "answer": "A", "{LISTENER}": ...}}'
        )
    counts = letter_counts(predictions, len(key.rows))
    tasks = _task_of_rows(key)
    parts: list[tuple[str | None, Counts]] = [(None, counts)]
    parts += [(name, counts[tasks == code]) for code, name in enumerate(key.names["task"])]
    groups = tuple(_agreement(task, part, resamples, seed) for task, part in parts)
    return AgreementReport(key, predictions, groups, resamples, seed)


def letter_counts(predictions: Predictions, rows: int) -> Counts:
    """Return how often each letter was given to each row of a key, shape (rows, letters)."""
    counts = np.zeros((rows, len(LETTERS)), np.int64)
    if predictions.trials is not None:
        valid = predictions.responses < INVALID
        np.add.at(counts, (predictions.trials.rows[valid], predictions.responses[valid]), 1)
    return counts


def nominal_alpha(counts: Counts) -> float | None:
    """Return Krippendorff's alpha for nominal data.

    Parameters
    ----------
    counts : array of int64, shape (units, values)
        How many listeners gave each value to each unit.

    Returns
    -------
    float or None
        None where no unit has two values, or where all paired values are the same: nothing is left to
        disagree on then, and alpha is 0 / 0.
    """
    import krippendorff

    paired = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(paired.sum(axis=0)) < 2:
        return None
    return float(krippendorff.alpha(value_counts=paired, level_of_measurement="nominal"))


def _agreement(task: str | None, counts: Counts, resamples: int, seed: int) -> Agreement:
    paired = counts[counts.sum(axis=1) > 1]
    sizes = paired.sum(axis=1)
    pairs, equal = int((sizes * (sizes - 1)).sum()), int((paired * (paired - 1)).sum())
    alpha = nominal_alpha(paired)
    return Agreement(
        task,
        len(paired),
        int(sizes.sum()),
        Fraction(equal, pairs) if pairs else None,
        alpha,
        None if alpha is None else _interval(paired, resamples, stream(seed, "agreement", task or "")),
    )


def _interval(paired: Counts, resamples: int, generator: np.random.Generator) -> Interval | None:
    """Return an interval of alpha over files; a resample in which all letters are the same is left out."""
    kinds, sizes = np.unique(paired, axis=0, return_counts=True)
    draws = generator.multinomial(len(paired), sizes / len(paired), size=resamples)
    values = [nominal_alpha(np.repeat(kinds, draw, axis=0)) for draw in draws]
    return percentile_interval(np.array([np.nan if value is None else value for value in values]))


def _task_of_rows(key: AnswerKey) -> Counts:
    tasks = np.empty(len(key.rows), np.int64)
    for rows in key.row_of.T:
        tasks[rows[rows >= 0]] = key.codes["task"][rows >= 0]
    return tasks


def _value(group: Agreement) -> dict[str, Any]:
    equal = group.equal_pairs
    return asdict(group) | {
        "equal_pairs": None if equal is None else float(100 * equal),
        "interval": interval_value(group.interval),
    }


def _cells(group: Agreement) -> tuple[str, ...]:
    alpha = "-"
    if group.alpha is not None:
        alpha = f"{float_text(group.alpha, 3)} {interval_text(group.interval, 1, 3)}".rstrip()
    equal = "-" if group.equal_pairs is None else percent(group.equal_pairs)
    return (group.task or "all", str(group.files), str(group.answers), equal, alpha)
