"""One model under several conditions: `listenbench score` with several files."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scoring_data import OTHER, balanced_rows, oracle, write_lines

from listenbench.cli import run
from listenbench.errors import DataError
from listenbench.scoring import compare, score, score_conditions

ROWS = balanced_rows()
RIGHT = oracle(ROWS)
META = {"model": "m", "version": "1", "readout": "generated", "used_training_split": "none"}
MELODY_FLIPS = sorted(row["id"] for row in ROWS if (row["task"], row["condition"]) == ("melody", "flip"))


def predictions(given: dict[str, str], condition: Any, **more: Any) -> list[dict[str, Any]]:
    stated = {} if condition is None else {"condition": condition}
    return [{"meta": META | stated | more}, *({"id": name, "answer": given[name]} for name in given)]


HEARD = RIGHT | {name: OTHER[RIGHT[name]] for name in MELODY_FLIPS[:2]}
CONSTANT = dict.fromkeys(RIGHT, "A")
INVERTED = {name: OTHER[letter] for name, letter in RIGHT.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conditions")
    write_lines(folder / "key.jsonl", ROWS)
    write_lines(folder / "audio.jsonl", predictions(HEARD, None))
    write_lines(folder / "none.jsonl", predictions(CONSTANT, "none"))
    write_lines(folder / "noise.jsonl", predictions(INVERTED, "noise"))
    return folder


def paths(folder: Path, *names: str) -> list[Path]:
    return [folder / f"{name}.jsonl" for name in names]


def test_differences_by_hand(folder: Path) -> None:
    found = score_conditions(paths(folder, "audio", "none", "noise"), folder / "key.jsonl", resamples=200)
    assert list(found.scores) == ["audio", "none", "noise"]
    assert set(found.differences) == {"audio", "noise"}
    melody_flips, flips = len(MELODY_FLIPS), 4 * len(MELODY_FLIPS)
    miss_rates = {name: each.figures["miss_rate"].value for name, each in found.scores.items()}
    assert miss_rates == {"audio": Fraction(2, flips), "none": Fraction(1, 2), "noise": Fraction(1)}
    overall = found.differences["audio"][0].differences
    assert overall["miss_rate"].value == Fraction(2, flips) - Fraction(1, 2)
    assert overall["acc_fs"].value == Fraction(1, 2) - Fraction(1, flips)
    assert overall["false_flip_rate"].value == Fraction(-1, 2)
    assert found.differences["noise"][0].differences["acc_fs"].value == Fraction(-1, 2)
    by_task = {group.task: group.differences["miss_rate"].value for group in found.differences["audio"]}
    assert by_task["melody"] == Fraction(2, melody_flips) - Fraction(1, 2)
    assert by_task["rhythm"] == Fraction(-1, 2)


def test_scores_and_intervals_are_those_of_the_other_commands(folder: Path) -> None:
    key = folder / "key.jsonl"
    found = score_conditions(paths(folder, "none", "audio"), key, resamples=300, seed=4)
    alone = score(folder / "audio.jsonl", key, resamples=300, seed=4)
    assert found.to_dict()["conditions"][1]["score"] == alone.to_dict()
    pair = compare(*paths(folder, "none", "audio"), key, resamples=300, seed=4)
    assert found.differences["audio"] == pair.groups


def test_the_difference_is_paired(folder: Path, tmp_path: Path) -> None:
    """Where both are right on the same items, nothing that resampling draws can set them apart."""
    write_lines(tmp_path / "none.jsonl", predictions(HEARD, "none"))
    found = score_conditions(
        [folder / "audio.jsonl", tmp_path / "none.jsonl"], folder / "key.jsonl", resamples=200
    )
    gain = found.differences["audio"][0].differences["acc_fs"]
    assert (gain.value, gain.interval.low, gain.interval.high) == (0, 0.0, 0.0)
    figure = found.scores["none"].figures["acc_fs"]
    assert figure.interval is not None
    assert figure.interval.low < figure.interval.high


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("audio", "audio"), "its condition is 'audio', as that of"),
        (("audio", "noise"), "none of these files has the condition 'none'"),
    ],
)
def test_files_that_state_no_difference(folder: Path, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(DataError, match=words):
        score_conditions(paths(folder, *names), folder / "key.jsonl")


@pytest.mark.parametrize("field", ["model", "readout", "used_training_split"])
def test_conditions_of_two_models_are_refused(folder: Path, tmp_path: Path, field: str) -> None:
    other = "logprob" if field == "readout" else "other"
    answered = predictions(CONSTANT, "none", **{field: other})
    write_lines(tmp_path / "none.jsonl", answered)
    with pytest.raises(DataError, match=f"its {field} is '{other}', and that of .*audio.jsonl is"):
        score_conditions([folder / "audio.jsonl", tmp_path / "none.jsonl"], folder / "key.jsonl")


@pytest.mark.parametrize("condition", [3, "two\nlines", ["none"]])
def test_a_condition_is_a_short_text(folder: Path, condition: Any) -> None:
    lines = predictions(CONSTANT, condition)
    with pytest.raises(DataError, match=r"meta\.condition is"):
        score(lines, folder / "key.jsonl")


def test_the_report_says_what_was_shown(folder: Path) -> None:
    key = folder / "key.jsonl"
    assert "condition: noise (not the recordings" in score(folder / "noise.jsonl", key).to_text()
    assert "condition:" not in score(folder / "audio.jsonl", key).to_text()


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [*map(str, paths(folder, "audio", "none", "noise")), "--key", str(folder / "key.jsonl")]
    arguments = ["score", *files, "--resamples", "200"]
    assert run(arguments) == 0
    text = capsys.readouterr().out
    assert "audio: " in text
    assert "Difference from `none`" in text
    for label in ("audio all", "none all", "noise melody", "none rhythm"):
        assert any(line.startswith(label) for line in text.splitlines()), label
    assert run([*arguments, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["schema"] == "listenbench.conditions/1"
    assert [len(each["from_none"]) for each in value["conditions"]] == [5, 0, 5]
    assert value["conditions"][2]["from_none"][0]["differences"]["acc_fs"]["rounded"] == "-50.0"
    assert run([*arguments, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 3 * 5
    noise = next(row for row in rows if (row["condition"], row["task"]) == ("noise", "melody"))
    assert (noise["acc_fs"], noise["acc_fs_from_none"]) == ("0.0000", "-50.0000")
    assert rows[1]["condition"] == "none"
    assert rows[1]["acc_fs_from_none"] == ""
    assert run([*arguments, "--latex"]) == 0
    latex = capsys.readouterr().out
    assert "noise & 0.0 & 0.0 & 100.0 & 100.0 & -50.0 [-50.0, -50.0]" in latex
    assert run([*arguments, "--markdown"]) == 0
    assert "| audio all |" in capsys.readouterr().out


def test_what_is_ranked_is_answers_to_recordings(folder: Path, tmp_path: Path, capsys: Any) -> None:
    lines = predictions(CONSTANT, "none", date="2026-01")
    (tmp_path / "board").mkdir()
    write_lines(tmp_path / "board" / "none.jsonl", lines)
    out = tmp_path / "board.md"
    arguments = [
        "leaderboard",
        str(tmp_path / "board"),
        "--key",
        str(folder / "key.jsonl"),
        "--out",
        str(out),
    ]
    assert run(arguments) == 2
    assert "meta.condition is 'none'" in capsys.readouterr().err
    assert not out.exists()
