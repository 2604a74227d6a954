"""The cheap part of an audit, from the tables alone: what a data set says of itself when it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from listenbench.dataset import Row


def self_report(manifest: Iterable[Row]) -> dict[str, Any]:
    """Return counts of contents, answers and equal clips, task by task.

    Parameters
    ----------
    manifest : iterable of mapping
        Rows of the manifest.

    Returns
    -------
    dict
        Task to `items`, `distinct_contents`, `equal_clips` (recordings whose clips are the same
        performance, and therefore the same samples) and `answers` (condition to letter to count).
    """
    tasks: dict[str, list[Row]] = {}
    for row in manifest:
        tasks.setdefault(row["task"], []).append(row)
    return {task: _task_report(rows) for task, rows in tasks.items()}


def _task_report(rows: list[Row]) -> dict[str, Any]:
    answers: dict[str, Counter[str]] = {}
    for row in rows:
        answers.setdefault(row["condition"], Counter())[row["answer"]] += 1
    return {
        "items": len({row["item"] for row in rows}),
        "distinct_contents": len({row["content"] for row in rows}),
        "equal_clips": sum(row["clip_a"] == row["clip_b"] for row in rows),
        "answers": {name: dict(sorted(counts.items())) for name, counts in sorted(answers.items())},
    }
