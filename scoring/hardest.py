"""The items that submissions answered worst, of each task in turn.

An item's rank is the number of its wrong answers, added up over all submissions. Invalid answers are wrong;
files without an answer don't count, or whoever answered a part of the files would rank by what was not asked.
Items with as many wrong answers stand in the order of the wrong answers of the first submission, then of the
second, and so on, then in the order of the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.answers import LETTERS, MISSING
from listenbench.scoring.key import AnswerKey
from listenbench.scoring.key_rows import CONDITIONS

RESPONSES: Final = (*LETTERS, "invalid", "missing")
"""Names of the codes of a response."""


@dataclass(frozen=True, slots=True)
class AnsweredFile:
    """One file with the responses of all submissions.

    Attributes
    ----------
    id : str
        The file.
    condition : str
        One of `CONDITIONS`.
    answer : str
        The right letter.
    responses : tuple of str
        One of `RESPONSES` a submission.
    """

    id: str
    condition: str
    answer: str
    responses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HardItem:
    """An item with wrong answers.

    Attributes
    ----------
    task : str
        Its task.
    wrong, answered : int
        Wrong answers, and answers, to its files, over all submissions.
    files : tuple of AnsweredFile
        Its files, in the order of `CONDITIONS`.
    """

    task: str
    wrong: int
    answered: int
    files: tuple[AnsweredFile, ...]


def hardest_items(
    key: AnswerKey, responses: Sequence[NDArray[np.uint8]], number: int
) -> tuple[HardItem, ...]:
    """Return the items with most wrong answers: the first one of each task, then the second one of each.

    Parameters
    ----------
    key : AnswerKey
        The items and the right letters.
    responses : sequence of array of uint8, shape (rows,)
        Code of the response to each row of the key, one array a submission.
    number : int
        How many items, at most. Items without a wrong answer are none of them.
    """
    wrong = np.stack([_per_item(key, _is_wrong(key, each)) for each in responses])
    order = np.lexsort([*-wrong[::-1], -wrong.sum(axis=0)])
    ranked = [int(item) for item in order if wrong[:, item].any()]
    by_task = [[item for item in ranked if key.codes["task"][item] == code] for code in _task_codes(key)]
    turns = chain.from_iterable(zip_longest(*by_task))
    chosen = [item for item in turns if item is not None][:number]
    ids = tuple(key.rows)
    return tuple(_hard_item(key, item, ids, responses, int(wrong[:, item].sum())) for item in chosen)


def _task_codes(key: AnswerKey) -> range:
    return range(len(key.names["task"]))


def _is_wrong(key: AnswerKey, responses: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((responses != key.truth) & (responses != MISSING))


def _per_item(key: AnswerKey, of_row: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many rows of each item have a property."""
    return np.asarray((of_row[key.row_of] & (key.row_of >= 0)).sum(axis=1), np.int64)


def _hard_item(
    key: AnswerKey, item: int, ids: Sequence[str], responses: Sequence[NDArray[np.uint8]], wrong: int
) -> HardItem:
    rows = {
        condition: int(row) for condition, row in zip(CONDITIONS, key.row_of[item], strict=True) if row >= 0
    }
    files = tuple(
        AnsweredFile(
            ids[row],
            condition,
            LETTERS[key.truth[row]],
            tuple(RESPONSES[each[row]] for each in responses),
        )
        for condition, row in rows.items()
    )
    answered = sum(int(each[row] != MISSING) for row in rows.values() for each in responses)
    return HardItem(key.names["task"][key.codes["task"][item]], wrong, answered, files)
