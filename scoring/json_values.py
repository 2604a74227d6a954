"""The JSON form of figures, groups, sensitivities and curves."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from listenbench.scoring.bootstrap import Interval
from listenbench.scoring.psychometric import Curve
from listenbench.scoring.rounding import percent
from listenbench.scoring.scorer import Figure, Group
from listenbench.scoring.sensitivity import Sensitivity


def group_value(group: Group) -> dict[str, Any]:
    """Return a group: the fields that define it, counts, and figures in percent."""
    return {
        "by": list(group.by),
        **dict(zip(group.by, group.names, strict=True)),
        "items": group.items,
        "counts": group.totals,
        "figures": {name: figure_value(figure) for name, figure in group.figures.items()},
    }


def figure_value(figure: Figure) -> dict[str, Any]:
    """Return a figure in percent: nearest float, rounded text, n, interval, chance range."""
    value = figure.value
    return {
        "value": None if value is None else float(100 * value),
        "rounded": None if value is None else percent(value),
        "n": figure.n,
        "interval": interval_value(figure.interval, 100),
        "chance": interval_value(figure.chance, 100),
        "is_chance": figure.is_chance,
    }


def interval_value(interval: Interval | None, factor: float = 1) -> dict[str, Any] | None:
    """Return an interval with its ends multiplied by a factor."""
    if interval is None:
        return None
    return {"low": interval.low * factor, "high": interval.high * factor, "method": interval.method}


def sensitivity_value(value: Sensitivity) -> dict[str, Any]:
    """Return d' and c with their counts."""
    return {
        **asdict(value),
        "d_prime_interval": interval_value(value.d_prime_interval),
        "criterion_interval": interval_value(value.criterion_interval),
    }


def curve_value(curve: Curve) -> dict[str, Any]:
    """Return a psychometric curve."""
    return {
        "unit": curve.unit,
        "rungs": [
            {
                "rung": rung,
                "right": right,
                "files": files,
                "accuracy": 100 * right / files,
                "interval": interval_value(interval, 100),
            }
            for rung, right, files, interval in zip(
                curve.rungs, curve.right, curve.files, curve.intervals, strict=True
            )
        ],
        "threshold": asdict(curve.threshold),
        "interval": {"low": asdict(curve.low), "high": asdict(curve.high)},
        "slope": curve.slope,
        "lapse": curve.lapse,
        "deviance": curve.deviance,
    }
