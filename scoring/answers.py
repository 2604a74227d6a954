"""What an answer is, and when it is right: one letter out of as many as the question has choices, 2 to 4.

Everything else in this package counts codes. A listener's response to one file has the code of a letter, 0
for A and so on, `INVALID` for a reply in which no letter of the question can be read, or `MISSING` for no
reply at all. Both of the last two count as wrong, over a denominator that stays the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

LETTERS: Final = ("A", "B", "C", "D")
"""The letters, in the order of their codes. A question has the first of them, one a choice."""

FEWEST: Final = 2
"""The letters of a question whose choices aren't known, and the fewest that a question has."""

INVALID: Final = len(LETTERS)
"""Code of a reply without a readable answer."""

MISSING: Final = len(LETTERS) + 1
"""Code of a file without a reply."""

Choices = tuple[str, ...]
"""What the letters mean, in the order of the letters, such as ("same", "different")."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in one reply.

    Attributes
    ----------
    code : int
        The code of the response.
    reason : str
        Why there is no letter; empty when there is one.
    """

    code: int
    reason: str = ""


LETTER_READINGS: Final = {letter: Reading(code) for code, letter in enumerate(LETTERS)}
NO_REPLY: Final = Reading(MISSING, "no reply")
NOT_A_LETTER: Final = Reading(INVALID, "not a letter")
EQUAL: Final = Reading(INVALID, "equal log-probabilities")
NOT_FINITE: Final = Reading(INVALID, "log-probability that is not a finite number")
LETTER_ABSENT: Final = Reading(INVALID, "no log-probability for one of the letters")


def letters_of(choices: Choices) -> tuple[str, ...]:
    """Return the letters of a question; of one whose choices aren't known, the first two."""
    return LETTERS[: len(choices) or FEWEST]


def read_letter(text: str, choices: Choices = ()) -> Reading:
    """Read the field `answer`: one letter, in either case, with nothing beside it but spaces."""
    reading = LETTER_READINGS.get(text) or LETTER_READINGS.get(text.strip().upper(), NOT_A_LETTER)
    return reading if reading.code < (len(choices) or FEWEST) else NOT_A_LETTER


def read_logprobs(values: Mapping[str, Any], choices: Choices = ()) -> Reading:
    """Read the field `logprobs`: the letter with the highest log-probability.

    Only their order counts. Entries for anything but the letters of the question are left out of account.

    Raises
    ------
    TypeError
        If the value of a letter is neither a number nor null.
    """
    letters = letters_of(choices)
    numbers = [values.get(letter) for letter in letters]
    for letter, number in zip(letters, numbers, strict=True):
        if isinstance(number, bool) or not isinstance(number, int | float | None):
            raise TypeError(f"logprobs: the value of {letter} is not a number")
    present = [number for number in numbers if number is not None]
    if len(present) < len(letters):
        return LETTER_ABSENT
    if any(isinstance(number, float) and not math.isfinite(number) for number in present):
        return NOT_FINITE
    highest = max(present)
    if present.count(highest) > 1:
        return EQUAL
    return LETTER_READINGS[LETTERS[present.index(highest)]]


def checked_choices(value: object) -> Choices | None:
    """Return what the letters mean, from a list in their order or from a mapping of letters to words.

    A question has 2 to 4 choices, and its letters are the first of the alphabet.

    Returns
    -------
    tuple of str or None
        None if the value is neither.
    """
    if isinstance(value, Mapping):
        letters = LETTERS[: len(value)]
        value = [value[letter] for letter in letters] if set(value) == set(letters) else None
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    if not FEWEST <= len(value) <= len(LETTERS):
        return None
    if not all(isinstance(word, str) and word.strip() for word in value):
        return None
    return tuple(value)
