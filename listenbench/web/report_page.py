"""From scores to the page of a report: which plots and tables it has, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from listenbench._version import __version__
from listenbench.scoring.compared import Comparison
from listenbench.scoring.figures_text import interval_text
from listenbench.scoring.published import HUMAN_ACC_FS, beside_humans
from listenbench.scoring.report import plain, tables, threshold_text, with_interval
from listenbench.scoring.rounding import percent
from listenbench.scoring.scorer import Figure, Group, none_right
from listenbench.web import report_tables
from listenbench.web.charts import (
    Estimate,
    Point,
    axis,
    hatching,
    letter_track,
    pair_bar,
    plane,
    series,
    track,
)
from listenbench.web.curve_chart import CurveFrame, curve_panel, curve_path, lowest_accuracy
from listenbench.web.pages import page
from listenbench.web.report_items import WorstItem
from listenbench.web.report_tables import Grid, grid_of
from listenbench.web.submissions import Submission
from listenbench.web.svg import element

_CHANGES: Final = ("stay_factor",)
_HUMAN: Final = percent(HUMAN_ACC_FS)
_HEADLINES: Final = {"acc_fs": "Acc_FS", "clean_accuracy": "Clean accuracy"}
"""The figures that a page can lead with, with their names in titles."""


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


def report_page(
    submissions: Sequence[Submission],
    comparisons: Sequence[Comparison],
    items: Sequence[WorstItem],
    commands: Sequence[str],
) -> str:
    """Return the page.

    Parameters
    ----------
    submissions : sequence of Submission
        What it is about, at least one.
    comparisons : sequence of Comparison
        Of each further submission with the first.
    items : sequence of WorstItem
        The worst items, with recordings.
    commands : sequence of str
        What gives the page and its figures again.
    """
    headline = _headline(submissions)
    recordings = [recording for item in items for recording in item.recordings]
    values: dict[str, Any] = {
        "key": submissions[0].score.key,
        "score": submissions[0].score,
        "submissions": submissions,
        "series": series,
        "headline": _HEADLINES[headline],
        "verdicts": [_verdict(each, headline) for each in submissions],
        "headline_rows": _headline_rows(submissions, headline),
        "headline_axis": axis(human=headline == "acc_fs"),
        "headline_table": report_tables.headline(submissions),
        "axis": axis(),
        "hatching": hatching(),
        "human": _HUMAN,
        "task_table": _task_table(submissions, headline),
        **_misses(submissions),
        **_sizes(submissions),
        **_letters_and_pairs(submissions),
        "difference_table": report_tables.differences(submissions, comparisons) if comparisons else None,
        "both_table": _both_table(submissions),
        "texture_table": _texture_table(submissions, headline),
        "items": items,
        "recordings": len(recordings),
        "sound_megabytes": f"{sum(len(recording.flac) for recording in recordings) / 1e6:.1f}",
        "whole_scores": [(each, _score_tables(each)) for each in submissions],
        "commands": commands,
        "version": __version__,
    }
    return page("report.html", **values)


def _headline(submissions: Sequence[Submission]) -> str:
    """Return the figure that the page leads with: Acc_FS, where the data set has FLIP and STAY files."""
    return "clean_accuracy" if submissions[0].whole.figures["acc_fs"].value is None else "acc_fs"


def _verdict(submission: Submission, headline: str) -> str:
    """Return in words where a submission stands beside guessing and human listeners."""
    figure = submission.whole.figures[headline]
    if figure.value is None or figure.chance is None:
        return "has no files that this figure is about."
    if figure.is_chance:
        against = "can't be told from guessing"
    else:
        against = "above guessing" if figure.value > figure.chance.high else "below guessing"
    beside = beside_humans(figure) if headline == "acc_fs" else ""
    humans = {
        "above": f"above the human line ({_HUMAN})",
        "below": f"below the human line ({_HUMAN})",
        "level": f"level with the human line ({_HUMAN} is within its interval)",
        "": "",
    }[beside]
    return ", ".join(filter(None, (against, humans)))


def _headline_rows(submissions: Sequence[Submission], headline: str) -> list[PlotRow]:
    human = headline == "acc_fs"
    return [
        PlotRow(
            each,
            track(
                Estimate.of(figure),
                each.place,
                human=human,
                title=f"{each.name}: {_HEADLINES[headline]} {_told(figure)}"
                + (f"; human {_HUMAN}" if human else ""),
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


def _task_table(submissions: Sequence[Submission], headline: str) -> Grid | None:
    if not submissions[0].groups("task"):
        return None
    human = headline == "acc_fs"
    return report_tables.matrix(
        "task-table", f"{_HEADLINES[headline]} by task", submissions, ("task",), headline, human=human
    )


def _misses(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Return the plots and tables of misses against false flips."""
    whole = submissions[0].whole
    if any(whole.figures[name].value is None for name in ("miss_rate", "false_flip_rate")):
        return {"whole_plane": None}
    tasks, changes = submissions[0].groups("task"), submissions[0].groups(*_CHANGES)
    both = ("task", *_CHANGES)
    return {
        "whole_plane": _plane("plane-all", "all items", [(each, each.whole) for each in submissions]),
        "task_planes": _planes("plane-task", submissions, ("task",)) if len(tasks) > 1 else (),
        "change_planes": _planes("plane-change", submissions, _CHANGES) if len(changes) > 1 else (),
        "miss_table": report_tables.misses_and_flips(
            "miss-table", "Misses and false flips by task", submissions, ("task",), whole=True
        ),
        "change_table": report_tables.misses_and_flips(
            "change-table",
            "Misses and false flips by sound change (items whose STAY file has it)",
            submissions,
            _CHANGES,
            whole=False,
        ),
        "false_flip_table": report_tables.matrix(
            "false-flip-table",
            "False flips (FFR) by task and sound change",
            submissions,
            both,
            "false_flip_rate",
            note="The lower, the better: the sound changed, and the right answer did not.",
        ),
    }


