"""The metrics, each a share of exactly counted files or items.

With n counted over all files of the key, so that missing and invalid answers count as wrong:

- clean accuracy: right clean files / clean files;
- miss rate MR: wrong FLIP files / FLIP files;
- false-flip rate FFR: wrong STAY files / STAY files;
- Acc_FS = 1 - (MR + FFR) / 2, in percent 100 - (MR + FFR) / 2;
- `both` accuracy: right files that are edited and perturbed / such files;
- pair consistency, over the items with a FLIP and a STAY file: both right, one right, none right. Whoever
  gives every file the same letter has none of the pairs right where the two answers are opposite;
- accuracy given A (or B): right files / files whose right letter is A (or B);
- share of A: files answered A / files answered with a letter.

The last two are over clean, FLIP and STAY files. Definitions: MusicListenBench (2026).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.answers import INVALID, MISSING
from listenbench.scoring.key_rows import CONDITIONS
from listenbench.scoring.outcomes import Integers, States

_CLEAN, _FLIP, _STAY, _BOTH = range(len(CONDITIONS))
_MAIN: Final = slice(_CLEAN, _STAY + 1)

FEATURES: Final[Mapping[str, Callable[[States], NDArray[Any]]]] = MappingProxyType(
    {
        "clean": lambda s: s.present[:, _CLEAN],
        "clean_right": lambda s: s.right[:, _CLEAN],
        "flip": lambda s: s.present[:, _FLIP],
        "flip_wrong": lambda s: s.present[:, _FLIP] & ~s.right[:, _FLIP],
        "stay": lambda s: s.present[:, _STAY],
        "stay_wrong": lambda s: s.present[:, _STAY] & ~s.right[:, _STAY],
        "both": lambda s: s.present[:, _BOTH],
        "both_right": lambda s: s.right[:, _BOTH],
        "pairs": lambda s: s.present[:, _FLIP] & s.present[:, _STAY],
        "pairs_right": lambda s: s.right[:, _FLIP] & s.right[:, _STAY],
        "pairs_one_right": lambda s: (
            s.present[:, _FLIP] & s.present[:, _STAY] & (s.right[:, _FLIP] ^ s.right[:, _STAY])
        ),
        "files": lambda s: s.present[:, _MAIN].sum(axis=1),
        "answered": lambda s: s.valid[:, _MAIN].sum(axis=1),
        "answered_a": lambda s: (s.valid & (s.response == 0))[:, _MAIN].sum(axis=1),
        "right_is_a": lambda s: (s.present & (s.truth == 0))[:, _MAIN].sum(axis=1),
        "right_is_a_right": lambda s: (s.right & (s.truth == 0))[:, _MAIN].sum(axis=1),
        "right_is_b": lambda s: (s.present & (s.truth == 1))[:, _MAIN].sum(axis=1),
        "right_is_b_right": lambda s: (s.right & (s.truth == 1))[:, _MAIN].sum(axis=1),
        "invalid": lambda s: (s.present & (s.response == INVALID)).sum(axis=1),
        "missing": lambda s: (s.present & (s.response == MISSING)).sum(axis=1),
    }
)
"""What is counted at an item, by name; each function returns one number an outcome."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A weighted sum of shares: constant + sum of weight * numerator / denominator.

    Attributes
    ----------
    name : str
        Key in the JSON report.
    terms : tuple of (Fraction, str, str)
        Weight, numerator and denominator, the latter two from `FEATURES`.
    constant : Fraction
        What is added.
    against_chance : bool
        Whether it is compared with guessing.
    """

    name: str
    terms: tuple[tuple[Fraction, str, str], ...]
    constant: Fraction = Fraction(0)
    against_chance: bool = False

    def exact(self, totals: Mapping[str, int]) -> Fraction | None:
        """Return the metric of exact counts, or None where a denominator is 0."""
        if any(totals[denominator] == 0 for _, _, denominator in self.terms):
            return None
        return self.constant + sum(
            (weight * Fraction(totals[top], totals[bottom]) for weight, top, bottom in self.terms),
            Fraction(0),
        )

    def of_draws(self, totals: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the metric of resampled counts; NaN where a denominator is 0."""
        value = np.full_like(totals[self.terms[0][1]], float(self.constant))
        with np.errstate(invalid="ignore", divide="ignore"):
            for weight, top, bottom in self.terms:
                value += float(weight) * (totals[top] / totals[bottom])
        return value


def _share(name: str, top: str, bottom: str, *, against_chance: bool = False) -> Metric:
    return Metric(name, ((Fraction(1), top, bottom),), against_chance=against_chance)


_HALF: Final = Fraction(1, 2)

METRICS: Final = (
    _share("clean_accuracy", "clean_right", "clean", against_chance=True),
    _share("miss_rate", "flip_wrong", "flip", against_chance=True),
    _share("false_flip_rate", "stay_wrong", "stay", against_chance=True),
    Metric(
        "acc_fs",
        ((-_HALF, "flip_wrong", "flip"), (-_HALF, "stay_wrong", "stay")),
        Fraction(1),
        against_chance=True,
    ),
    _share("both_accuracy", "both_right", "both", against_chance=True),
    _share("pairs_both_right", "pairs_right", "pairs"),
    _share("pairs_one_right", "pairs_one_right", "pairs"),
)
"""The metrics that depend on right and wrong alone."""

LETTER_METRICS: Final = (
    _share("share_of_a", "answered_a", "answered"),
    _share("accuracy_given_a", "right_is_a_right", "right_is_a"),
    _share("accuracy_given_b", "right_is_b_right", "right_is_b"),
)
"""The metrics that depend on the letters."""


def features(states: States) -> dict[str, Integers]:
    """Return what is counted at each outcome, arrays of shape (K,)."""
    return {name: function(states).astype(np.int64) for name, function in FEATURES.items()}


def totals(per_outcome: Mapping[str, Integers], counts: Integers) -> dict[str, int]:
    """Return exact totals over items."""
    return {name: int(values @ counts) for name, values in per_outcome.items()}
