"""The published submission and the constant answers score as published."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scoring_data import GOLD, SUBMISSION, read_lines, write_lines

from listenbench.cli import run
from listenbench.scoring import score
from listenbench.scoring.rounding import percent

NAMES = ("clean_accuracy", "acc_fs", "miss_rate", "false_flip_rate")


@pytest.fixture(scope="module")
def constant_a() -> dict[str, str]:
    return {row["id"]: "A" for row in read_lines(GOLD)}


def test_published_submission_scores_as_published() -> None:
    figures = score(SUBMISSION, GOLD).figures
    values = [figures[name].value for name in NAMES]
    assert values == [Fraction(612, 1000), Fraction(6115, 10000), Fraction(367, 1000), Fraction(410, 1000)]
    assert [percent(value) for value in values if value is not None] == ["61.2", "61.2", "36.7", "41.0"]


def test_constant_a_scores_as_published(constant_a: dict[str, str]) -> None:
    result = score(constant_a, GOLD)
    values = [float(100 * (result.figures[name].value or 0)) for name in NAMES]
    assert values == [52.8, 49.45, 53.0, 48.1]
    rhythm = next(g for g in result.analysis.groups if g.by == ("task",) and g.names == ("rhythm",))
    assert rhythm.figures["acc_fs"].value == Fraction(478, 1000)


def test_every_figure_of_a_constant_lies_within_chance(constant_a: dict[str, str]) -> None:
    figures = score(constant_a, GOLD).figures
    assert all(figures[name].is_chance for name in NAMES)


def test_a_constant_answer_has_no_pair_right_where_the_answers_are_opposite(
    constant_a: dict[str, str],
) -> None:
    groups = score(constant_a, GOLD).analysis.groups
    for task in ("melody", "harmony", "timbre"):
        group = next(g for g in groups if g.by == ("task",) and g.names == (task,))
        assert group.totals["pairs"] == 250
        assert group.totals["pairs_right"] == 0
        assert group.totals["pairs_one_right"] == 250


def test_independent_count_of_every_group() -> None:
    """Count the published submission once more, with plain loops."""
    rows = read_lines(GOLD)
    answers = {line["item_id"]: line["answer"] for line in read_lines(SUBMISSION) if "item_id" in line}
    stay_factor = {row["item"]: row["factor"] for row in rows if row["condition"] == "stay"}
    for group in score(SUBMISSION, GOLD).analysis.groups:
        wanted = dict(zip(group.by, group.names, strict=True))
        counts = dict.fromkeys(("clean", "clean_right", "flip", "flip_wrong", "stay", "stay_wrong"), 0)
        for row in rows:
            have = {"task": row["task"], "rung": row["rung"], "stay_factor": stay_factor[row["item"]]}
            if any(have.get(field, name) != name for field, name in wanted.items()):
                continue
            right = answers[row["id"]] == row["answer"]
            counts[row["condition"]] += 1
            counts["clean_right"] += row["condition"] == "clean" and right
            counts["flip_wrong"] += row["condition"] == "flip" and not right
            counts["stay_wrong"] += row["condition"] == "stay" and not right
        assert {name: group.totals[name] for name in counts} == counts, wanted


def test_command_writes_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "score.json"
    arguments = ["score", str(SUBMISSION), "--key", str(GOLD), "--resamples", "200"]
    assert run([*arguments, "--json", str(target)]) == 0
    assert "61.2 [" in capsys.readouterr().out
    value = json.loads(target.read_text(encoding="utf-8"))
    assert value["schema"] == "listenbench.score/1"
    assert value["groups"][0]["figures"]["acc_fs"]["rounded"] == "61.2"
    assert value["groups"][0]["figures"]["acc_fs"]["value"] == 61.15
    for option in (["--json"], ["--json", "-"], ["--json", "--markdown"]):
        assert run([*arguments, *option]) == 0
        assert json.loads(capsys.readouterr().out) == value
    assert run([*arguments, "--markdown"]) == 0
    assert "| all | 1000 | 61.2 \\[" in capsys.readouterr().out
    assert run([*arguments, "--latex"]) == 0
    assert "all & 61.2 & 61.2 & 36.7 & 41.0 \\\\" in capsys.readouterr().out
    assert run([*arguments, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert (rows[0]["by"], rows[0]["acc_fs"], rows[0]["n_flip_wrong"]) == ("all", "61.1500", "367")
    assert [path.name for path in tmp_path.iterdir()] == ["score.json"]


def test_same_seed_same_report_and_another_seed_other_intervals() -> None:
    def intervals(seed: int) -> Any:
        return score(SUBMISSION, GOLD, seed=seed, resamples=500).to_dict()["groups"][0]["figures"]["acc_fs"][
            "interval"
        ]

    assert intervals(0) == intervals(0)
    assert intervals(0) != intervals(1)


def test_data_set_folder_names_itself(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_bytes(GOLD.read_bytes())
    description = {"name": "paper", "seed": 7, "fingerprint": "abc"}
    (tmp_path / "dataset.json").write_text(json.dumps(description), encoding="utf-8")
    value = score(SUBMISSION, tmp_path, resamples=100).to_dict()
    assert {field: value["data"][field] for field in description} == description
    assert value["data"]["letters_assumed_as_published"]
    other = write_lines(
        tmp_path / "p.jsonl", [{"meta": {"dataset_fingerprint": "abd"}}, *read_lines(SUBMISSION)[1:]]
    )
    with pytest.raises(Exception, match="made on the data set with fingerprint 'abd'"):
        score(other, tmp_path)
