"""What guessing gives: the expected value of a figure, and the range of 95 in 100 runs.

A guess is right with probability 1/k at a question with k choices, independently of all others. That holds
between listeners as well: those who guess the same file guess apart, so each of their answers counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from listenbench.scoring.answers import FEWEST, LETTERS
from listenbench.scoring.bootstrap import NORMAL_QUANTILE, Interval
from listenbench.scoring.key_rows import CONDITIONS
from listenbench.scoring.metrics import METRICS, Metric
from listenbench.scoring.outcomes import Integers, OutcomeTable

FilesByChoices = Mapping[str, Mapping[int, int]]
"""By condition, how many files have a question with so many choices."""


@dataclass(frozen=True, slots=True)
class Guessing:
    """What guessing gives for one figure.

    Attributes
    ----------
    expected : Fraction
        The mean, as a share of 1.
    interval : Interval
        Where the figure lies in 95 of 100 runs.
    """

    expected: Fraction
    interval: Interval


def guessed_figures(table: OutcomeTable) -> dict[str, Guessing]:
    """Return what guessing gives on the files of a table, by name of the metric.

    The metrics that are compared with guessing, and those of pairs; without those that have no files.
    """
    files = files_by_choices(table)
    found = {metric.name: guessing(metric, files) for metric in METRICS}
    return {name: each for name, each in found.items() if each is not None} | guessed_pairs(table)


def files_by_choices(table: OutcomeTable) -> dict[str, dict[int, int]]:
    """Count the files under each condition by the number of their choices."""
    states = table.decoded()
    found: dict[str, dict[int, int]] = {}
    for column, condition in enumerate(CONDITIONS):
        for letters in range(FEWEST, len(LETTERS) + 1):
            files = int(table.counts @ (states.present & (states.letters == letters))[:, column])
            if files:
                found.setdefault(condition, {})[letters] = files
    return found


def guessing(metric: Metric, files: FilesByChoices) -> Guessing | None:
    """Return what guessing gives for a metric (normal approximation); None where it isn't compared with that.

    A figure outside of the range differs from chance with p < 0.05 in the two-sided test of a proportion with
    the variance of guessing. For 250, 500, 1,000 and 2,000 answers to questions with two choices the
    half-widths are 6.2, 4.4, 3.1 and 2.2 points.
    """
    if not metric.against_chance or any(bottom not in files for _, _, bottom in metric.terms):
        return None
    expected, variance = metric.constant, 0.0
    for weight, top, bottom in metric.terms:
        n = sum(files[bottom].values())
        for letters, some in files[bottom].items():
            right = Fraction(1, letters)
            expected += weight * Fraction(some, n) * (1 - right if top.endswith("_wrong") else right)
            variance += float(weight) ** 2 * float(right * (1 - right)) * (some / n) / n
    return Guessing(expected, _around(expected, variance))


def guessed_pairs(table: OutcomeTable) -> dict[str, Guessing]:
    """Return what guessing gives for the pair metrics; empty without items that have a FLIP and a STAY file.

    With k and m choices a guess has both right at 1 / km, and one right at (k + m - 2) / km of the items.
    """
    states = table.decoded()
    flip, stay = CONDITIONS.index("flip"), CONDITIONS.index("stay")
    paired = states.present[:, flip] & states.present[:, stay]
    kinds, member = np.unique(states.letters[paired][:, [flip, stay]], axis=0, return_inverse=True)
    items = np.bincount(member.ravel(), weights=table.counts[paired], minlength=len(kinds)).astype(np.int64)
    if not items.sum():
        return {}
    both = [Fraction(1, int(k) * int(m)) for k, m in kinds]
    one = [Fraction(int(k) + int(m) - 2, int(k) * int(m)) for k, m in kinds]
    return {"pairs_both_right": _mixed(both, items), "pairs_one_right": _mixed(one, items)}


def _mixed(shares: Sequence[Fraction], items: Integers) -> Guessing:
    """Return the mean of independent events of several kinds, each with its probability and its number."""
    sizes, n = [int(size) for size in items], int(items.sum())
    kinds = list(zip(shares, sizes, strict=True))
    expected = sum((share * size for share, size in kinds), Fraction(0)) / n
    variance = sum((share * (1 - share) * size for share, size in kinds), Fraction(0)) / n**2
    return Guessing(expected, _around(expected, float(variance)))


def _around(expected: Fraction, variance: float) -> Interval:
    half = NORMAL_QUANTILE * variance**0.5
    return Interval(max(0.0, float(expected) - half), min(1.0, float(expected) + half), "normal")
