"""Plots of a report have every figure where its axis says."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.scoring.bootstrap import Interval
from listenbench.scoring.psychometric import Bound, Curve
from listenbench.web.charts import Estimate, Point, letter_track, pair_bar, plane, ranges, track
from listenbench.web.curve_chart import CurveFrame, curve_panel, curve_path, lowest_accuracy
from listenbench.web.svg import element, number

PERCENT = st.floats(0, 100)


def parsed(markup: object) -> ElementTree.Element:
    return ElementTree.fromstring(str(markup))


def by_class(drawing: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in drawing.iter() if name in str(each.get("class")).split()]


def coordinate(node: ElementTree.Element, name: str) -> float:
    return float(str(node.get(name)).rstrip("%"))


@given(PERCENT, st.tuples(PERCENT, PERCENT).map(sorted), st.tuples(PERCENT, PERCENT).map(sorted))
def test_a_track_has_figure_interval_and_chance(
    value: float, interval: list[float], chance: list[float]
) -> None:
    estimate = Estimate(value, (interval[0], interval[1]), (chance[0], chance[1]))
    drawing = parsed(track(estimate, 0, human=True))
    (dot,) = by_class(drawing, "dot")
    (bar,) = by_class(drawing, "interval")
    (band,) = by_class(drawing, "chance")
    (human,) = by_class(drawing, "human")
    assert coordinate(dot, "cx") == pytest.approx(value, abs=0.006)
    assert [coordinate(bar, "x1"), coordinate(bar, "x2")] == pytest.approx(interval, abs=0.006)
    ends = [coordinate(band, "x"), coordinate(band, "x") + coordinate(band, "width")]
    assert ends == pytest.approx(chance, abs=0.011)
    assert coordinate(human, "x1") == 87


def test_a_figure_that_is_none_is_not_drawn() -> None:
    assert not by_class(parsed(track(Estimate(None), 0)), "dot")
    assert not by_class(parsed(letter_track(None, None, 0, "none")), "dot")


@given(PERCENT, PERCENT)
def test_letters_stand_at_their_accuracy(given_a: float, given_b: float) -> None:
    drawing = parsed(letter_track(given_a, given_b, 3, "told"))
    marks = {each.text: coordinate(each, "x") for each in by_class(drawing, "mark")}
    assert marks == {"A": pytest.approx(given_a, abs=0.006), "B": pytest.approx(given_b, abs=0.006)}


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any))
def test_a_bar_is_as_long_as_its_shares(counts: list[int]) -> None:
    shares = [100 * count / sum(counts) for count in counts]
    drawing = parsed(pair_bar(shares[0], shares[1], shares[2], 0, "told"))
    for kind, expected in zip(("both", "one", "none"), shares, strict=True):
        assert sum(coordinate(each, "width") for each in by_class(drawing, kind)) == pytest.approx(
            expected, abs=0.006
        )


@given(st.lists(st.tuples(PERCENT, PERCENT), min_size=1, max_size=14))
def test_labels_of_a_plane_name_every_point_and_never_cover_one_another(
    values: list[tuple[float, float]],
) -> None:
    points = [Point(place, Estimate(miss), Estimate(flip)) for place, (miss, flip) in enumerate(values)]
    drawing = parsed(plane("p", "title", "description", points))
    boxes = [each for each in by_class(drawing, "dot") if each.tag == "rect"]
    numbers = [spelt_out(str(each.text)) for each in by_class(drawing, "mark")]
    assert sorted(value for run in numbers for value in run) == [*range(1, len(values) + 1)]
    for place, box in enumerate(boxes):
        assert 0 <= coordinate(box, "x") <= 280 - coordinate(box, "width")
        for other in boxes[:place]:
            apart_x = abs(middle(box, "x", "width") - middle(other, "x", "width"))
            apart_y = abs(middle(box, "y", "height") - middle(other, "y", "height"))
            widths = (coordinate(box, "width") + coordinate(other, "width")) / 2
            assert apart_x > widths - 0.05 or apart_y > 16.95


def middle(box: ElementTree.Element, start: str, length: str) -> float:
    return coordinate(box, start) + coordinate(box, length) / 2


def spelt_out(text: str) -> list[int]:
    runs = [[int(end) for end in run.split("-")] for run in text.split(",")]
    return [value for run in runs for value in range(run[0], run[-1] + 1)]


@given(st.sets(st.integers(1, 30), min_size=1).map(sorted))
def test_ranges_are_short_for_their_numbers(values: list[int]) -> None:
    assert spelt_out(ranges(values)) == values


def test_a_single_point_lies_where_the_ticks_say() -> None:
    drawing = parsed(plane("p", "title", "description", [Point(0, Estimate(25.0), Estimate(75.0))]))
    (box,) = [each for each in by_class(drawing, "dot") if each.tag == "rect"]
    ticks = {(str(each.text), each.get("text-anchor")): each for each in by_class(drawing, "tick")}
    assert middle(box, "x", "width") == pytest.approx(coordinate(ticks["25", "middle"], "x"), abs=0.02)
    assert middle(box, "y", "height") == pytest.approx(coordinate(ticks["75", "end"], "y") - 4, abs=0.02)


def curve(threshold: float, slope: float, unit: str = "cents") -> Curve:
    sizes = (100.0, 200.0, 400.0, 700.0) if unit == "cents" else (1.1, 1.2, 1.35, 1.5)
    magnitude = math.log(threshold) if unit == "ratio" else threshold
    bound = Bound(threshold, "within")
    return Curve(
        unit=unit,
        rungs=tuple(f"{size:g}" for size in sizes),
        sizes=sizes,
        right=(12, 14, 18, 20),
        files=(20, 20, 20, 20),
        intervals=(Interval(0.35, 0.75), Interval(0.5, 0.9), Interval(0.8, 1.0), Interval(0.84, 1.0)),
        location=math.log(magnitude),
        threshold=bound,
        low=Bound(sizes[1], "within"),
        high=Bound(None, "above"),
        slope=slope,
        lapse=0.02,
        deviance=0.0,
    )


@pytest.mark.parametrize(
    ("threshold", "unit"), [(150.0, "cents"), (480.0, "cents"), (1.15, "ratio"), (1.4, "ratio")]
)
def test_a_curve_passes_the_threshold_at_75_percent(threshold: float, unit: str) -> None:
    fitted = curve(threshold, 1.7, unit)
    assert float(fitted.shares([threshold])[0]) == pytest.approx(0.75, abs=1e-9)
    frame = CurveFrame.around([fitted], lowest_accuracy([fitted]))
    path = str(parsed(curve_path("c", fitted, frame)).get("d"))
    points = np.array([[float(value) for value in point.split()] for point in path[1:].split("L")])
    assert (np.diff(points[:, 0]) > 0).all()
    height = np.interp(frame.x(threshold), points[:, 0], points[:, 1])
    assert height == pytest.approx(frame.y(75.0), abs=0.5)


def test_a_panel_has_points_intervals_and_threshold() -> None:
    fitted = curve(300.0, 1.5)
    frame = CurveFrame.around([fitted], lowest_accuracy([fitted]))
    assert frame.floor == 20
    drawing = parsed(curve_panel("c-panel", "t", "d", fitted, frame, 0, ["c", "other", ""]))
    dots = by_class(drawing, "dot")
    assert [coordinate(dot, "cx") for dot in dots] == pytest.approx(
        [frame.x(s) for s in fitted.sizes], abs=0.01
    )
    expected = [frame.y(100 * right / 20) for right in fitted.right]
    assert [coordinate(dot, "cy") for dot in dots] == pytest.approx(expected, abs=0.01)
    (drop,) = by_class(drawing, "drop")
    assert path_numbers(drop)[0] == pytest.approx(frame.x(300.0), abs=0.01)
    (bar,) = by_class(drawing, "threshold")
    low, _, high = path_numbers(bar)
    assert low == pytest.approx(frame.x(200.0), abs=0.01)
    assert high > frame.x(700.0)
    assert [each.get("href") for each in drawing.iter() if each.tag == "use"] == ["#other", "#c"]


def path_numbers(node: ElementTree.Element) -> list[float]:
    return [float(value) for value in re.findall(r"-?[\d.]+", str(node.get("d")))]


@given(st.text(), st.floats(-1e6, 1e6))
def test_elements_hold_any_text_and_numbers_have_one_zero(text: str, value: float) -> None:
    markup = str(element("text", text, class_=text, x=value))
    assert markup.count("<") == 2
    assert float(number(value)) == pytest.approx(value, abs=0.0051)
    assert number(value) != "-0"
