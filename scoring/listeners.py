"""The listeners one by one, and how far figures depend on who listened.

Intervals over items say what other items would give with the same people; intervals over listeners say what
other people would give. The latter draw whole listeners, with all of their answers (the cluster bootstrap;
Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.8), and are too narrow for a
handful of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from listenbench.randomness import stream
from listenbench.scoring.bootstrap import Interval, percentile_interval, resampled_totals
from listenbench.scoring.json_values import figure_value, interval_value
from listenbench.scoring.key import AnswerKey
from listenbench.scoring.metrics import METRICS, Metric, features, totals
from listenbench.scoring.outcomes import OutcomeTable, tabulate
from listenbench.scoring.predictions import Predictions
from listenbench.scoring.scorer import Figure
from listenbench.scoring.trials import key_of_trials

SHOWN: Final = ("clean_accuracy", "acc_fs", "miss_rate", "false_flip_rate")
"""The figures that are given for each listener."""

_METRICS: Final = tuple(metric for name in SHOWN for metric in METRICS if metric.name == name)
_FEATURES: Final = tuple(
    dict.fromkeys(name for metric in _METRICS for _, top, bottom in metric.terms for name in (top, bottom))
)


@dataclass(frozen=True, slots=True)
class Listener:
    """One listener.

    Attributes
    ----------
    name : str
        As the lines name them.
    answers : int
        Number of their trials.
    figures : dict of str to Figure
        The figures of `SHOWN`.
    """

    name: str
    answers: int
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Panel:
    """All listeners.

    Attributes
    ----------
    listeners : tuple of Listener
        By name.
    files : int
        Number of distinct files that they were asked about.
    intervals : dict of str to Interval or None
        For each figure of `SHOWN`, its interval over listeners; None for one listener alone.
    """

    listeners: tuple[Listener, ...]
    files: int
    intervals: dict[str, Interval | None]

    @property
    def answers(self) -> int:
        """Number of trials."""
        return sum(listener.answers for listener in self.listeners)


def make_panel(key: AnswerKey, predictions: Predictions, resamples: int, seed: int) -> Panel | None:
    """Describe the listeners of predictions; None where lines name none."""
    trials = predictions.trials
    if trials is None:
        return None
    asked = key_of_trials(key, trials, together="listener")
    table = tabulate(asked, predictions.responses)
    answers = np.bincount(trials.listeners, minlength=len(trials.names))
    listeners = tuple(
        Listener(name, int(answers[code]), _figures(table.where(np.asarray(table.clusters) == code)))
        for code, name in enumerate(trials.names)
    )
    return Panel(listeners, trials.files, _intervals(table, len(listeners), resamples, seed))


def _figures(table: OutcomeTable) -> dict[str, Figure]:
    exact = totals(features(table.decoded()), table.counts)
    return {metric.name: Figure(metric.exact(exact), _n(metric, exact)) for metric in _METRICS}


def _n(metric: Metric, exact: dict[str, int]) -> int:
    return min(exact[bottom] for _, _, bottom in metric.terms)


def _intervals(table: OutcomeTable, listeners: int, resamples: int, seed: int) -> dict[str, Interval | None]:
    if listeners < 2:
        return dict.fromkeys(SHOWN)
    counted = features(table.decoded())
    chosen = {name: counted[name] for name in _FEATURES}
    apart = np.zeros(len(table.counts), np.int64)
    generator = stream(seed, "bootstrap", "listeners")
    draws = resampled_totals(chosen, table.counts, apart, resamples, generator, table.clusters)
    return {metric.name: percentile_interval(metric.of_draws(draws)) for metric in _METRICS}


def panel_value(panel: Panel) -> dict[str, Any]:
    """Return the listeners as plain data for JSON, figures in percent."""
    return {
        "count": len(panel.listeners),
        "answers": panel.answers,
        "files_asked": panel.files,
        "intervals": {name: interval_value(interval, 100) for name, interval in panel.intervals.items()},
        "each": [
            {
                "listener": listener.name,
                "answers": listener.answers,
                "figures": {name: figure_value(figure) for name, figure in listener.figures.items()},
            }
            for listener in panel.listeners
        ],
    }
