"""Letters out of log-probabilities: the probability of each answer as the first token of the reply.

Tokens that are a letter but for white space around it and its case count for that letter, and their
probabilities are added: `A`, ` A`, `a`, `A` with the word-start marks that tokenizers show as U+2581
(SentencePiece) and U+0120 (byte-level BPE). What the most likely tokens don't include is unknown, and is not
guessed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from listenbench.scoring.answers import LETTERS, Choices, letters_of

_MARGIN: Final = "\u2581\u0120\u010a \t\r\n"


@dataclass(frozen=True, slots=True)
class LetterProbabilities:
    """What the first token of a reply says.

    Attributes
    ----------
    logprobs : dict of str to float or None
        Natural logarithm of the probability of each letter; None where no token of it is known.
    other : float
        Probability of everything that is not a letter, 0 to 1.
    problem : str
        Why a value is not known; empty where all are.
    """

    logprobs: dict[str, float | None]
    other: float
    problem: str = ""


def letter_of(token: str) -> str | None:
    """Return the letter, A to D, that a token is a variant of."""
    bare = token.strip(_MARGIN).upper()
    return bare if bare in LETTERS else None


def letter_probabilities(tokens: Iterable[tuple[str, float]], choices: Choices = ()) -> LetterProbabilities:
    """Add up the probabilities of the variants of each letter of a question.

    Parameters
    ----------
    tokens : iterable of (str, float)
        The most likely first tokens with their log-probabilities. A token that comes twice counts once.
    choices : tuple of str, optional
        What the letters mean; there are as many letters as choices, and two without it.

    Returns
    -------
    LetterProbabilities
        With None for a letter of which no token is known, or one with a log-probability that is no number up
        to 0 (minus infinity is a probability of 0).
    """
    known = dict(tokens)
    logprobs: dict[str, float | None] = {}
    for letter in letters_of(choices):
        values = [value for token, value in known.items() if letter_of(token) == letter]
        logprobs[letter] = _log_of_sum(values)
    mass = sum(math.exp(value) for value in logprobs.values() if value is not None)
    return LetterProbabilities(logprobs, min(1.0, max(0.0, 1.0 - mass)), _problem(known, logprobs))


def _log_of_sum(values: list[float]) -> float | None:
    if any(math.isnan(value) or value > _ROUNDING for value in values):
        return None
    total = math.fsum(map(math.exp, values))
    return min(0.0, math.log(total)) if total > 0 else None


_ROUNDING: Final = 1e-3


def _problem(known: dict[str, float], logprobs: dict[str, float | None]) -> str:
    if None not in logprobs.values():
        return ""
    if not known:
        return "no log-probabilities"
    if any(letter_of(token) in logprobs and not math.isfinite(value) for token, value in known.items()):
        return "a log-probability that is not a finite number"
    return "a letter is not among the most likely tokens"
