"""Two submissions on the same items: differences, tests, and what the items can show at all.

- Differences (second minus first) with intervals by a paired bootstrap: an item is drawn with the answers of
  both, so that what is easy or hard for both cancels.
- McNemar's exact test on the files of each condition, which are independent items: under the null hypothesis
  each file that only one of the two answers right is equally likely to be either's (McNemar, Psychometrika
  12, 1947; two-sided binomial probability, at most 1).
- The smallest difference that this many items can show. At best, when every file on which the two differ
  speaks for the same one: 6 files, since 2 * 0.5 ** 6 < 0.05 < 2 * 0.5 ** 5. With 80 % power at the scatter
  seen here: (1.960 + 0.842) standard errors of the paired difference (Cohen, Statistical Power Analysis for
  the Behavioral Sciences, 2nd edition 1988; for evaluations of models: Miller, Adding Error Bars to Evals,
  2024).
- Whether MR fell more than FFR: the fall of MR minus the fall of FFR from the first to the second, with its
  paired interval and the two-sided bootstrap probability of 0. A model that only learned to answer
  'different' more often lowers MR and raises FFR: a large net here with no gain in Acc_FS.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from listenbench.randomness import stream
from listenbench.scoring.bootstrap import NORMAL_QUANTILE, Interval, percentile_interval, resampled_totals
from listenbench.scoring.key import AnswerKey
from listenbench.scoring.key_rows import CONDITIONS
from listenbench.scoring.metrics import METRICS, Metric, features
from listenbench.scoring.outcomes import Integers, OutcomeTable

POWER_QUANTILE: Final = 0.8416212335729143
"""Quantile of the standard normal distribution below which 80 % lie."""

FEWEST_DISCORDANT: Final = 6
"""The fewest files, all won by one of the two, for which the exact test gives p < 0.05."""

COMPARED: Final = tuple(metric for metric in METRICS if metric.name != "pairs_one_right")
_FEATURES: Final = tuple(
    dict.fromkeys(name for metric in COMPARED for _, top, bottom in metric.terms for name in (top, bottom))
)


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of one figure, second submission minus first.

    Attributes
    ----------
    first, second : Fraction
        The figures as shares of 1.
    value : Fraction
        Their difference.
    interval : Interval
        Of the difference.
    p : float
        Two-sided bootstrap probability of no difference.
    detectable : float or None
        Smallest difference shown with 80 % power at the scatter seen; None where the two never differ.
    at_best : Fraction
        Smallest difference that this number of files can show at all.
    """

    first: Fraction
    second: Fraction
    value: Fraction
    interval: Interval
    p: float
    detectable: float | None
    at_best: Fraction


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test on the files of one condition.

    Attributes
    ----------
    only_first, only_second : int
        Files that only the first, or only the second, answers right.
    p : float
        Exact two-sided probability.
    """

    only_first: int
    only_second: int
    p: float


@dataclass(frozen=True, slots=True)
class Net:
    """How much more MR fell than FFR, from the first submission to the second.

    Attributes
    ----------
    miss_rate_fall, false_flip_rate_fall : Fraction
        First minus second, as shares of 1.
    value : Fraction
        Their difference.
    interval : Interval
        Of that difference.
    p : float
        Two-sided bootstrap probability that it is 0.
    """

    miss_rate_fall: Fraction
    false_flip_rate_fall: Fraction
    value: Fraction
    interval: Interval
    p: float


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """The comparison over all items or over those of one task.

    Attributes
    ----------
    task : str or None
        The task; None for all items.
    items : int
        Number of items.
    differences : dict of str to Difference
        By name of the metric.
    mcnemar : dict of str to McNemar
        By condition.
    net : Net or None
        None without FLIP or STAY files.
    """

    task: str | None
    items: int
    differences: dict[str, Difference]
    mcnemar: dict[str, McNemar]
    net: Net | None


def compare_groups(
    key: AnswerKey, table: OutcomeTable, resamples: int, seed: int
) -> tuple[ComparedGroup, ...]:
    """Compare two submissions over all items and by task.

    Parameters
    ----------
    key : AnswerKey
        Where the names of the tasks come from.
    table : OutcomeTable
        The joint outcomes of two submissions.
    resamples : int
        Number of bootstrap resamples.
    seed : int
        Seed of the resampling.
    """
    groups = [_compared(table, None, resamples, stream(seed, "comparison"))]
    for code, task in enumerate(key.names["task"]):
        part = table.where(table.column("task") == code)
        groups.append(_compared(part, task, resamples, stream(seed, "comparison", task)))
    return tuple(groups)


def _compared(
    table: OutcomeTable, task: str | None, resamples: int, generator: np.random.Generator
) -> ComparedGroup:
    counted = [features(table.decoded(submission)) for submission in (0, 1)]
    joint = {f"{name} {place}": each[name] for place, each in enumerate(counted) for name in _FEATURES}
    draws = resampled_totals(joint, table.counts, table.column("task"), resamples, generator)
    sides = [_Side(counted[place], table.counts, draws, place) for place in (0, 1)]
    differences = {}
    for metric in COMPARED:
        difference = _difference(metric, *sides)
        if difference is not None:
            differences[metric.name] = difference
    mcnemar = {
        condition: test
        for column, condition in enumerate(CONDITIONS)
        if (test := _mcnemar(table, column)) is not None
    }
    return ComparedGroup(task, table.items, differences, mcnemar, _net(differences, *sides))


class _Side:
    """Exact and resampled totals of one of the two submissions."""

    def __init__(
        self,
        counted: Mapping[str, Integers],
        counts: Integers,
        draws: Mapping[str, NDArray[np.float64]],
        place: int,
    ) -> None:
        self.exact = {name: int(counted[name] @ counts) for name in _FEATURES}
        self.draws = {name: draws[f"{name} {place}"] for name in _FEATURES}


def _difference(metric: Metric, first: _Side, second: _Side) -> Difference | None:
    before, after = metric.exact(first.exact), metric.exact(second.exact)
    if before is None or after is None:
        return None
    values = metric.of_draws(second.draws) - metric.of_draws(first.draws)
    interval = percentile_interval(values)
    if interval is None:
        return None
    deviation = float(np.nanstd(values, ddof=1))
    files = sum(first.exact[bottom] for _, _, bottom in metric.terms)
    at_best = min(Fraction(1), Fraction(FEWEST_DISCORDANT, files))
    return Difference(
        first=before,
        second=after,
        value=after - before,
        interval=interval,
        p=bootstrap_probability(values),
        detectable=max(float(at_best), (NORMAL_QUANTILE + POWER_QUANTILE) * deviation)
        if deviation > 0
        else None,
        at_best=at_best,
    )


def _net(differences: Mapping[str, Difference], first: _Side, second: _Side) -> Net | None:
    if not {"miss_rate", "false_flip_rate"} <= differences.keys():
        return None
    falls = {}
    values = np.zeros_like(first.draws["flip"])
    for metric in METRICS:
        if metric.name in ("miss_rate", "false_flip_rate"):
            falls[metric.name] = -differences[metric.name].value
            sign = 1 if metric.name == "miss_rate" else -1
            values += sign * (metric.of_draws(first.draws) - metric.of_draws(second.draws))
    interval = percentile_interval(values)
    if interval is None:
        return None
    miss, false_flip = falls["miss_rate"], falls["false_flip_rate"]
    return Net(miss, false_flip, miss - false_flip, interval, bootstrap_probability(values))


def bootstrap_probability(values: NDArray[np.float64]) -> float:
    """Return the two-sided probability of 0 among resampled differences.

    Twice the share of resamples on the smaller side of 0, where those at 0 count for both sides and one is
    added to both numbers, so that it is never 0 and at most 1. What is within 1e-12 of 0 is 0.
    """
    defined = values[~np.isnan(values)]
    smaller = min(np.count_nonzero(defined <= 1e-12), np.count_nonzero(defined >= -1e-12))
    return float(min(1.0, 2 * (smaller + 1) / (len(defined) + 1)))


def _mcnemar(table: OutcomeTable, column: int) -> McNemar | None:
    first, second = (table.decoded(submission) for submission in (0, 1))
    if not first.present[:, column].any():
        return None
    only_first = int(table.counts @ (first.right & ~second.right)[:, column])
    only_second = int(table.counts @ (second.right & ~first.right)[:, column])
    return McNemar(only_first, only_second, mcnemar_probability(only_first, only_second))


def mcnemar_probability(only_first: int, only_second: int) -> float:
    """Return the exact two-sided probability of McNemar's test.

    Twice the binomial probability of at most min(only_first, only_second) out of their sum at one half,
    summed from its largest term downwards.
    """
    n, k = only_first + only_second, min(only_first, only_second)
    if 2 * k >= n - 1:
        return 1.0
    log_term = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    total = term = 1.0
    for smaller in range(k, 0, -1):
        term *= smaller / (n - smaller + 1)
        total += term
        if term < 1e-17 * total:
            break
    return min(1.0, 2 * math.exp(log_term) * total)
