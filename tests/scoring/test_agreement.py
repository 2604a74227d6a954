"""Krippendorff's alpha: his own worked examples, and what must hold for it."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scoring_data import balanced_rows, item_rows, write_lines

from listenbench import cli
from listenbench.errors import DataError
from listenbench.scoring.agreement import make_agreement, nominal_alpha

# K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): section A, two observers, binary data.
MEG = "0100000010"
OWEN = "1110010000"
# Section C: four observers, nominal data, values missing.
FOUR = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def counts_of(observers: tuple[str, ...], values: str) -> np.ndarray[Any, Any]:
    return np.array([[column.count(value) for value in values] for column in zip(*observers, strict=True)])


def test_the_worked_example_for_binary_data() -> None:
    assert nominal_alpha(counts_of((MEG, OWEN), "01")) == pytest.approx(0.095, abs=0.0005)
    assert nominal_alpha(counts_of((MEG, OWEN), "01")) == pytest.approx(1 - 19 * 4 / (14 * 6))


def test_the_worked_example_for_nominal_data_with_missing_values() -> None:
    assert nominal_alpha(counts_of(FOUR, "12345")) == pytest.approx(0.743, abs=0.0005)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return his binary example as a key and a predictions file; a third listener shares one file more."""
    folder = tmp_path_factory.mktemp("agreement")
    rows = [item_rows(f"i{n}", "A", "melody" if n < 5 else "harmony")[0] for n in range(11)]
    lines = [
        {"id": f"i{n}-c", "answer": "AB"[int(value)], "listener": name}
        for name, values in (("meg", MEG), ("owen", OWEN))
        for n, value in enumerate(values)
    ]
    lines.append({"id": "i10-c", "answer": "B", "listener": "meg"})
    lines.append({"id": "i9-c", "answer": "neither", "listener": "una"})
    write_lines(folder / "key.jsonl", rows)
    write_lines(folder / "human.jsonl", lines)
    return folder / "human.jsonl", folder / "key.jsonl"


def test_the_command_gives_the_worked_example(
    example: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    predictions, key = map(str, example)
    assert cli.run(["agreement", predictions, "--key", key, "--json", "--resamples", "200"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["schema"] == "listenbench.agreement/1"
    assert value["listeners"] == 3
    whole, *tasks = value["groups"]
    assert whole["task"] is None
    assert (whole["files"], whole["answers"]) == (10, 20)
    assert whole["alpha"] == pytest.approx(2 / 21)
    assert whole["equal_pairs"] == 60.0
    assert whole["interval"]["low"] < whole["alpha"] < whole["interval"]["high"]
    assert {group["task"]: group["files"] for group in tasks} == {"melody": 5, "harmony": 5}
    assert cli.run(["agreement", predictions, "--key", key, "--resamples", "200"]) == 0
    text = capsys.readouterr().out
    assert "listeners: 3" in text
    assert "0.095 [" in text


def test_answers_of_one_listener_agree_with_nobody(tmp_path: Path) -> None:
    rows = balanced_rows()
    key = write_lines(tmp_path / "key.jsonl", rows)
    lines = [{"id": row["id"], "answer": "A", "listener": "anna"} for row in rows]
    report = make_agreement(lines, key, resamples=100)
    assert {(group.files, group.alpha, group.equal_pairs) for group in report.groups} == {(0, None, None)}
    both = [*lines, *({**line, "listener": "ben"} for line in lines)]
    (whole, *_) = make_agreement(both, key, resamples=100).groups
    assert (whole.files, whole.equal_pairs, whole.alpha) == (len(rows), Fraction(1), None)
    assert "-" in make_agreement(both, key, resamples=100).to_text()


def test_lines_without_listeners_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = item_rows("i", "A")
    key = write_lines(tmp_path / "key.jsonl", rows)
    plain = write_lines(tmp_path / "plain.jsonl", [{"id": "i-c", "answer": "A"}])
    assert cli.run(["agreement", str(plain), "--key", str(key)]) == 2
    assert "its lines name no listener" in capsys.readouterr().err
    with pytest.raises(DataError, match="resamples"):
        make_agreement(plain, key, resamples=1)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
@settings(max_examples=50)
def test_alpha_is_one_minus_observed_over_expected_disagreement(units: list[tuple[int, int]]) -> None:
    """Counted pair by pair from the definition (2011, section 'general form')."""
    values = [["A"] * a + ["B"] * b for a, b in units if a + b > 1]
    together = [value for unit in values for value in unit]
    assume(len(set(together)) == 2)
    observed = sum(
        Fraction(sum(first != second for first, second in combinations(unit, 2)), len(unit) - 1)
        for unit in values
    ) / len(together)
    n = len(together)
    expected = Fraction(sum(first != second for first, second in combinations(together, 2)), n * (n - 1))
    assert nominal_alpha(np.array(units)) == pytest.approx(float(1 - observed / expected))
