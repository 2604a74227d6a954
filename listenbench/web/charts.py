"""The plots of a report: pure functions from figures to inline SVG.

Horizontal positions of rows are percentages, so a row is as wide as its place while its text keeps its size.
Colours come from the style sheet by the classes `s1` to `s6`; what they tell is told by numbers, letters and
hatching as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from markupsafe import Markup

from listenbench.scoring.published import HUMAN_ACC_FS
from listenbench.scoring.scorer import Figure
from listenbench.web.svg import drawing, element, number, share, strip

SERIES: Final = 6
"""Number of colours; the seventh submission has the first one again, and a number of its own."""

HUMAN: Final = float(100 * HUMAN_ACC_FS)

_TICKS: Final = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure in percent with its interval and the range of guessing, as far as there are any."""

    value: float | None
    interval: tuple[float, float] | None = None
    chance: tuple[float, float] | None = None

    @classmethod
    def of(cls, figure: Figure) -> Estimate:
        """Return a figure of the scorer, for drawing."""
        interval, chance = figure.interval, figure.chance
        return cls(
            None if figure.value is None else float(100 * figure.value),
            None if interval is None else (100 * interval.low, 100 * interval.high),
            None if chance is None else (100 * chance.low, 100 * chance.high),
        )


def series(place: int) -> str:
    """Return the class that colours a submission, by its place from 0."""
    return f"s{1 + place % SERIES}"


def track(estimate: Estimate, place: int, *, human: bool = False, title: str = "") -> Markup:
    """Return one figure on a line from 0 to 100: its interval, the range of guessing, the human figure."""
    middle = 10.0
    parts = [_rule(middle)]
    if estimate.chance is not None:
        low, high = estimate.chance
        parts.insert(0, _block(low, high, 2, 16, "chance"))
    if human:
        parts.append(element("line", class_="human", x1=share(HUMAN), x2=share(HUMAN), y1=1, y2=19))
    if estimate.interval is not None:
        low, high = estimate.interval
        parts.append(element("line", class_="interval", x1=share(low), x2=share(high), y1=middle, y2=middle))
    if estimate.value is not None:
        parts.append(element("circle", class_="dot", cx=share(estimate.value), cy=middle, r=5))
    return strip(20, *parts, class_=f"track {series(place)}", title=title)


def axis(*, human: bool = False, guessing: float | None = None) -> Markup:
    """Return the scale from 0 to 100 below tracks, in percent, with the human figure and that of guessing."""
    ticks = [
        element("text", str(tick), x=share(tick), y=12, text_anchor="middle", class_="tick")
        for tick in _TICKS
    ]
    if human:
        ticks.append(element("text", f"human {HUMAN:.1f}", x=share(HUMAN), y=28, text_anchor="middle"))
    if guessing is not None:
        ticks.append(element("text", "guessing", x=share(guessing), y=28, text_anchor="middle"))
    return strip(16 if guessing is None and not human else 32, *ticks, class_="axis")


def letter_track(given_a: float | None, given_b: float | None, place: int, title: str) -> Markup:
    """Return the accuracy where A is right, above a line, and where B is right, below it."""
    parts = [_rule(17.0)]
    if given_a is not None and given_b is not None:
        parts.append(element("line", class_="interval", x1=share(given_a), x2=share(given_b), y1=9, y2=25))
    for letter, value, height in (("A", given_a, 9), ("B", given_b, 25)):
        if value is not None:
            parts.append(element("circle", class_="dot", cx=share(value), cy=height, r=8))
            parts.append(element("text", letter, class_="mark", x=share(value), y=height + 4))
    return strip(34, *parts, class_=f"track {series(place)}", title=title)


def pair_bar(both: float, one: float, none: float, place: int, title: str) -> Markup:
    """Return a bar of three shares in percent: filled, hatched, empty."""
    parts, start = [], 0.0
    for kind, value in (("both", both), ("one", one), ("none", none)):
        if value > 0:
            parts.append(_block(start, start + value, 1, 20, kind))
        start += value
    return strip(22, *parts, class_=f"track {series(place)}", title=title)


def hatching() -> Markup:
    """Return the pattern that `pair_bar` refers to; a page has it once."""
    line = element("path", d="M0 6L6 0", class_="hatch")
    pattern = element("pattern", line, id="hatch", width=6, height=6, patternUnits="userSpaceOnUse")
    return element(
        "svg",
        element("defs", pattern),
        width=0,
        height=0,
        aria_hidden="true",
        focusable="false",
        class_="defs",
    )


@dataclass(frozen=True, slots=True)
class Point:
    """Misses and false flips of one submission, in percent."""

    place: int
    miss_rate: Estimate
    false_flip_rate: Estimate


_PLANE: Final = 280.0
_LEFT, _TOP, _SIDE = 40.0, 10.0, 226.0
_LABEL_HEIGHT: Final = 17.0
_DIGIT_WIDTH: Final = 5.6


def plane(
    name: str, title: str, description: str, points: Iterable[Point], *, guessing: float | None = None
) -> Markup:
    """Return misses against false flips, with the lines on which Acc_FS is that of guessing and of humans.

    Submissions that lie close together share one label with all their numbers. `guessing` is the Acc_FS that
    guessing is expected to give, in percent; None where there is none.
    """
    shown = [point for point in points if None not in (point.miss_rate.value, point.false_flip_rate.value)]
    parts = [*_plane_frame(), *_levels(guessing), *(_cross(point) for point in shown)]
    parts += [label.drawn() for label in _labels(shown)]
    return drawing(name, title, description, *parts, size=(_PLANE, _PLANE), class_="plane")


