"""Psychometric curves as inline SVG: a panel a submission and task, with the other submissions behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from listenbench.scoring.psychometric import HEARD, Bound, Curve
from listenbench.web.charts import series
from listenbench.web.svg import drawing, element, number

_WIDTH: Final = 264.0
_HEIGHT: Final = 176.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 32.0, 256.0, 8.0, 142.0
_CEILING: Final = 100.0
_HIGHEST_FLOOR: Final = 40
_STEP: Final = 10
_WIDE_STEP: Final = 20
_SIDE_MARGIN: Final = 0.12
_POINTS: Final = 33


@dataclass(frozen=True, slots=True)
class CurveFrame:
    """The axes that all panels of a task share.

    Attributes
    ----------
    unit : str
        Unit of the sizes.
    rungs : tuple of (str, float)
        Names and sizes of the rungs.
    floor : float
        Lowest accuracy on the vertical axis, in percent.
    """

    unit: str
    rungs: tuple[tuple[str, float], ...]
    floor: float

    @classmethod
    def around(cls, curves: Sequence[Curve], floor: float) -> CurveFrame:
        """Return the axes for some curves of one task."""
        rungs = {name: size for curve in curves for name, size in zip(curve.rungs, curve.sizes, strict=True)}
        ordered = sorted(rungs.items(), key=lambda rung: rung[1])
        return cls(curves[0].unit, tuple(ordered), floor)

    def x(self, size: float) -> float:
        """Return where a size lies; equal ratios of magnitudes are equally far apart."""
        low, high = (self._log(self.rungs[place][1]) for place in (0, -1))
        part = (self._log(size) - low) / (high - low)
        inner = 1 - 2 * _SIDE_MARGIN
        return _LEFT + (_RIGHT - _LEFT) * (_SIDE_MARGIN + inner * part)

    def y(self, percent: float) -> float:
        """Return where an accuracy lies."""
        return _BOTTOM - (_BOTTOM - _TOP) * (percent - self.floor) / (_CEILING - self.floor)

    def sizes(self) -> list[float]:
        """Return sizes across the panel, for drawing a curve."""
        low, high = (self._log(self.rungs[place][1]) for place in (0, -1))
        margin = _SIDE_MARGIN / (1 - 2 * _SIDE_MARGIN) * (high - low)
        steps = ((high - low + 2 * margin) * step / (_POINTS - 1) for step in range(_POINTS))
        return [self._size(low - margin + step) for step in steps]

    def _log(self, size: float) -> float:
        return math.log(math.log(size) if self.unit == "ratio" else size)

    def _size(self, log: float) -> float:
        return math.exp(math.exp(log)) if self.unit == "ratio" else math.exp(log)


def lowest_accuracy(curves: Iterable[Curve]) -> float:
    """Return where an axis has to start, in percent, so that it holds all intervals."""
    lowest = min((interval.low for curve in curves for interval in curve.intervals), default=1.0)
    return float(min(_HIGHEST_FLOOR, _WIDE_STEP * math.floor(100 * lowest / _WIDE_STEP)))


def curve_path(name: str, curve: Curve, frame: CurveFrame) -> Markup:
    """Return a fitted curve, to be drawn by reference."""
    sizes = frame.sizes()
    points = zip(sizes, curve.shares(sizes), strict=True)
    steps = (f"{number(frame.x(size))} {number(frame.y(100 * float(share)))}" for size, share in points)
    return element("path", id=name, d=f"M{'L'.join(steps)}")


def curve_panel(
    name: str, title: str, description: str, curve: Curve, frame: CurveFrame, place: int, paths: Sequence[str]
) -> Markup:
    """Return one panel.

    Parameters
    ----------
    name : str
        Identifies the panel within the page.
    title, description : str
        What it shows.
    curve : Curve
        The submission's.
    frame : CurveFrame
        The axes.
    place : int
        The submission's place, from 0.
    paths : sequence of str
        Names of the `curve_path` of all submissions; the one at `place` is this submission's, "" is none.
    """
    others = [path for other, path in enumerate(paths) if path and other != place]
    parts = [
        *_frame(frame),
        *(element("use", href=f"#{path}", class_="ghost") for path in others),
        element("use", href=f"#{paths[place]}", class_=f"curve {series(place)}"),
        *_threshold(curve, frame, place),
        *_points(curve, frame, place),
    ]
    return drawing(name, title, description, *parts, size=(_WIDTH, _HEIGHT), class_="curves")


def _frame(frame: CurveFrame) -> list[Markup]:
    parts = []
    step = _STEP if frame.floor == _HIGHEST_FLOOR else _WIDE_STEP
    for percent in range(int(frame.floor), 101, step):
        height = frame.y(percent)
        parts.append(element("path", class_="grid", d=f"M{number(_LEFT)} {number(height)}H{number(_RIGHT)}"))
        parts.append(
            element("text", str(percent), class_="tick", x=_LEFT - 5, y=height + 4, text_anchor="end")
        )
    parts.append(_level(frame, 50, "guessing"))
    parts.append(_level(frame, 100 * HEARD, "human"))
    for name, size in frame.rungs:
        parts.append(
            element("text", name, class_="tick", x=frame.x(size), y=_BOTTOM + 14, text_anchor="middle")
        )
    middle = (_LEFT + _RIGHT) / 2
    parts.append(element("text", frame.unit, x=middle, y=_HEIGHT - 4, text_anchor="middle"))
    return parts


def _level(frame: CurveFrame, percent: float, kind: str) -> Markup:
    return element("path", class_=kind, d=f"M{number(_LEFT)} {number(frame.y(percent))}H{number(_RIGHT)}")


def _points(curve: Curve, frame: CurveFrame, place: int) -> list[Markup]:
    parts = []
    for size, right, files, interval in zip(
        curve.sizes, curve.right, curve.files, curve.intervals, strict=True
    ):
        x = frame.x(size)
        ends = f"M{number(x)} {number(frame.y(100 * interval.low))}V{number(frame.y(100 * interval.high))}"
        parts.append(element("path", class_=f"cross {series(place)}", d=ends))
        parts.append(
            element("circle", class_=f"dot {series(place)}", cx=x, cy=frame.y(100 * right / files), r=4)
        )
    return parts


def _threshold(curve: Curve, frame: CurveFrame, place: int) -> list[Markup]:
    """Return the interval of the threshold on the line of 75 %, and a drop from the threshold to the axis."""
    height = frame.y(100 * HEARD)
    low, high = (_edge(bound, frame) for bound in (curve.low, curve.high))
    parts = []
    if high > low:
        bar = f"M{number(low)} {number(height)}H{number(high)}"
        parts.append(element("path", class_=f"threshold {series(place)}", d=bar))
    if curve.threshold.value is not None:
        x = number(frame.x(curve.threshold.value))
        drop = f"M{x} {number(height)}V{number(_BOTTOM)}"
        parts.append(element("path", class_=f"drop {series(place)}", d=drop))
    return parts


def _edge(bound: Bound, frame: CurveFrame) -> float:
    if bound.value is not None:
        return frame.x(bound.value)
    return _LEFT if bound.side == "below" else _RIGHT
