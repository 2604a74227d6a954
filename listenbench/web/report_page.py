"""From scores to the page of a report: which plots and tables it has, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from listenbench._version import __version__
from listenbench.scoring.answers import FEWEST
from listenbench.scoring.compared import Comparison
from listenbench.scoring.figures_text import float_text
from listenbench.scoring.published import beside_humans
from listenbench.scoring.report import tables
from listenbench.web import report_tables
from listenbench.web.charts import axis, hatching, series
from listenbench.web.grids import Grid, grid_of
from listenbench.web.pages import page
from listenbench.web.report_items import WorstItem
from listenbench.web.report_plots import (
    HUMAN_TEXT,
    curve_rows,
    guessed_accuracy,
    headline_rows,
    letter_row,
    one_plane,
    pair_row,
    planes,
)
from listenbench.web.submissions import Submission

_CHANGES: Final = ("stay_factor",)
_HEADLINES: Final = {"acc_fs": "Acc_FS", "clean_accuracy": "Clean accuracy"}
"""The figures that a page can lead with, with their names in titles."""


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
    guessed = guessed_accuracy(submissions[0].whole)
    recordings = [recording for item in items for recording in item.recordings]
    values: dict[str, Any] = {
        "key": submissions[0].score.key,
        "score": submissions[0].score,
        "submissions": submissions,
        "series": series,
        "headline": _HEADLINES[headline],
        "verdicts": [_verdict(each, headline) for each in submissions],
        "headline_rows": headline_rows(submissions, headline, _HEADLINES[headline]),
        "headline_axis": axis(human=headline == "acc_fs", guessing=guessed),
        "headline_table": report_tables.headline(submissions),
        "axis": axis(),
        "hatching": hatching(),
        "human": HUMAN_TEXT,
        "guessed": "" if guessed is None else float_text(guessed, 1),
        "two_choices": len(submissions[0].score.key.letters) == FEWEST,
        "task_tables": _task_tables(submissions, headline),
        **_misses(submissions),
        **_sizes(submissions),
        **_letters_and_pairs(submissions),
        "difference_table": report_tables.differences(submissions, comparisons) if comparisons else None,
        "both_tables": _both_tables(submissions),
        "texture_tables": _texture_tables(submissions, headline),
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
        return "no files that this figure is about"
    if figure.is_chance:
        against = "can't be told from guessing"
    else:
        against = "above guessing" if figure.value > figure.chance.high else "below guessing"
    beside = beside_humans(figure) if headline == "acc_fs" else ""
    humans = {
        "above": f"above the human line ({HUMAN_TEXT})",
        "below": f"below the human line ({HUMAN_TEXT})",
        "level": f"level with the human line ({HUMAN_TEXT} is within its interval)",
        "": "",
    }[beside]
    return ", ".join(filter(None, (against, humans)))


def _task_tables(submissions: Sequence[Submission], headline: str) -> tuple[Grid, ...]:
    if not submissions[0].groups("task"):
        return ()
    human = headline == "acc_fs"
    return report_tables.matrices(
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
        "whole_plane": one_plane("plane-all", "all items", [(each, each.whole) for each in submissions]),
        "task_planes": planes("plane-task", submissions, ("task",)) if len(tasks) > 1 else (),
        "change_planes": planes("plane-change", submissions, _CHANGES) if len(changes) > 1 else (),
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
        "false_flip_tables": report_tables.matrices(
            "false-flip-table",
            "False flips (FFR) by task and sound change",
            submissions,
            both,
            "false_flip_rate",
            note="The lower, the better: the sound changed, and the right answer did not.",
        ),
    }


def _sizes(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Return the plots and tables by the size of the change."""
    paths, rows = curve_rows(submissions)
    title = "Misses (MR) by task and size of the change"
    by = ("task", "rung")
    return {
        "curve_paths": paths,
        "curve_rows": rows,
        "threshold_table": report_tables.thresholds(submissions) if rows else None,
        "rung_tables": report_tables.matrices("rung-table", title, submissions, by, "miss_rate"),
    }


def _letters_and_pairs(submissions: Sequence[Submission]) -> dict[str, Any]:
    has_pairs = submissions[0].whole.totals["pairs"] > 0
    return {
        "letter_rows": [letter_row(each) for each in submissions],
        "letter_table": report_tables.letters(submissions),
        "pair_rows": [pair_row(each) for each in submissions] if has_pairs else (),
        "pair_table": report_tables.pairs(submissions) if has_pairs else None,
        "guessed_pairs": report_tables.guessed_pairs(submissions[0].whole) if has_pairs else (),
    }


def _both_tables(submissions: Sequence[Submission]) -> tuple[Grid, ...]:
    if submissions[0].whole.figures["both_accuracy"].value is None:
        return ()
    title = "Right answers to files that are edited and perturbed (condition both)"
    return report_tables.matrices("both-table", title, submissions, ("task",), "both_accuracy")


def _texture_tables(submissions: Sequence[Submission], headline: str) -> tuple[Grid, ...]:
    by = ("task", "texture")
    if len(submissions[0].groups("texture")) < 2:
        return ()
    title = f"{_HEADLINES[headline]} by task and texture"
    return report_tables.matrices(
        "texture-table", title, submissions, by, headline, human=headline == "acc_fs"
    )


def _score_tables(submission: Submission) -> list[Grid]:
    return [
        grid_of(f"score-{submission.number}-{place}", table)
        for place, table in enumerate(tables(submission.score))
    ]
