"""The plots of a report for its submissions, each with the figures that it shows in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from listenbench.scoring.figures_text import interval_text
from listenbench.scoring.published import HUMAN_ACC_FS
from listenbench.scoring.report import accuracies, plain, threshold_text, with_interval
from listenbench.scoring.rounding import percent
from listenbench.scoring.scorer import Figure, Group, none_right
from listenbench.web.charts import Estimate, Point, letter_track, pair_bar, plane, track
from listenbench.web.curve_chart import CurveFrame, curve_panel, curve_path, lowest_accuracy
from listenbench.web.submissions import Submission
from listenbench.web.svg import element

HUMAN_TEXT: Final = percent(HUMAN_ACC_FS)
"""The published Acc_FS of human listeners, in percent."""


@dataclass(frozen=True, slots=True)
class PlotRow:
    """One submission in a plot with a row for each: its drawing and its figures in words."""

    submission: Submission
    drawn: Markup
    text: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several plots beside one another."""

    title: str
    drawn: Markup
    text: str = ""


@dataclass(frozen=True, slots=True)
class CurveRow:
    """The psychometric curves of one submission, a panel a task."""

    submission: Submission
    panels: tuple[Panel, ...]


def headline_rows(submissions: Sequence[Submission], headline: str, title: str) -> list[PlotRow]:
    """Return one figure over all items, with its interval, guessing and the human line."""
    human = headline == "acc_fs"
    return [
        PlotRow(
            each,
            track(
                Estimate.of(figure),
                each.place,
                human=human,
                title=f"{each.name}: {title} {_told(figure)}" + (f"; human {HUMAN_TEXT}" if human else ""),
            ),
            with_interval(figure),
        )
        for each in submissions
        for figure in (each.whole.figures[headline],)
    ]


def _told(figure: Figure) -> str:
    """Return a figure with its interval and the range of guessing, for who can't see the plot."""
    if figure.value is None:
        return "none"
    chance = f"; guessing {interval_text(figure.chance, 100, 1)}" if figure.chance else ""
    return f"{percent(figure.value)} {interval_text(figure.interval, 100, 1)}{chance}"


def planes(name: str, submissions: Sequence[Submission], by: tuple[str, ...]) -> tuple[Panel, ...]:
    """Return misses against false flips, a plot for each group of a grouping."""
    return tuple(
        Panel(
            names[0],
            one_plane(
                f"{name}-{place}",
                names[0],
                [(each, each.groups(*by)[names]) for each in submissions],
            ),
        )
        for place, names in enumerate(submissions[0].groups(*by))
    )


def one_plane(name: str, label: str, groups: Sequence[tuple[Submission, Group]]) -> Markup:
    """Return misses against false flips of one group of items."""
    points, texts = [], []
    for each, group in groups:
        miss, false_flip = group.figures["miss_rate"], group.figures["false_flip_rate"]
        points.append(Point(each.place, Estimate.of(miss), Estimate.of(false_flip)))
        texts.append(f"{each.number} {each.name}: MR {plain(miss)}, FFR {plain(false_flip)}")
    description = "; ".join(texts) + ". In percent; the table below has the same figures."
    title, guessing = f"Misses against false flips, {label}", guessed_accuracy(groups[0][1])
    return plane(name, title, description, points, guessing=guessing)


def guessed_accuracy(group: Group) -> float | None:
    """Return the Acc_FS that guessing is expected to give, in percent; None where there is none."""
    guessed = group.guessed.get("acc_fs")
    return None if guessed is None else float(100 * guessed.expected)


def curve_rows(submissions: Sequence[Submission]) -> tuple[Markup, tuple[CurveRow, ...]]:
    """Return the psychometric curves: their paths, which a page has once, and the panels that show them."""
    analyses = [each.score.analysis for each in submissions]
    tasks = list(dict.fromkeys(task for analysis in analyses for task in analysis.curves))
    floor = lowest_accuracy(curve for analysis in analyses for curve in analysis.curves.values())
    paths: list[Markup] = []
    panels: list[list[Panel]] = [[] for _ in submissions]
    for column, task in enumerate(tasks):
        curves = {each.place: each.score.analysis.curves.get(task) for each in submissions}
        frame = CurveFrame.around([curve for curve in curves.values() if curve], floor)
        names = [f"curve-{column}-{place}" if curve else "" for place, curve in curves.items()]
        paths += [curve_path(names[place], curve, frame) for place, curve in curves.items() if curve]
        for each in submissions:
            if names[each.place]:
                panels[each.place].append(_panel(each, task, frame, names))
    drawn = element("svg", element("defs", *paths), width=0, height=0, class_="defs", aria_hidden="true")
    rows = (CurveRow(each, tuple(panels[each.place])) for each in submissions)
    return drawn, tuple(row for row in rows if row.panels)


def _panel(submission: Submission, task: str, frame: CurveFrame, paths: Sequence[str]) -> Panel:
    curve = submission.score.analysis.curves[task]
    threshold = f"{threshold_text(curve)} {curve.unit}".rstrip()
    drawn = curve_panel(
        f"{paths[submission.place]}-panel",
        f"Right answers by size of the change, {task}, {submission.name}",
        f"In percent by size in {curve.unit}: {accuracies(curve)}. Threshold {threshold}. "
        "The curves of the other models are behind it.",
        curve,
        frame,
        submission.place,
        paths,
    )
    return Panel(task, drawn, threshold)


def letter_row(submission: Submission) -> PlotRow:
    """Return the accuracy by right letter."""
    figures = submission.whole.figures
    given = [figures[f"accuracy_given_{letter}"] for letter in "ab"]
    share_of_a = figures["share_of_a"]
    text = "no answer is a letter" if share_of_a.value is None else f"says A in {plain(share_of_a)} %"
    told = f"right where A is: {plain(given[0])} %, where B is: {plain(given[1])} %"
    right_a, right_b = (Estimate.of(figure).value for figure in given)
    return PlotRow(
        submission, letter_track(right_a, right_b, submission.place, f"{submission.name}: {told}"), text
    )


def pair_row(submission: Submission) -> PlotRow:
    """Return how often both, one or none of the files of a pair are right."""
    whole = submission.whole
    figures = (whole.figures["pairs_both_right"], whole.figures["pairs_one_right"], none_right(whole))
    both, one, none = (Estimate.of(figure).value or 0.0 for figure in figures)
    text = " / ".join(map(plain, figures))
    told = "both right {}, one right {}, none right {} %".format(*map(plain, figures))
    return PlotRow(
        submission, pair_bar(both, one, none, submission.place, f"{submission.name}: {told}"), text
    )
