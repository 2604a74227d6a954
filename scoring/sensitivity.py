"""Sensitivity d' and criterion c of the listener who reports differences.

For tasks that ask whether two clips are the same or different, a hit is the answer 'different' to clips that
differ and a false alarm is the answer 'different' to clips that don't. With H and F the rates of both and z
the quantile of the standard normal distribution,

    d' = z(H) - z(F),    c = -(z(H) + z(F)) / 2

(Macmillan and Creelman, Detection Theory: A User's Guide, 2nd edition 2005, chapters 1 and 2). A positive c
is a leaning to 'same'. So that rates of 0 and 1 stay finite, 0.5 is added to each count and 1 to each number
of trials, always (the log-linear correction; Hautus, Behavior Research Methods, Instruments & Computers 27,
1995). Only files answered with a letter count, since no reply reports neither. This is the yes/no d' of the
report 'different'; the models of the same-different design (chapter 9 there) give larger values for the same
rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.bootstrap import Interval, percentile_interval, resampled_totals
from listenbench.scoring.outcomes import Integers, OutcomeTable, States

_COUNTS: Final = ("hits", "different_trials", "false_alarms", "same_trials")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """d' and c, with what they are computed from.

    Attributes
    ----------
    hits, different_trials, false_alarms, same_trials : int
        The counts.
    d_prime, criterion : float
        The figures.
    d_prime_interval, criterion_interval : Interval or None
        Their intervals over resampled items.
    """

    hits: int
    different_trials: int
    false_alarms: int
    same_trials: int
    d_prime: float
    criterion: float
    d_prime_interval: Interval | None
    criterion_interval: Interval | None


def sensitivity(
    table: OutcomeTable, conditions: tuple[int, ...], resamples: int, generator: np.random.Generator
) -> Sensitivity | None:
    """Return d' and c over the files of some conditions.

    Parameters
    ----------
    table : OutcomeTable
        The items of one task.
    conditions : tuple of int
        Columns of the conditions that count.
    resamples : int
        Number of resamples for the intervals.
    generator : numpy.random.Generator
        Where the draws come from.

    Returns
    -------
    Sensitivity or None
        None where no letter means 'different', or where one of the two kinds of trial has no answered file.
    """
    counted = detections(table.decoded(), conditions)
    totals = {name: int(values @ table.counts) for name, values in counted.items()}
    if not totals["different_trials"] or not totals["same_trials"]:
        return None
    exact = {name: np.array([float(value)]) for name, value in totals.items()}
    d_prime, criterion = d_prime_and_criterion(exact)
    strata = table.column("task")
    draws = resampled_totals(counted, table.counts, strata, resamples, generator, table.clusters)
    d_prime_draws, criterion_draws = d_prime_and_criterion(draws)
    return Sensitivity(
        **totals,
        d_prime=float(d_prime[0]),
        criterion=float(criterion[0]),
        d_prime_interval=percentile_interval(d_prime_draws),
        criterion_interval=percentile_interval(criterion_draws),
    )


def detections(states: States, conditions: tuple[int, ...]) -> dict[str, Integers]:
    """Return hits, false alarms and trials of each outcome, arrays of shape (K,)."""
    columns = list(conditions)
    counts = (states.valid & (states.different >= 0))[:, columns]
    differ = (states.truth == states.different)[:, columns]
    reported = (states.response == states.different)[:, columns]
    per_file = (counts & differ & reported, counts & differ, counts & ~differ & reported, counts & ~differ)
    return {name: values.sum(axis=1).astype(np.int64) for name, values in zip(_COUNTS, per_file, strict=True)}


def d_prime_and_criterion(counts: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Return d' and c of each resample; NaN where a kind of trial is absent."""
    hit_quantile = _quantile(counts["hits"], counts["different_trials"])
    false_alarm_quantile = _quantile(counts["false_alarms"], counts["same_trials"])
    return hit_quantile - false_alarm_quantile, -(hit_quantile + false_alarm_quantile) / 2


def _quantile(events: Floats, trials: Floats) -> Floats:
    rates, positions = np.unique((events + 0.5) / (trials + 1), return_inverse=True)
    normal = NormalDist()
    quantiles = np.array([normal.inv_cdf(float(rate)) for rate in rates])
    return np.where(trials > 0, quantiles[positions], np.nan)
