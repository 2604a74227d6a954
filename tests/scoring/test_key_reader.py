"""Reading answer keys: every contradiction is found and told with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scoring_data import item_rows, oracle, write_lines

from listenbench.cli import run
from listenbench.errors import DataError
from listenbench.scoring import score
from listenbench.scoring.key import read_key

ROW = item_rows("one", "A")[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, "no id"),
        ({"id": 3}, "id is 3"),
        ({"id": "one-f"}, "stands in the key twice"),
        ({"answer": "C"}, "answer is 'C'; it must be one of A, B"),
        ({"answer": "E"}, "answer is 'E'; it must be one of A, B, C, D"),
        ({"answer": "C", "choices": ["same", "different"]}, "the answer is C, and there are 2 choices"),
        ({"answer": None}, "answer is None"),
        ({"answer": ["A"]}, "answer is ['A']"),
        ({"condition": "hot"}, "condition is 'hot'"),
        ({"condition": {}}, "condition is {}"),
        ({"condition": "flip"}, "two flip rows"),
        ({"task": None}, "task is None"),
        ({"task": " "}, "task is ' '"),
        ({"task": "harmony"}, "another task in an earlier row"),
        ({"rung": 200}, "another rung in an earlier row"),
        ({"texture": "solo"}, "another texture in an earlier row"),
        ({"rung": None}, "rung is None"),
        ({"rung": True}, "rung is True"),
        ({"rung": float("inf")}, "rung is inf"),
        ({"rung": float("nan")}, "rung is nan"),
        ({"rung": 10**400}, "rung is 1000"),
        ({"rung": ""}, "rung is ''"),
        ({"item": 5}, "item is 5"),
        ({"item": "a\nb"}, "control character"),
        ({"task": "x" * 500}, "too long"),
        ({"task": "\ud800"}, "control character"),
        ({"factor": 3}, "factor is 3"),
        ({"choices": "ab"}, "choices are 'ab'"),
        ({"choices": ["same"]}, "choices are"),
        ({"choices": ["1", "2", "3", "4", "5"]}, "2 to 4 of them"),
        ({"choices": {"A": "same", "C": "x"}}, "choices are"),
    ],
)
def test_bad_rows(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    rows = item_rows("one", "A")
    rows[2] |= change
    with pytest.raises(DataError) as caught:
        read_key(write_lines(tmp_path / "key.jsonl", rows))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'key.jsonl'}:3: ")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "it has no rows"),
        ("\n\n", "it has no rows"),
        ("[]", ":1: the line is not a JSON object"),
        ("x", ":1: not JSON"),
    ],
)
def test_files_that_are_no_key(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "key.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_key(tmp_path / "key.jsonl")


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (None, "dataset.json: it can't be read"),
        ("{", "not a JSON file"),
        ("[" * 100_000, "not a JSON file"),
        ("[]", "no 'name'"),
        ('{"name": 3}', "no 'name'"),
        ('{"name": "n", "seed": "0"}', "'seed' is not an integer"),
        ('{"name": "n", "fingerprint": 0}', "'fingerprint' is not a text"),
    ],
)
def test_folders_that_are_no_data_set(tmp_path: Path, description: str | None, message: str) -> None:
    write_lines(tmp_path / "gold.jsonl", [ROW])
    if description is not None:
        (tmp_path / "dataset.json").write_text(description, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_key(tmp_path)


def test_folder_without_a_key(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be read"):
        read_key(tmp_path)


def test_rungs_are_ordered_by_value_and_numbers_are_their_texts(tmp_path: Path) -> None:
    rungs: list[Any] = [700, "100", 400.0, "near", 1.35, 1]
    rows = [row for n, rung in enumerate(rungs) for row in item_rows(f"i{n}", "A", rung=rung)]
    assert read_key(write_lines(tmp_path / "k.jsonl", rows)).names["rung"] == (
        "1",
        "1.35",
        "100",
        "400",
        "700",
        "near",
    )


def test_choices_come_from_the_rows_then_the_metadata_then_the_published_ones(tmp_path: Path) -> None:
    rows = item_rows("one", "A")
    folder = tmp_path / "data"
    folder.mkdir()
    write_lines(folder / "gold.jsonl", rows)
    (folder / "dataset.json").write_text(json.dumps({"name": "n"}), encoding="utf-8")
    key = read_key(folder)
    assert key.assumed_choices
    assert key.choices[key.choices_of_row[0]] == ("same", "different")
    write_lines(
        folder / "metadata.jsonl", [{"id": row["id"], "choices": ["different", "same"]} for row in rows]
    )
    key = read_key(folder)
    assert not key.assumed_choices
    assert {key.choices[code] for code in key.choices_of_row} == {("different", "same")}
    write_lines(folder / "gold.jsonl", [row | {"choices": {"B": "low", "A": "high"}} for row in rows])
    key = read_key(folder)
    assert {key.choices[code] for code in key.choices_of_row} == {("high", "low")}


def test_metadata_with_bad_choices_is_an_error(tmp_path: Path) -> None:
    write_lines(tmp_path / "metadata.jsonl", [{"id": "one-c", "choices": [1, 2]}])
    write_lines(tmp_path / "gold.jsonl", item_rows("one", "A"))
    with pytest.raises(DataError, match=r"metadata.jsonl:1: choices are \[1, 2\]"):
        read_key(tmp_path / "gold.jsonl")


def test_a_key_of_clean_rows_has_clean_figures_alone(tmp_path: Path) -> None:
    rows = [row for n in range(4) for row in item_rows(f"i{n}", "AB"[n % 2])[:1]]
    path = write_lines(tmp_path / "k.jsonl", rows)
    figures = score(oracle(rows), path, resamples=100).figures
    assert figures["clean_accuracy"].value == 1
    assert figures["acc_fs"].value is None
    assert figures["miss_rate"].value is None


def test_names_that_a_terminal_would_act_on_are_written_as_escapes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = item_rows("one", "A")
    folder = tmp_path / "data\udcff\x1b[31m\n"
    folder.mkdir()
    write_lines(folder / "gold.jsonl", rows)
    description = {"name": "n\x1b[31m\n\ud800", "fingerprint": "\x07f"}
    (folder / "dataset.json").write_text(json.dumps(description), encoding="utf-8")
    predictions = write_lines(folder / "p.jsonl", [{"id": "one-c", "answer": "A"}])
    arguments = [str(predictions), "--data", str(folder), "--resamples", "100"]
    for command in (["score", *arguments], ["compare", str(predictions), *arguments]):
        assert run(command) == 0
        printed = capsys.readouterr().out
        assert "data: n\\x1b[31m\\n\\ud800" in printed
        assert all(character.isprintable() or character == "\n" for character in printed)


def test_too_many_distinct_names(tmp_path: Path) -> None:
    rows = [item_rows(f"i{n}", "A", rung=n)[0] for n in range(1001)]
    with pytest.raises(DataError, match=r":1001: rung: more than 1000 distinct values"):
        read_key(write_lines(tmp_path / "k.jsonl", rows))
