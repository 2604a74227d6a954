"""Questions with more than two choices: keys, replies, figures and what guessing gives."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scoring_data import item_rows, write_lines

import listenbench
from listenbench.cli import run
from listenbench.scoring import parse_answer, score
from listenbench.scoring.chance import guessing
from listenbench.scoring.key import read_key
from listenbench.scoring.metrics import METRICS

CLEAN, ACC_FS = METRICS[0], METRICS[3]
CHORDS = ["major", "minor", "diminished", "augmented"]
PAIR = ["same", "different"]


def four_choice_rows(items: int) -> list[dict[str, Any]]:
    """Return a key whose items have the answers A to D in turn, and FLIP files with the next letter."""
    rows = []
    for number in range(items):
        answer, other = "ABCD"[number % 4], "ABCD"[(number + 1) % 4]
        base = {"task": "chords", "item": f"i{number}", "rung": 1, "choices": CHORDS}
        rows += [
            {"id": f"i{number}-c", "answer": answer, "condition": "clean", "factor": None, **base},
            {"id": f"i{number}-f", "answer": other, "condition": "flip", "factor": "edit", **base},
            {"id": f"i{number}-s", "answer": answer, "condition": "stay", "factor": "eq", **base},
        ]
    return rows


ROWS = four_choice_rows(40)
MIXED = [*ROWS, *(row for n in range(40) for row in item_rows(f"m{n}", "AB"[n % 2], choices=PAIR))]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("choices") / "key.jsonl", ROWS)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("choices") / "mixed.jsonl", MIXED)


def constant(rows: list[dict[str, Any]], letter: str) -> dict[str, str]:
    return {row["id"]: letter for row in rows}


def test_figures_by_hand(key: Path) -> None:
    right = score({row["id"]: row["answer"] for row in ROWS}, key, resamples=100)
    assert right.figures["acc_fs"].value == right.figures["clean_accuracy"].value == 1
    assert right.to_dict()["data"]["letters"] == ["A", "B", "C", "D"]
    assert right.analysis.curves == {}
    always_d = score(constant(ROWS, "D"), key, resamples=100)
    assert always_d.figures["clean_accuracy"].value == Fraction(1, 4)
    assert always_d.figures["acc_fs"].value == Fraction(1, 4)
    assert always_d.figures["clean_accuracy"].is_chance
    assert (
        not score(constant(ROWS, "A") | {f"i{n}-c": "ABCD"[n % 4] for n in range(20)}, key)
        .figures["clean_accuracy"]
        .is_chance
    )


@pytest.mark.parametrize("reply", ["C", "E", "AB"])
def test_letters_beyond_the_choices_are_invalid(mixed: Path, reply: str) -> None:
    found = score([{"id": "m0-c", "answer": reply}], mixed, resamples=100).predictions
    assert found.invalid_reasons == {"not a letter": 1}


def test_log_probabilities_of_every_letter_are_needed(key: Path) -> None:
    lines = [
        {"id": "i2-c", "logprobs": {"A": -3.0, "B": -2.0, "C": -0.5, "D": -1.5}},
        {"id": "i3-c", "logprobs": {"A": -3.0, "B": -2.0, "C": -0.5}},
    ]
    found = score(lines, key, resamples=100)
    assert found.analysis.groups[0].totals["clean_right"] == 1
    assert found.predictions.invalid_reasons == {"no log-probability for one of the letters": 1}


@given(st.integers(1, 2000), st.integers(2, 4), st.data())
def test_chance_mark_is_the_test_of_a_proportion(n: int, letters: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    p = 1 / letters
    z = (k - n * p) / math.sqrt(n * p * (1 - p))
    found = guessing(CLEAN, {"clean": {letters: n}})
    assert found is not None
    inside = found.interval.low <= Fraction(k, n) <= found.interval.high
    assert inside == (2 * stats.norm.sf(abs(z)) >= 0.05)


def test_chance_over_questions_of_two_kinds() -> None:
    found = guessing(ACC_FS, {"flip": {2: 30, 4: 10}, "stay": {4: 40}})
    assert found is not None
    assert found.expected == (Fraction(30 * 2 + 10, 4 * 40) + Fraction(1, 4)) / 2
    variance = (30 / 4 + 10 * 3 / 16) / 40**2 / 4 + 3 / 16 / 40 / 4
    half = (found.interval.high - found.interval.low) / 2
    assert half == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-6)


def test_guessed_pairs_by_hand(mixed: Path) -> None:
    """Half of the pairs have two choices each, half have four."""
    guessed = score(constant(MIXED, "A"), mixed, resamples=100).analysis.groups[0].guessed
    assert guessed["pairs_both_right"].expected == (Fraction(1, 4) + Fraction(1, 16)) / 2
    assert guessed["pairs_one_right"].expected == (Fraction(2, 4) + Fraction(6, 16)) / 2
    variance = (40 * 3 / 16 + 40 * 15 / 256) / 80**2
    interval = guessed["pairs_both_right"].interval
    assert (interval.high - interval.low) / 2 == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-6)


def test_reference_lines(mixed: Path, tmp_path: Path) -> None:
    meta = {
        "model": "m",
        "version": "1",
        "readout": "generated",
        "used_training_split": "none",
        "date": "2026",
    }
    (tmp_path / "board").mkdir()
    lines = [{"meta": meta}, *({"id": row["id"], "answer": row["answer"]} for row in MIXED)]
    write_lines(tmp_path / "board" / "right.jsonl", lines)
    out = tmp_path / "board.csv"
    arguments = ["leaderboard", str(tmp_path / "board"), "--key", str(mixed), "--out", str(out)]
    assert run([*arguments, "--resamples", "100"]) == 0
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(out.read_text("utf-8")))}
    clean = {name: rows[name]["clean_accuracy"] for name in rows}
    assert clean == {
        "m": "100.0000",
        "always A": "37.5000",
        "always B": "37.5000",
        "always C": "12.5000",
        "always D": "12.5000",
        "guessing (expected)": "37.5000",
    }
    pairs = Fraction(1, 2) * Fraction(1, 4) + Fraction(1, 2) * Fraction(1, 16)
    assert float(rows["guessing (expected)"]["pairs_both_right"]) == pytest.approx(
        float(100 * pairs), abs=1e-4
    )


@pytest.mark.parametrize(
    "reply",
    [
        *("C", "c.", "(C)", "**C**", r"$\boxed{C}$", "Option C", "answer: C", "I choose C", "It's C."),
        *(
            '{"answer": "C"}',
            "C) diminished",
            "The answer is **C**.",
            "It is diminished.",
            "C.\nThe fifth is flat.",
        ),
        "Not major and not minor.\n\nAnswer: C",
    ],
)
def test_replies_with_one_of_four_letters(reply: str) -> None:
    assert parse_answer(reply, CHORDS) == "C"


@pytest.mark.parametrize(
    "reply",
    [
        *("E", "A or C", "C or D.", "The answer is C or D.", "Perhaps C.", "Both C and D.", "not C"),
        *(
            'The root is the note "C".',
            "C) major",
            "minor or diminished",
            "The answer is not D.",
            "Clip D",
            "",
        ),
    ],
)
def test_replies_without_one_of_four_letters(reply: str) -> None:
    assert parse_answer(reply, CHORDS) is None


@pytest.mark.parametrize("reply", ["C", "The answer is C.", "(D)", '{"answer": "D"}'])
def test_letters_that_a_question_lacks_are_not_read(reply: str) -> None:
    assert parse_answer(reply, PAIR) is None
    assert parse_answer(reply) is None
    assert parse_answer(reply, ["slow", "medium", "fast"]) == ("C" if "C" in reply else None)


def test_reward() -> None:
    item = {"answer": "D", "choices": CHORDS}
    assert listenbench.reward("(D)", item) == 1.0
    assert listenbench.reward("It is augmented.", item) == 1.0
    assert listenbench.reward("C", item) == 0.0


def test_choices_of_the_listener_s_side_say_how_many_letters_there_are(tmp_path: Path) -> None:
    bare = [{name: row[name] for name in row if name != "choices"} for row in ROWS[:12]]
    write_lines(tmp_path / "gold.jsonl", bare)
    (tmp_path / "dataset.json").write_text('{"name": "chords"}', "utf-8")
    write_lines(tmp_path / "metadata.jsonl", [{"id": row["id"], "choices": CHORDS} for row in bare])
    assert read_key(tmp_path).letters == ("A", "B", "C", "D")
    write_lines(tmp_path / "metadata.jsonl", [{"id": row["id"], "choices": PAIR} for row in bare])
    with pytest.raises(listenbench.DataError, match=r"metadata\.jsonl:\d+: the answer is C, and there are 2"):
        read_key(tmp_path)
