"""Answers of several listeners: every answer is a trial of its own, and only what was asked counts.

A person answers part of a data set, and several may answer the same file. Their trials are scored like the
files of a data set that holds just these: `key_of_trials` makes its key, in which an item is one listener's
share of an item. Resampling keeps together what belongs together (`AnswerKey.clusters`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.key import AnswerKey
from listenbench.scoring.key_rows import CONDITIONS

LISTENER: Final = "listener"
"""The field of a line that names who answered."""

Together = Literal["item", "listener"]
"""What a resample draws as a whole: all answers to an item, or all answers of a listener."""


@dataclass(frozen=True, slots=True)
class Trials:
    """Who answered which file.

    Attributes
    ----------
    rows : array of int64, shape (T,)
        Row of the key, of each of T trials.
    listeners : array of int64, shape (T,)
        Index into `names`.
    names : tuple of str
        The listeners, by alphabet.
    """

    rows: NDArray[np.int64]
    listeners: NDArray[np.int64]
    names: tuple[str, ...]

    @property
    def files(self) -> int:
        """Number of distinct files."""
        return len(np.unique(self.rows))


def ordered_trials(slots: Mapping[tuple[str, int], int], key: AnswerKey) -> tuple[Trials, NDArray[np.int64]]:
    """Return trials by file id and listener, so that the order of lines means nothing.

    Parameters
    ----------
    slots : mapping of (listener, row) to int
        Number of each trial, in the order of the lines.
    key : AnswerKey
        Where the ids come from.

    Returns
    -------
    tuple of (Trials, array of int64, shape (T,))
        The trials, and the number of each in `slots`.
    """
    ids = list(key.rows)
    ordered = sorted(slots, key=lambda slot: (ids[slot[1]], slot[0]))
    names = tuple(sorted({listener for listener, _ in slots}))
    code = {name: number for number, name in enumerate(names)}
    trials = Trials(
        np.array([row for _, row in ordered], np.int64),
        np.array([code[listener] for listener, _ in ordered], np.int64),
        names,
    )
    return trials, np.array([slots[slot] for slot in ordered], np.int64)


def key_of_trials(key: AnswerKey, trials: Trials, together: Together = "item") -> AnswerKey:
    """Return the key of the trials: as if a data set held the asked files, once a listener.

    Parameters
    ----------
    key : AnswerKey
        The key of the data set.
    trials : Trials
        Who answered which of its files.
    together : {"item", "listener"}, optional
        What the key's `clusters` stand for.
    """
    item, condition = _places(key)
    shares, share_of_trial = np.unique(
        np.stack([item[trials.rows], trials.listeners], axis=1), axis=0, return_inverse=True
    )
    row_of = np.full((len(shares), len(CONDITIONS)), -1, np.int32)
    row_of[share_of_trial.ravel(), condition[trials.rows]] = np.arange(len(trials.rows))
    ids = list(key.rows)
    pairs = zip(trials.listeners, trials.rows, strict=True)
    return replace(
        key,
        rows={f"{trials.names[listener]}\t{ids[row]}": place for place, (listener, row) in enumerate(pairs)},
        truth=key.truth[trials.rows],
        choices_of_row=key.choices_of_row[trials.rows],
        row_of=row_of,
        codes={field: codes[shares[:, 0]] for field, codes in key.codes.items()},
        clusters=shares[:, 0] if together == "item" else shares[:, 1],
    )


def _places(key: AnswerKey) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return item and condition of each row of a key."""
    items, conditions = np.nonzero(key.row_of >= 0)
    rows = key.row_of[items, conditions]
    item, condition = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    item[rows], condition[rows] = items, conditions
    return item, condition