def _planes(name: str, submissions: Sequence[Submission], by: tuple[str, ...]) -> tuple[Panel, ...]:
    return tuple(
        Panel(
            names[0],
            _plane(
                f"{name}-{place}",
                names[0],
                [(each, each.groups(*by)[names]) for each in submissions],
            ),
        )
        for place, names in enumerate(submissions[0].groups(*by))
    )


def _plane(name: str, label: str, groups: Sequence[tuple[Submission, Group]]) -> Markup:
    points, texts = [], []
    for each, group in groups:
        miss, false_flip = group.figures["miss_rate"], group.figures["false_flip_rate"]
        points.append(Point(each.place, Estimate.of(miss), Estimate.of(false_flip)))
        texts.append(f"{each.number} {each.name}: MR {plain(miss)}, FFR {plain(false_flip)}")
    description = "; ".join(texts) + ". In percent; the table below has the same figures."
    return plane(name, f"Misses against false flips, {label}", description, points)


def _sizes(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Return the plots and tables by the size of the change."""
    analyses = [each.score.analysis for each in submissions]
    tasks = list(dict.fromkeys(task for analysis in analyses for task in analysis.curves))
    floor = lowest_accuracy(curve for analysis in analyses for curve in analysis.curves.values())
    frames = {
        task: CurveFrame.around([a.curves[task] for a in analyses if task in a.curves], floor)
        for task in tasks
    }
    names = {
        task: [
            f"curve-{column}-{each.number}" if task in each.score.analysis.curves else ""
            for each in submissions
        ]
        for column, task in enumerate(tasks)
    }
    paths = [
        curve_path(name, each.score.analysis.curves[task], frames[task])
        for task in tasks
        for each, name in zip(submissions, names[task], strict=True)
        if name
    ]
    rows = [
        CurveRow(
            each,
            tuple(_panel(each, task, frames[task], names[task]) for task in tasks if names[task][each.place]),
        )
        for each in submissions
    ]
    groups = submissions[0].groups("task", "rung")
    return {
        "curve_paths": element(
            "svg", element("defs", *paths), width=0, height=0, class_="defs", aria_hidden="true"
        ),
        "curve_rows": rows if tasks else (),
        "curve_columns": len(tasks),
        "threshold_table": report_tables.thresholds(submissions) if tasks else None,
        "rung_table": report_tables.matrix(
            "rung-table",
            "Misses (MR) by task and size of the change",
            submissions,
            ("task", "rung"),
            "miss_rate",
        )
        if groups
        else None,
    }


def _panel(submission: Submission, task: str, frame: CurveFrame, paths: Sequence[str]) -> Panel:
    curve = submission.score.analysis.curves[task]
    shares = "; ".join(
        f"{rung} {curve.unit}: {100 * right / files:.1f} %"
        for rung, right, files in zip(curve.rungs, curve.right, curve.files, strict=True)
    )
    threshold = f"{threshold_text(curve)} {curve.unit}".rstrip()
    drawn = curve_panel(
        f"{paths[submission.place]}-panel",
        f"Right answers by size of the change, {task}, {submission.name}",
        f"{shares}. Threshold {threshold}. The other models' curves are behind it in grey.",
        curve,
        frame,
        submission.place,
        paths,
    )
    return Panel(task, drawn, threshold)


def _letters_and_pairs(submissions: Sequence[Submission]) -> dict[str, Any]:
    has_pairs = submissions[0].whole.totals["pairs"] > 0
    return {
        "letter_rows": [_letter_row(each) for each in submissions],
        "letter_table": report_tables.letters(submissions),
        "pair_rows": [_pair_row(each) for each in submissions] if has_pairs else (),
        "pair_table": report_tables.pairs(submissions) if has_pairs else None,
    }


def _letter_row(submission: Submission) -> PlotRow:
    figures = submission.whole.figures
    given = [figures[f"accuracy_given_{letter}"] for letter in "ab"]
    share_of_a = figures["share_of_a"]
    text = "no answer is a letter" if share_of_a.value is None else f"says A in {plain(share_of_a)} %"
    told = f"right where A is: {plain(given[0])} %, where B is: {plain(given[1])} %"
    right_a, right_b = (Estimate.of(figure).value for figure in given)
    return PlotRow(
        submission, letter_track(right_a, right_b, submission.place, f"{submission.name}: {told}"), text
    )


def _pair_row(submission: Submission) -> PlotRow:
    whole = submission.whole
    figures = (whole.figures["pairs_both_right"], whole.figures["pairs_one_right"], none_right(whole))
    both, one, none = (Estimate.of(figure).value or 0.0 for figure in figures)
    text = " / ".join(map(plain, figures))
    told = "both right {}, one right {}, none right {} %".format(*map(plain, figures))
    return PlotRow(
        submission, pair_bar(both, one, none, submission.place, f"{submission.name}: {told}"), text
    )


def _both_table(submissions: Sequence[Submission]) -> Grid | None:
    if submissions[0].whole.figures["both_accuracy"].value is None:
        return None
    title = "Right answers to files that are edited and perturbed (condition both)"
    return report_tables.matrix("both-table", title, submissions, ("task",), "both_accuracy")


def _texture_table(submissions: Sequence[Submission], headline: str) -> Grid | None:
    by = ("task", "texture")
    if len(submissions[0].groups("texture")) < 2:
        return None
    title = f"{_HEADLINES[headline]} by task and texture"
    return report_tables.matrix("texture-table", title, submissions, by, headline, human=headline == "acc_fs")


def _score_tables(submission: Submission) -> list[Grid]:
    return [
        grid_of(f"score-{submission.number}-{place}", table)
        for place, table in enumerate(tables(submission.score))
    ]
