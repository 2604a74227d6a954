"""From predictions and a key to a score: every group, every figure, every interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from listenbench.randomness import stream
from listenbench.scoring.bootstrap import Interval, percentile_interval, resampled_totals, wilson_interval
from listenbench.scoring.chance import Guessing, guessed_figures
from listenbench.scoring.key import AnswerKey
from listenbench.scoring.metrics import LETTER_METRICS, METRICS, Metric, features, totals
from listenbench.scoring.outcomes import Integers, OutcomeTable
from listenbench.scoring.psychometric import Curve, fit_curve
from listenbench.scoring.sensitivity import Sensitivity, sensitivity

GROUPINGS: Final = (
    (),
    ("task",),
    ("task", "rung"),
    ("stay_factor",),
    ("task", "stay_factor"),
    ("task", "flip_factor"),
    ("texture",),
    ("task", "texture"),
)
"""The fields that items are grouped by, in the order of the report."""

_INTERVAL_FEATURES: Final = tuple(
    dict.fromkeys(name for metric in METRICS for _, top, bottom in metric.terms for name in (top, bottom))
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one group.

    Attributes
    ----------
    value : Fraction or None
        Exact share of 1; None where there is nothing to count.
    n : int
        Files or items that it is a share of; of the smaller kind, where it has two.
    interval : Interval or None
        Its interval.
    chance : Interval or None
        Where the figure lies in 95 of 100 runs of pure guessing; None for figures that aren't compared with
        that.
    """

    value: Fraction | None
    n: int
    interval: Interval | None = None
    chance: Interval | None = None

    @property
    def is_chance(self) -> bool:
        """Whether guessing gives such a figure."""
        return (
            self.value is not None
            and self.chance is not None
            and self.chance.low <= self.value <= self.chance.high
        )


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some of the items.

    Attributes
    ----------
    by : tuple of str
        The fields that these items have in common.
    names : tuple of str
        What they are.
    items : int
        Number of items.
    totals : dict of str to int
        Exact counts, by name of `listenbench.scoring.metrics.FEATURES`.
    figures : dict of str to Figure
        By name of the metric.
    guessed : dict of str to Guessing
        What guessing gives on these files, by name of the metric; see
        `listenbench.scoring.chance.guessed_figures`.
    """

    by: tuple[str, ...]
    names: tuple[str, ...]
    items: int
    totals: dict[str, int]
    figures: dict[str, Figure]
    guessed: dict[str, Guessing]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is computed from an outcome table."""

    groups: tuple[Group, ...]
    sensitivities: dict[str, dict[str, Sensitivity]]
    curves: dict[str, Curve]


_TRIALS: Final = {"clean": (0,), "flip_and_stay": (1, 2)}


def analyse(key: AnswerKey, table: OutcomeTable, resamples: int, seed: int) -> Analysis:
    """Compute all figures of one submission.

    Parameters
    ----------
    key : AnswerKey
        Where names come from.
    table : OutcomeTable
        The outcomes of one submission.
    resamples : int
        Number of bootstrap resamples.
    seed : int
        Seed of the resampling; every group has a stream of its own.
    """
    groups = tuple(
        _group(part, by, names, resamples, stream(seed, "bootstrap", *by, *names))
        for by, names, part in _parts(key, table)
    )
    sensitivities: dict[str, dict[str, Sensitivity]] = {}
    curves: dict[str, Curve] = {}
    for code, task in enumerate(key.names["task"]):
        part = table.where(table.column("task") == code)
        for trials, conditions in _TRIALS.items():
            found = sensitivity(part, conditions, resamples, stream(seed, "sensitivity", task, trials))
            if found is not None:
                sensitivities.setdefault(task, {})[trials] = found
        curve = fit_curve(part, task, key.names["rung"], resamples, stream(seed, "curve", task))
        if curve is not None:
            curves[task] = curve
    return Analysis(groups, sensitivities, curves)


def overall(table: OutcomeTable, resamples: int, seed: int) -> Group:
    """Compute the figures over all items, the same as those of `analyse`."""
    return _group(table, (), (), resamples, stream(seed, "bootstrap"))


def none_right(group: Group) -> Figure:
    """Return the share of the pairs of a group of which neither file was answered right."""
    both, one = (group.figures[name].value for name in ("pairs_both_right", "pairs_one_right"))
    value = None if both is None or one is None else 1 - both - one
    return Figure(value, group.totals["pairs"])


def _parts(
    key: AnswerKey, table: OutcomeTable
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], OutcomeTable]]:
    for by in GROUPINGS:
        columns = (
            np.stack([table.column(field) for field in by], axis=1)
            if by
            else np.zeros((len(table.counts), 0))
        )
        kinds = np.unique(columns, axis=0) if by else np.zeros((1, 0))
        for codes in kinds:
            if by and codes.min() < 0:
                continue
            names = tuple(key.names[field][int(code)] for field, code in zip(by, codes, strict=True))
            yield by, names, table.where((columns == codes).all(axis=1))


def _group(
    part: OutcomeTable,
    by: tuple[str, ...],
    names: tuple[str, ...],
    resamples: int,
    generator: np.random.Generator,
) -> Group:
    counted = features(part.decoded())
    exact = totals(counted, part.counts)
    chosen = {name: counted[name] for name in _INTERVAL_FEATURES}
    draws = resampled_totals(chosen, part.counts, part.column("task"), resamples, generator, part.clusters)
    guessed = guessed_figures(part)
    figures = {}
    for metric in METRICS:
        value = metric.exact(exact)
        n = _independent(metric, counted, part)
        interval = None if value is None else _interval(value, n, percentile_interval(metric.of_draws(draws)))
        chance = guessed[metric.name].interval if metric.against_chance and metric.name in guessed else None
        figures[metric.name] = Figure(value, _n(metric, exact), interval, chance)
    for metric in LETTER_METRICS:
        figures[metric.name] = Figure(metric.exact(exact), _n(metric, exact))
    return Group(by, names, part.items, exact, figures, guessed)


def _n(metric: Metric, exact: dict[str, int]) -> int:
    return min(exact[bottom] for _, _, bottom in metric.terms)


def _independent(metric: Metric, counted: dict[str, Integers], part: OutcomeTable) -> int:
    """Return how many files or items of the smaller kind are drawn apart."""
    clusters = part.clusters
    if clusters is None:
        return min(int(counted[bottom] @ part.counts) for _, _, bottom in metric.terms)
    return min(len(np.unique(clusters[counted[bottom] > 0])) for _, _, bottom in metric.terms)


def _interval(value: Fraction, n: int, resampled: Interval | None) -> Interval | None:
    return wilson_interval(float(value), n) if value in (0, 1) else resampled
