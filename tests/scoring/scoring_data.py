"""Small keys and predictions for the tests of the scorer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

RELEASED = Path(__file__).parents[1] / "data" / "released"
GOLD = RELEASED / "gold.jsonl"
SUBMISSION = RELEASED / "predictions.jsonl"

TASKS = ("melody", "harmony", "timbre", "rhythm")
RUNGS = {"melody": (100, 400), "harmony": (1, 3), "timbre": ("near", "far"), "rhythm": (1.1, 1.5)}
OTHER = {"A": "B", "B": "A"}


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def item_rows(
    item: str, answer: str, task: str = "melody", rung: Any = 100, factor: str = "eq", **more: Any
) -> list[dict[str, Any]]:
    """Return the rows of one item: clean, FLIP with the other answer, STAY."""
    base = {"task": task, "item": item, "rung": rung, **more}
    return [
        {"id": f"{item}-c", "answer": answer, "condition": "clean", "factor": None, **base},
        {"id": f"{item}-f", "answer": OTHER[answer], "condition": "flip", "factor": "edit", **base},
        {"id": f"{item}-s", "answer": answer, "condition": "stay", "factor": factor, **base},
    ]


def balanced_rows(blocks: int = 1, *, both: bool = False) -> list[dict[str, Any]]:
    """Return a key that is crossed like a generated one: task x rung x factor x answer."""
    rows = []
    for block in range(blocks):
        for task in TASKS:
            for rung in RUNGS[task]:
                for factor in ("eq", "room"):
                    for answer in "AB":
                        item = f"{task}-{rung}-{factor}-{answer}-{block}"
                        rows += item_rows(item, answer, task, rung, factor)
                        if both:
                            rows.append(rows[-2] | {"id": f"{item}-b", "condition": "both", "factor": factor})
    return rows


def oracle(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the right answers."""
    return {row["id"]: row["answer"] for row in rows}
