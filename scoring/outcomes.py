"""Outcomes: what happened at each item, counted over items that went alike.

An item is one draw of everything that resampling draws again: its clean, FLIP, STAY and (where present)
`both` file stay together. Most items go alike, so a data set of any size shrinks to a table of at most a few
thousand distinct outcomes with their counts, and everything after it costs the same for 3,000 files or
3,000,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.answers import FEWEST, INVALID, LETTERS, letters_of
from listenbench.scoring.key import AnswerKey
from listenbench.scoring.key_rows import CONDITIONS, FIELDS

ABSENT: Final = 0
"""State of a condition that an item has no file for."""

DIFFERENT: Final = "different"
"""The choice that reports a difference, in the questions that ask for one."""

_RESPONSES: Final = len(LETTERS) + 2
_TRUTHS: Final = len(LETTERS)
_DIFFERENT: Final = len(LETTERS) + 1

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class States:
    """The states of K outcomes under the conditions; each array has the shape (K, conditions).

    Attributes
    ----------
    present : array of bool
        Whether there is a file.
    truth : array of int
        Code of the right letter.
    response : array of int
        Code of the response.
    different : array of int
        Code of the letter that means 'different', or -1 where none does.
    letters : array of int
        Number of letters that the question has.
    """

    present: NDArray[np.bool_]
    truth: Integers
    response: Integers
    different: Integers
    letters: Integers

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether the file was answered right."""
        right: NDArray[np.bool_] = self.present & (self.truth == self.response)
        return right

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether the file was answered with a letter."""
        valid: NDArray[np.bool_] = self.present & (self.response < INVALID)
        return valid


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """Distinct outcomes with their counts.

    Attributes
    ----------
    fields : array of int64, shape (K, fields)
        Codes of task, rung, STAY factor, FLIP factor and texture, as in `AnswerKey.codes`.
    states : array of int64, shape (K, submissions, conditions)
        What happened under each condition, as one code; `decoded` takes it apart.
    counts : array of int64, shape (K,)
        Number of items with this outcome.
    clusters : array of int64, shape (K,), or None
        As in `AnswerKey.clusters`; outcomes of two clusters are never counted together.
    """

    fields: Integers
    states: Integers
    counts: Integers
    clusters: Integers | None = None

    @property
    def items(self) -> int:
        """Number of items; of clusters, where there are any."""
        return int(self.counts.sum()) if self.clusters is None else len(np.unique(self.clusters))

    def column(self, field: str) -> Integers:
        """Return the codes of one of the fields."""
        return self.fields[:, FIELDS.index(field)]

    def where(self, mask: NDArray[np.bool_]) -> OutcomeTable:
        """Return the table of some of the outcomes."""
        clusters = None if self.clusters is None else self.clusters[mask]
        return OutcomeTable(self.fields[mask], self.states[mask], self.counts[mask], clusters)

    def decoded(self, submission: int = 0) -> States:
        """Return the states of one submission."""
        return decode(self.states[:, submission])


def tabulate(key: AnswerKey, *responses: NDArray[np.uint8]) -> OutcomeTable:
    """Count the outcomes of one submission, or the joint outcomes of several.

    Parameters
    ----------
    key : AnswerKey
        The items and the right letters.
    *responses : array of uint8, shape (rows,)
        Code of the response to each row of the key, one array a submission.
    """
    fields = np.stack([key.codes[field].astype(np.int64) for field in FIELDS], axis=1)
    states = np.stack([_item_states(key, each) for each in responses], axis=1)
    group = _codes_of_rows(fields + 1)
    for submission in range(len(responses)):
        for condition in range(len(CONDITIONS)):
            group = _joined(group, states[:, submission, condition])
    if key.clusters is not None:
        group = _joined(group, key.clusters)
    _, first, counts = np.unique(group, return_index=True, return_counts=True)
    clusters = None if key.clusters is None else key.clusters[first]
    return OutcomeTable(fields[first], states[first], counts.astype(np.int64), clusters)


def _codes_of_rows(columns: Integers) -> Integers:
    """Return one number a row that equals another row's exactly where all columns do."""
    group = np.zeros(len(columns), np.int64)
    for column in columns.T:
        group = _joined(group, column)
    return group


def _joined(group: Integers, column: Integers) -> Integers:
    """Return the rank of each distinct pair, so that numbers never grow beyond the number of rows."""
    _, codes = np.unique(group * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    return np.asarray(codes, np.int64)


def _item_states(key: AnswerKey, responses: NDArray[np.uint8]) -> Integers:
    """Return the state code of each item under each condition, shape (items, conditions)."""
    meaning = np.array(
        [
            1 + _different_letter(choices) + _DIFFERENT * (len(letters_of(choices)) - FEWEST)
            for choices in key.choices
        ],
        np.int64,
    )
    row_states = 1 + (
        key.truth.astype(np.int64)
        + _TRUTHS * responses.astype(np.int64)
        + _TRUTHS * _RESPONSES * meaning[key.choices_of_row]
    )
    return np.asarray(np.where(key.row_of >= 0, row_states[key.row_of], ABSENT), np.int64)


def _different_letter(choices: tuple[str, ...]) -> int:
    return choices.index(DIFFERENT) if DIFFERENT in choices else -1


def decode(states: Integers) -> States:
    """Take state codes apart."""
    code = np.maximum(states - 1, 0)
    return States(
        present=states != ABSENT,
        truth=code % _TRUTHS,
        response=code // _TRUTHS % _RESPONSES,
        different=code // (_TRUTHS * _RESPONSES) % _DIFFERENT - 1,
        letters=code // (_TRUTHS * _RESPONSES * _DIFFERENT) + FEWEST,
    )
