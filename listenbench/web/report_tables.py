"""The tables of a report: texts and figures as the scorer writes them, some with the figure drawn below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from listenbench.scoring.chance import Guessing
from listenbench.scoring.compared import Comparison, difference_cells
from listenbench.scoring.figures_text import float_text, interval_text
from listenbench.scoring.published import HUMAN_ACC_FS
from listenbench.scoring.report import NONE, accuracies, plain, threshold_text, with_interval
from listenbench.scoring.rounding import percent
from listenbench.scoring.scorer import Group, none_right
from listenbench.web.charts import Estimate, track
from listenbench.web.grids import Cell, Grid
from listenbench.web.submissions import Submission

MAIN: Final = {
    "acc_fs": "Acc_FS",
    "clean_accuracy": "clean",
    "miss_rate": "MR",
    "false_flip_rate": "FFR",
    "pairs_both_right": "pairs right",
}
"""The figures of a line, with their names in headers."""

COLUMNS: Final = 6
"""Submissions in one table that has a column for each."""

_NOTE: Final = "In percent, with 95 % intervals over items. ~ marks figures that guessing gives (p > 0.05)."


def headline(submissions: Sequence[Submission]) -> Grid:
    """Return the figures over all items, with those of guessing and of human listeners."""
    names = _present(MAIN, [each.whole for each in submissions])
    rows = [
        (_model(each), *(Cell(with_interval(each.whole.figures[name])) for name in names))
        for each in submissions
    ]
    guessed = submissions[0].whole.guessed
    rows.append((Cell("guessing (expected)"), *(Cell(_guessed(guessed.get(name))) for name in names)))
    if "acc_fs" in names:
        humans = {"acc_fs": percent(HUMAN_ACC_FS)}
        rows.append((Cell("human (published)"), *(Cell(humans.get(name, NONE)) for name in names)))
    header = tuple(map(Cell, ("model", *(MAIN[name] for name in names))))
    return Grid("headline-table", "All items", header, tuple(rows), note=_NOTE)


def _guessed(guessed: Guessing | None) -> str:
    if guessed is None:
        return NONE
    return f"{percent(guessed.expected)} {interval_text(guessed.interval, 100, 1)}"


def _present(names: Iterable[str], groups: Iterable[Group]) -> list[str]:
    """Return those figures that at least one group has."""
    known = list(groups)
    return [name for name in names if any(group.figures[name].value is not None for group in known)]


def _model(submission: Submission) -> Cell:
    return Cell(submission.name, submission.number)


def matrices(
    name: str,
    title: str,
    submissions: Sequence[Submission],
    by: tuple[str, ...],
    figure: str,
    *,
    human: bool = False,
    note: str = "",
) -> tuple[Grid, ...]:
    """Return one figure of each group, a row a group and a column a submission, each drawn on a line.

    Parameters
    ----------
    name, title, note : str
        As in `Grid`.
    submissions : sequence of Submission
        The columns; a table has at most `COLUMNS`, so that it fits on paper.
    by : tuple of str
        The grouping.
    figure : str
        Name of the metric.
    human : bool, optional
        Whether the lines have the figure of human listeners.
    """
    parts = [submissions[start : start + COLUMNS] for start in range(0, len(submissions), COLUMNS)]
    if len(parts) == 1:
        return (Grid(name, title, *_matrix(submissions, by, figure, human=human), len(by), note),)
    return tuple(
        Grid(
            f"{name}-{place}",
            f"{title}, models {part[0].number} to {part[-1].number}",
            *_matrix(part, by, figure, human=human),
            len(by),
            note,
        )
        for place, part in enumerate(parts, start=1)
    )


def _matrix(
    submissions: Sequence[Submission], by: tuple[str, ...], figure: str, *, human: bool
) -> tuple[tuple[Cell, ...], tuple[tuple[Cell, ...], ...]]:
    """Return header and rows."""
    groups = [submission.groups(*by) for submission in submissions]
    rows = []
    for names, group in groups[0].items():
        figures = [each[names].figures[figure] for each in groups]
        drawn = (
            Cell(with_interval(value), drawn=track(Estimate.of(value), each.place, human=human))
            for each, value in zip(submissions, figures, strict=True)
        )
        rows.append((*map(Cell, names), Cell(str(group.items)), *drawn))
    header = (*(Cell(_field(field)) for field in by), Cell("items"), *map(_model, submissions))
    return header, tuple(rows)


def _field(field: str) -> str:
    return {"stay_factor": "sound change", "flip_factor": "edit"}.get(field, field)


def misses_and_flips(
    name: str, title: str, submissions: Sequence[Submission], by: tuple[str, ...], *, whole: bool
) -> Grid:
    """Return MR and FFR, one row a group and submission.

    Parameters
    ----------
    name, title : str
        As in `Grid`.
    submissions : sequence of Submission
        What is shown.
    by : tuple of str
        The grouping.
    whole : bool
        Whether all items together come first.
    """
    labels = [*submissions[0].groups(*by)]
    rows = [
        (Cell(" ".join(names)), _model(each), *_main_cells(each.groups(*by)[names]))
        for names in labels
        for each in submissions
    ]
    if whole:
        rows[:0] = [(Cell("all"), _model(each), *_main_cells(each.whole)) for each in submissions]
    heads = (" and ".join(map(_field, by)), "model", "items", "MR", "FFR", "Acc_FS", "clean")
    return Grid(name, title, tuple(map(Cell, heads)), tuple(rows), heads=2)


def _main_cells(group: Group) -> tuple[Cell, ...]:
    names = ("miss_rate", "false_flip_rate", "acc_fs", "clean_accuracy")
    return (Cell(str(group.items)), *(Cell(with_interval(group.figures[name])) for name in names))


def thresholds(submissions: Sequence[Submission]) -> Grid:
    """Return accuracies by rung and the fits, one row a task and submission."""
    rows = []
    for task in _curve_tasks(submissions):
        for each in submissions:
            curve = each.score.analysis.curves.get(task)
            if curve is None:
                continue
            fit = (float_text(value, 2) for value in (curve.slope, curve.lapse))
            cells = (
                accuracies(curve),
                threshold_text(curve),
                curve.unit,
                *fit,
                float_text(curve.deviance, 1),
            )
            rows.append((Cell(task), _model(each), *map(Cell, cells)))
    heads = ("task", "model", "right by rung, %", "threshold", "unit", "slope", "lapse", "deviance")
    note = (
        "Right over clean and FLIP files. The threshold is the size of change at which the fitted curve "
        "reaches 75 %, with its 95 % interval; outside of the tested sizes only the side is stated."
    )
    return Grid(
        "threshold-table", "Smallest change heard", tuple(map(Cell, heads)), tuple(rows), heads=2, note=note
    )


def _curve_tasks(submissions: Sequence[Submission]) -> list[str]:
    return list(dict.fromkeys(task for each in submissions for task in each.score.analysis.curves))


def letters(submissions: Sequence[Submission]) -> Grid:
    """Return how often each letter was given, and how often it was right, over all items and by task."""
    names = ("share_of_a", "accuracy_given_a", "accuracy_given_b")

    def row(label: str, each: Submission, group: Group) -> tuple[Cell, ...]:
        counts = (str(group.totals[count]) for count in ("files", "invalid", "missing"))
        figures = (plain(group.figures[name]) for name in names)
        return (Cell(label), _model(each), *map(Cell, (*figures, *counts)))

    heads = (
        "task",
        "model",
        "share of A",
        "right where A is",
        "right where B is",
        "files",
        "invalid",
        "missing",
    )
    note = "In percent. Share of A among the answers that are a letter; clean, FLIP and STAY files."
    return Grid(
        "letter-table",
        "Letters",
        tuple(map(Cell, heads)),
        _whole_and_tasks(submissions, row),
        heads=2,
        note=note,
    )


def pairs(submissions: Sequence[Submission]) -> Grid:
    """Return how many of the two counterfactual files of an item were right, over all items and by task."""

    def row(label: str, each: Submission, group: Group) -> tuple[Cell, ...]:
        cells = (Cell(with_interval(group.figures[name])) for name in ("pairs_both_right", "pairs_one_right"))
        return (
            Cell(label),
            _model(each),
            Cell(str(group.totals["pairs"])),
            *cells,
            Cell(plain(none_right(group))),
        )

    heads = ("task", "model", "pairs", "both right", "one right", "none right")
    note = "In percent of the items with a FLIP and a STAY file. Guessing gets {}, {} and {}.".format(
        *guessed_pairs(submissions[0].whole)
    )
    return Grid(
        "pair-table", "Pairs", tuple(map(Cell, heads)), _whole_and_tasks(submissions, row), heads=2, note=note
    )


def guessed_pairs(group: Group) -> tuple[str, ...]:
    """Return how often guessing has both, one and none of the files of a pair right, in percent."""
    both, one = (group.guessed[name].expected for name in ("pairs_both_right", "pairs_one_right"))
    return tuple(map(percent, (both, one, 1 - both - one)))


def _whole_and_tasks(
    submissions: Sequence[Submission], row: Callable[[str, Submission, Group], tuple[Cell, ...]]
) -> tuple[tuple[Cell, ...], ...]:
    tasks = [*submissions[0].groups("task")]
    rows = [row("all", each, each.whole) for each in submissions]
    rows += [row(names[0], each, each.groups("task")[names]) for names in tasks for each in submissions]
    return tuple(rows)


def differences(submissions: Sequence[Submission], comparisons: Sequence[Comparison]) -> Grid:
    """Return how the submissions differ from the first one, item by item."""
    labels = {name: MAIN[name] for name in ("acc_fs", "clean_accuracy", "miss_rate", "false_flip_rate")}
    rows = [
        (_model(each), Cell(labels[name]), *map(Cell, difference_cells(difference)))
        for each, comparison in zip(submissions[1:], comparisons, strict=True)
        for name, difference in comparison.groups[0].differences.items()
        if name in labels
    ]
    heads = ("model", "figure", "first", "this one", "difference", "p", "detectable", "at best")
    note = (
        f"This one minus the first one ({submissions[0].name}), in points, with paired 95 % intervals over "
        "items and the two-sided bootstrap probability of no difference. Detectable: the smallest difference "
        "that these items show with 80 % power at the scatter seen; at best: the smallest that they can show."
    )
    return Grid(
        "difference-table",
        "Paired differences over all items",
        tuple(map(Cell, heads)),
        tuple(rows),
        heads=2,
        note=note,
    )
