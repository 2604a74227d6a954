"""Answers of listeners: what was asked counts, once for each who was asked."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_data import OTHER, balanced_rows, item_rows, oracle, write_lines

from listenbench import cli
from listenbench.errors import DataError
from listenbench.scoring import compare, score
from listenbench.scoring.bootstrap import resampled_totals
from listenbench.scoring.chance import guessed_figures
from listenbench.scoring.key import read_key
from listenbench.scoring.metrics import METRICS, features, totals
from listenbench.scoring.outcomes import tabulate
from listenbench.scoring.trials import key_of_trials, ordered_trials

ACC_FS = METRICS[3]

ROWS = balanced_rows()
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("listeners") / "key.jsonl", ROWS)


def by(listener: str, answers: dict[str, str]) -> Lines:
    return [{"id": file, "answer": letter, "listener": listener} for file, letter in answers.items()]


def figures(value: dict[str, Any]) -> list[Any]:
    return [value["groups"], value["sensitivity"], value["psychometric"]]


def test_only_what_was_asked_counts(tmp_path: Path) -> None:
    rows = item_rows("i", "A") + item_rows("j", "B")
    path = write_lines(tmp_path / "key.jsonl", rows)
    lines = [
        {"id": "i-c", "answer": "A", "listener": "anna"},
        {"id": "j-f", "answer": "B", "listener": "anna"},
        {"id": "j-f", "answer": "A", "listener": "ben"},
        {"id": "i-s", "answer": "A", "listener": "ben"},
        {"id": "j-s", "answer": None, "listener": "ben"},
        {"id": "j-c", "answer": "maybe", "listener": "ben"},
    ]
    result = score(lines, path, resamples=100)
    assert result.figures["clean_accuracy"].value == Fraction(1, 2)
    assert result.figures["miss_rate"].value == Fraction(1, 2)
    assert result.figures["false_flip_rate"].value == Fraction(1, 2)
    value = result.to_dict()
    assert (value["data"]["files"], value["data"]["items"]) == (6, 2)
    assert {name: value["predictions"][name] for name in ("answered", "missing", "invalid")} == {
        "answered": 5,
        "missing": 1,
        "invalid": 1,
    }
    panel = value["listeners"]
    assert (panel["count"], panel["answers"], panel["files_asked"]) == (2, 6, 5)
    assert [(each["listener"], each["answers"]) for each in panel["each"]] == [("anna", 2), ("ben", 4)]
    anna, ben = (each["figures"] for each in panel["each"])
    assert (anna["clean_accuracy"]["value"], ben["clean_accuracy"]["value"]) == (100.0, 0.0)
    assert (anna["miss_rate"]["value"], ben["miss_rate"]["value"]) == (100.0, 0.0)
    assert anna["acc_fs"]["value"] is None
    text = result.to_text()
    assert "coverage: 83.3 %, 1 missing, 1 invalid" in text
    assert "listeners: 2, with 6 answers to 5 of 6 files; figures are over these answers alone" in text
    assert "anna" in text
    assert "over listeners" in text


@given(st.lists(st.sampled_from("AB"), min_size=len(ROWS), max_size=len(ROWS)))
@settings(max_examples=3)
def test_one_listener_who_answers_everything_is_scored_like_any_submission(
    key: Path, letters: list[str]
) -> None:
    answers = dict(zip((row["id"] for row in ROWS), letters, strict=True))
    plain = score(answers, key, resamples=100).to_dict()
    listened = score(by("anna", answers), key, resamples=100).to_dict()
    assert figures(listened) == figures(plain)
    assert plain["listeners"] is None
    assert set(listened["listeners"]["intervals"].values()) == {None}


def test_a_second_listener_with_the_same_answers_changes_no_figure_and_no_interval(key: Path) -> None:
    """Answers to one item are resampled as one: repeating them tells nothing new about items."""
    answers = oracle(ROWS) | {row["id"]: OTHER[row["answer"]] for row in ROWS[::5]}
    one, two = (
        score([line for name in names for line in by(name, answers)], key, resamples=200).to_dict()
        for names in (["anna"], ["anna", "ben"])
    )
    for first, second in zip(one["groups"], two["groups"], strict=True):
        assert first["items"] == second["items"]
        for name, figure in first["figures"].items():
            assert second["figures"][name]["value"] == figure["value"]
            assert second["figures"][name]["n"] == 2 * figure["n"]
            assert second["figures"][name]["interval"] == pytest.approx(figure["interval"])
    assert two["listeners"]["intervals"]["acc_fs"]["low"] == two["listeners"]["intervals"]["acc_fs"]["high"]


def test_a_second_listener_makes_no_rung_surer(key: Path) -> None:
    """Where all answers at a rung are right, its interval counts files, not answers."""
    everything = oracle(ROWS)
    plain, one, two = (
        score(answers, key, resamples=100).to_dict()["psychometric"]
        for answers in (
            everything,
            by("anna", everything),
            by("anna", everything) + by("ben", everything) + by("cleo", dict([*everything.items()][:9])),
        )
    )
    assert one == plain
    for task, curve in plain.items():
        for rung, more in zip(curve["rungs"], two[task]["rungs"], strict=True):
            assert rung["interval"]["method"] == "wilson"
            assert more["interval"] == rung["interval"]
            assert more["files"] >= 2 * rung["files"]


def test_intervals_over_listeners_are_those_of_their_shares(key: Path) -> None:
    """Two listeners, one always right and one always wrong: a resample has both right, one or none."""
    right = oracle(ROWS)
    wrong = {file: OTHER[letter] for file, letter in right.items()}
    value = score(by("anna", right) + by("ben", wrong), key, resamples=400).to_dict()
    assert value["groups"][0]["figures"]["acc_fs"]["value"] == 50.0
    interval = value["listeners"]["intervals"]["acc_fs"]
    assert (interval["low"], interval["high"]) == (0.0, 100.0)


@given(st.randoms(use_true_random=False))
@settings(max_examples=2)
def test_the_order_of_lines_changes_nothing(key: Path, random: Any) -> None:
    lines = by("anna", oracle(ROWS[::2])) + by("ben", {row["id"]: "A" for row in ROWS[::3]})
    shuffled = list(lines)
    random.shuffle(shuffled)
    first, second = (score(each, key, resamples=100).to_dict() for each in (lines, shuffled))
    assert figures(first) == figures(second)
    assert first["listeners"] == second["listeners"]


def test_a_resample_draws_clusters_as_a_whole() -> None:
    counted = {"right": np.array([1, 0, 1, 0, 0]), "files": np.array([1, 1, 1, 1, 1])}
    clusters = np.array([7, 7, 8, 8, 8])
    ones, zeros = np.ones(5, np.int64), np.zeros(5, np.int64)
    draws = resampled_totals(counted, ones, zeros, 500, np.random.default_rng(0), clusters)
    pairs = set(zip(draws["right"].tolist(), draws["files"].tolist(), strict=True))
    assert pairs == {(2.0, 4.0), (2.0, 5.0), (2.0, 6.0)}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([*by("anna", {"i-c": "A"}), {"id": "i-f", "answer": "A"}], "unlike earlier lines"),
        ([{"id": "i-f", "answer": "A"}, *by("anna", {"i-c": "A"})], "unlike earlier lines"),
        (by("anna", {"i-c": "A"}) * 2, "was answered in line 1 already"),
        ([{"id": "i-c", "answer": "A", "listener": 3}], "it must be a short text"),
        (by("", {"i-c": "A"}), "it must be a short text"),
        (by("a\nb", {"i-c": "A"}), "it must be a short text"),
        (by("x" * 101, {"i-c": "A"}), "it must be a short text"),
    ],
)
def test_lines_that_can_t_be_used(tmp_path: Path, lines: Lines, words: str) -> None:
    path = write_lines(tmp_path / "key.jsonl", item_rows("i", "A"))
    with pytest.raises(DataError, match=words):
        score(lines, path, resamples=100)


def test_a_second_answer_of_a_listener_counts_as_told(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "key.jsonl", item_rows("i", "A"))
    lines = [*by("anna", {"i-c": "A"}), *by("ben", {"i-c": "B"}), *by("anna", {"i-c": "B"})]
    for duplicates, right in (("first", Fraction(1, 2)), ("last", Fraction(0))):
        result = score(lines, path, resamples=100, duplicates=duplicates)  # type: ignore[arg-type]
        assert result.figures["clean_accuracy"].value == right
        assert result.predictions.repeated == 1


def test_listeners_are_neither_compared_nor_ranked(
    key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = by("anna", oracle(ROWS))
    with pytest.raises(DataError, match="can be scored alone, but not compared or ranked"):
        compare(oracle(ROWS), lines, key, resamples=100)
    meta = {"model": "m", "version": "1", "readout": "generated", "used_training_split": "none", "date": "d"}
    (tmp_path / "all").mkdir()
    write_lines(tmp_path / "all" / "m.jsonl", [{"meta": meta}, *lines])
    assert (
        cli.run(["leaderboard", str(tmp_path / "all"), "--key", str(key), "--out", str(tmp_path / "l.md")])
        == 2
    )
    assert "name a listener" in capsys.readouterr().err


def test_listeners_are_no_condition(key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = [{"meta": {"condition": "none"}}, *({"id": row["id"], "answer": "A"} for row in ROWS)]
    write_lines(tmp_path / "none.jsonl", none)
    write_lines(tmp_path / "human.jsonl", by("anna", oracle(ROWS)))
    files = [str(tmp_path / "human.jsonl"), str(tmp_path / "none.jsonl")]
    assert cli.run(["score", *files, "--key", str(key), "--resamples", "100"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "human.jsonl: its lines name a listener" in told.err


def test_the_range_of_guessing_holds_95_in_100_panels_that_guess(tmp_path: Path) -> None:
    """Three listeners over questions with two and with four choices, each asked about a part of the files."""
    rows = [
        row | {"choices": words, "answer": "ABCD"[(number + place) % len(words)]}
        for words in (["same", "different"], ["major", "minor", "diminished", "augmented"])
        for number in range(40)
        for place, row in enumerate(item_rows(f"{len(words)}-{number}", "A"))
    ]
    key = read_key(write_lines(tmp_path / "key.jsonl", rows))
    letters = np.array([len(row["choices"]) for row in rows])
    draw = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        asked = [(name, row) for name in "abc" for row in range(len(rows)) if draw.random() < 0.6]
        trials, _ = ordered_trials({trial: place for place, trial in enumerate(asked)}, key)
        guesses = draw.integers(0, letters[trials.rows]).astype(np.uint8)
        table = tabulate(key_of_trials(key, trials), guesses)
        guessed = guessed_figures(table)["acc_fs"]
        value = ACC_FS.exact(totals(features(table.decoded()), table.counts))
        assert value is not None
        inside += guessed.interval.low <= value <= guessed.interval.high
    assert 367 <= inside <= 393  # 380, three standard deviations to each side


def test_a_file_is_named_with_what_is_missing_under_strict(key: Path) -> None:
    score(by("anna", {ROWS[0]["id"]: "A"}), key, resamples=100, strict=True)
    lines = [{"id": ROWS[0]["id"], "answer": None, "listener": "anna"}]
    with pytest.raises(DataError, match="1 of 1 files have no answer"):
        score(lines, key, resamples=100, strict=True)
