"""Keys as the generator plans them: constant answers, the oracle, and listeners with a fixed word."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scoring_data import OTHER, oracle, write_lines

from listenbench.plan import plan
from listenbench.scoring import score
from listenbench.scoring.scored import Score
from listenbench.splits import load_split

VARIANTS = ("clean", "flip", "stay", "both")
ITEMS = 48


@pytest.fixture(scope="module", params=["test", "train"])
def rows(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Return key rows of a planned data set, with what the letters mean.

    The test split has fixed letters, the train split counterbalanced ones.
    """
    return [
        {
            "id": variant.id,
            "answer": variant.answer,
            "task": item.task,
            "item": item.name,
            "condition": variant.condition,
            "factor": variant.factor,
            "rung": item.rung,
            "texture": item.texture,
            "choices": list(item.choices),
        }
        for item in plan(load_split(request.param), 3, items=ITEMS, variants=VARIANTS)
        for variant in item.variants
    ]


def scored(tmp_path: Path, rows: list[dict[str, Any]], answers: Mapping[str, str]) -> Score:
    return score(answers, write_lines(tmp_path / "key.jsonl", rows), resamples=100)


@pytest.mark.parametrize("letter", ["A", "B"])
def test_a_constant_scores_exactly_half(tmp_path: Path, rows: list[dict[str, Any]], letter: str) -> None:
    groups = scored(tmp_path, rows, {row["id"]: letter for row in rows}).analysis.groups
    assert {group.by for group in groups} >= {(), ("task",), ("task", "rung"), ("stay_factor",)}
    for group in groups:
        assert group.figures["acc_fs"].value == Fraction(1, 2)
        assert group.figures["pairs_both_right"].value == 0
        if group.by in ((), ("task",)):
            assert group.figures["clean_accuracy"].value == Fraction(1, 2)
            assert group.figures["both_accuracy"].value == Fraction(1, 2)


def test_the_oracle_and_its_inverse(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    right = oracle(rows)
    wrong = {name: OTHER[letter] for name, letter in right.items()}
    for answers, share in ((right, 1), (wrong, 0)):
        result = scored(tmp_path, rows, answers)
        for name in ("clean_accuracy", "acc_fs", "both_accuracy", "pairs_both_right"):
            assert {group.figures[name].value for group in result.analysis.groups} == {share}
        side = "below" if share else "above"
        assert {curve.threshold.side for curve in result.analysis.curves.values()} == {side}


def test_whoever_always_says_different_hears_nothing(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    answers = {
        row["id"]: "AB"[row["choices"].index("different")] for row in rows if "different" in row["choices"]
    }
    analysis = scored(tmp_path, rows, answers).analysis
    assert set(analysis.sensitivities) == {"melody", "harmony", "timbre"}
    for found in analysis.sensitivities.values():
        sensitivity = found["flip_and_stay"]
        assert (sensitivity.hits, sensitivity.false_alarms) == (ITEMS, ITEMS)
        assert sensitivity.d_prime == pytest.approx(0)
        assert sensitivity.criterion < -2


def test_units_of_the_curves(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    curves = scored(tmp_path, rows, oracle(rows)).analysis.curves
    assert {task: curve.unit for task, curve in curves.items()} == {
        "melody": "cents",
        "harmony": "semitones",
        "rhythm": "ratio",
    }