def _x(value: float) -> float:
    return _LEFT + _SIDE * value / 100


def _y(value: float) -> float:
    return _TOP + _SIDE * (1 - value / 100)


def _plane_frame() -> list[Markup]:
    parts = [element("rect", class_="frame", x=_LEFT, y=_TOP, width=_SIDE, height=_SIDE)]
    for tick in _TICKS:
        parts.append(
            element("text", str(tick), class_="tick", x=_x(tick), y=_y(0) + 20, text_anchor="middle")
        )
        if tick:
            parts.append(
                element("text", str(tick), class_="tick", x=_LEFT - 7, y=_y(tick) + 4, text_anchor="end")
            )
        if 0 < tick < 100:
            parts.append(element("path", class_="grid", d=_line((tick, 0), (tick, 100))))
            parts.append(element("path", class_="grid", d=_line((0, tick), (100, tick))))
    parts += [
        element("text", "misses (MR), %", x=_x(50), y=_PLANE - 7, text_anchor="middle"),
        element(
            "text",
            "false flips (FFR), %",
            text_anchor="middle",
            transform=f"translate(13 {number(_y(50))}) rotate(-90)",
        ),
    ]
    return parts


def _levels(guessing: float | None) -> list[Markup]:
    """Return the lines on which Acc_FS is that of guessing and of humans, with their names."""
    places = {"human": (HUMAN, 2 * (100 - HUMAN) + 2, 2.0)}
    if guessing is not None:
        places = {"guessing": (guessing, 79, 2 * (100 - guessing) - 74.5)} | places
    lines = [element("path", class_=name, d=_level(accuracy)) for name, (accuracy, _, _) in places.items()]
    return lines + [
        element("text", name, class_="note", x=_x(x), y=_y(y), text_anchor="start")
        for name, (_, x, y) in places.items()
    ]


def _level(accuracy: float) -> str:
    """Return the line on which Acc_FS is `accuracy`: MR and FFR add up to 200 - 2 * accuracy."""
    errors = 2 * (100 - accuracy)
    start, end = max(0.0, errors - 100), min(100.0, errors)
    return _line((start, end), (end, start))


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f"M{number(_x(start[0]))} {number(_y(start[1]))}L{number(_x(end[0]))} {number(_y(end[1]))}"


def _cross(point: Point) -> Markup:
    """Return both intervals of a point."""
    miss, false_flip = point.miss_rate, point.false_flip_rate
    lines = []
    if miss.interval is not None and false_flip.value is not None:
        low, high = miss.interval
        lines.append(_line((low, false_flip.value), (high, false_flip.value)))
    if false_flip.interval is not None and miss.value is not None:
        low, high = false_flip.interval
        lines.append(_line((miss.value, low), (miss.value, high)))
    return element("path", class_=f"cross {series(point.place)}", d="".join(lines) or "M0 0")


@dataclass(frozen=True, slots=True)
class _Label:
    """The numbers of points that lie close together, around the middle of these points."""

    points: tuple[tuple[float, float, int], ...]

    @property
    def text(self) -> str:
        return ranges([place + 1 for _, _, place in self.points])

    @property
    def width(self) -> float:
        return _LABEL_HEIGHT + _DIGIT_WIDTH * (len(self.text) - 1)

    @property
    def middle(self) -> tuple[float, float]:
        x = sum(x for x, _, _ in self.points) / len(self.points)
        y = sum(y for _, y, _ in self.points) / len(self.points)
        half = self.width / 2
        return min(max(x, half + 1), _PLANE - half - 1), y

    def touches(self, other: _Label) -> bool:
        (x, y), (other_x, other_y) = self.middle, other.middle
        return abs(x - other_x) < (self.width + other.width) / 2 and abs(y - other_y) < _LABEL_HEIGHT

    def drawn(self) -> Markup:
        (x, y), places = self.middle, [place for _, _, place in self.points]
        colour = series(places[0]) if len(places) == 1 else "several"
        box = {"x": x - self.width / 2, "y": y - _LABEL_HEIGHT / 2, "rx": _LABEL_HEIGHT / 2}
        return element(
            "g",
            element("rect", class_=f"dot {colour}", width=self.width, height=_LABEL_HEIGHT, **box),
            element("text", self.text, class_="mark", x=x, y=y + 4),
        )


def _labels(points: Sequence[Point]) -> list[_Label]:
    """Return one label a point, and one for all those whose labels would cover one another."""
    labels = [
        _Label(((_x(point.miss_rate.value or 0), _y(point.false_flip_rate.value or 0), point.place),))
        for point in points
    ]
    while touching := next(((a, b) for a, b in combinations(labels, 2) if a.touches(b)), None):
        first, second = touching
        joined = _Label(tuple(sorted(first.points + second.points, key=lambda point: point[2])))
        labels = [joined if label is first else label for label in labels if label is not second]
    return labels


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers in short: 1, 3, 4, 5 and 8 as "1,3-5,8"."""
    runs: list[list[int]] = []
    for value in numbers:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)


def _rule(height: float) -> Markup:
    return element("line", class_="rule", x1="0%", x2="100%", y1=height, y2=height)


def _block(low: float, high: float, top: int, height: int, kind: str) -> Markup:
    return element("rect", class_=kind, x=share(low), width=share(high - low), y=top, height=height)
