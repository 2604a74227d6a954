"""Intervals by resampling items, with their files kept together.

Items are drawn again within each task, as many as there are, since a task's size is part of the design (a
stratified bootstrap; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, sections 8.3 and 13.3).
Drawing n items with replacement is the same as one multinomial draw of how often each distinct outcome
occurs, so the cost doesn't depend on n. Intervals are percentile intervals. Where every item has the best or
every item the worst value, resampling has nothing to vary and its interval would have no width: there the
score interval of a proportion stands instead (Wilson, Journal of the American Statistical Association 22,
1927).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.outcomes import Integers

LEVEL: Final = 0.95
"""Coverage of every interval."""

NORMAL_QUANTILE: Final = 1.959963984540054
"""Quantile of the standard normal distribution that leaves (1 - LEVEL) / 2 above it."""

RESAMPLES: Final = 5_000
"""Default number of resamples."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval that covers `LEVEL`.

    Attributes
    ----------
    low, high : float
        Its ends, in the unit of the figure.
    method : str
        "bootstrap" or "wilson".
    """

    low: float
    high: float
    method: str = "bootstrap"


def resampled_totals(
    per_outcome: Mapping[str, Integers],
    counts: Integers,
    strata: Integers,
    resamples: int,
    generator: np.random.Generator,
    clusters: Integers | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Resample items and add up what is counted at each.

    Parameters
    ----------
    per_outcome : mapping of str to array of int64, shape (K,)
        What is counted at an item with each outcome.
    counts : array of int64, shape (K,)
        Number of items with each outcome.
    strata : array of int64, shape (K,)
        What is resampled apart, such as the code of the task; each keeps its number of items.
    resamples : int
        Number of resamples B.
    generator : numpy.random.Generator
        Where the draws come from. They depend on the distinct rows of `per_outcome` alone, and not on the
        order or the meaning of the outcomes.
    clusters : array of int64, shape (K,), optional
        What is drawn as one: outcomes of the same stratum and cluster.

    Returns
    -------
    dict of str to array of float64, shape (B,)
        Whole numbers.
    """
    if clusters is not None:
        per_outcome, counts, strata = _per_cluster(per_outcome, counts, strata, clusters)
    matrix = np.stack([strata, *per_outcome.values()], axis=1)
    rows, member = np.unique(matrix, axis=0, return_inverse=True)
    sizes = np.bincount(member.ravel(), weights=counts, minlength=len(rows)).astype(np.int64)
    draws = np.empty((resamples, len(rows)))
    for stratum in np.unique(strata):
        members = rows[:, 0] == stratum
        total = int(sizes[members].sum())
        draws[:, members] = generator.multinomial(total, sizes[members] / total, size=resamples)
    sums = draws @ rows[:, 1:].astype(np.float64)
    return dict(zip(per_outcome, sums.T, strict=True))


def _per_cluster(
    per_outcome: Mapping[str, Integers], counts: Integers, strata: Integers, clusters: Integers
) -> tuple[dict[str, Integers], Integers, Integers]:
    """Return what is counted at each cluster of each stratum, once a cluster."""
    kinds, member = np.unique(np.stack([strata, clusters], axis=1), axis=0, return_inverse=True)
    sums = {name: np.zeros(len(kinds), np.int64) for name in per_outcome}
    for name, values in per_outcome.items():
        np.add.at(sums[name], member.ravel(), values * counts)
    return sums, np.ones(len(kinds), np.int64), kinds[:, 0]


def percentile_interval(values: NDArray[np.float64]) -> Interval | None:
    """Return the middle `LEVEL` of resampled values; None if more than that share is undefined.

    A resample in which a figure has no denominator is left out.
    """
    defined = values[~np.isnan(values)]
    if len(defined) < LEVEL * len(values):
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def wilson_interval(share: float, n: int) -> Interval:
    """Return the score interval of a share of n trials."""
    z2 = NORMAL_QUANTILE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = NORMAL_QUANTILE / (1 + z2 / n) * (share * (1 - share) / n + z2 / (4 * n * n)) ** 0.5
    # With no or with all trials right, that end is 0 or 1, which rounding would miss by some 1e-17.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Interval(low, high, "wilson")
