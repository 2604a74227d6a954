"""What a data set says of itself when it is made: the cheap part of an audit, from the manifest alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from listenbench.dataset import Row

_DIGEST: Final = np.dtype(">u8")


@dataclass
class _Tally:
    """Counts of one task; names are kept as 64 bits of their SHA-256, so that memory stays small."""

    items: bytearray = field(default_factory=bytearray)
    contents: bytearray = field(default_factory=bytearray)
    equal_clips: int = 0
    answers: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        self.items += _digest(row["item"])
        self.contents += _digest(row["content"])
        self.equal_clips += row["clip_a"] == row["clip_b"]
        self.answers.setdefault(row["condition"], Counter())[row["answer"]] += 1

    def report(self) -> dict[str, Any]:
        counts = sorted(self.answers.items())
        return {
            "items": _distinct(self.items),
            "distinct_contents": _distinct(self.contents),
            "equal_clips": self.equal_clips,
            "answers": {condition: dict(sorted(letters.items())) for condition, letters in counts},
        }


def self_report(manifest: Iterable[Row]) -> dict[str, dict[str, Any]]:
    """Return counts of contents, answers and equal clips, task by task.

    Parameters
    ----------
    manifest : iterable of mapping
        Rows of the manifest, read once.

    Returns
    -------
    dict
        Task, in the order of the alphabet, to `items`, `distinct_contents`, `equal_clips` (recordings whose
        clips are the same performance, and therefore the same samples) and `answers` (condition to letter
        to count).
    """
    tallies: dict[str, _Tally] = {}
    for row in manifest:
        tallies.setdefault(row["task"], _Tally()).add(row)
    return {task: tally.report() for task, tally in sorted(tallies.items())}


def report_lines(report: dict[str, dict[str, Any]]) -> list[str]:
    """Return a self-report as text, one line a task."""
    return [f"{task}: {_task_text(counts)}" for task, counts in report.items()]


def _task_text(counts: dict[str, Any]) -> str:
    letters = sum((Counter(each) for each in counts["answers"].values()), Counter())
    shares = ", ".join(f"{letter} {count}" for letter, count in sorted(letters.items()))
    return (
        f"{counts['items']} items, {counts['distinct_contents']} distinct contents, "
        f"{counts['equal_clips']} recordings with equal clips, answers {shares}"
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[: _DIGEST.itemsize]


def _distinct(digests: bytearray) -> int:
    return len(np.unique(np.frombuffer(digests, dtype=_DIGEST)))
