"""Comparing two submissions, and ranking a folder of them."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scoring_data import GOLD, OTHER, SUBMISSION, item_rows, oracle, read_lines, write_lines
from statsmodels.stats.contingency_tables import mcnemar

from listenbench.cli import run
from listenbench.scoring import compare

META = {
    "model": "m",
    "version": "1",
    "readout": "generated",
    "used_training_split": "none",
    "date": "2026-01",
}
ROWS = [row for n in range(60) for row in item_rows(f"i{n:02d}", "AB"[n % 2])]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "key.jsonl", ROWS)


def answers(*wrong: str) -> dict[str, str]:
    """Return right answers but for the named files."""
    return {name: OTHER[letter] if name in wrong else letter for name, letter in oracle(ROWS).items()}


def test_differences_by_hand(key: Path) -> None:
    first = answers(*(f"i{n:02d}-f" for n in range(20)), *(f"i{n:02d}-s" for n in range(5)))
    second = answers(*(f"i{n:02d}-f" for n in range(4)), *(f"i{n:02d}-s" for n in range(3, 10)), "i30-c")
    overall, task = compare(first, second, key, resamples=2000).groups
    assert (overall.task, task.task, overall.items) == (None, "melody", 60)
    values = {name: difference.value for name, difference in overall.differences.items()}
    assert values["clean_accuracy"] == Fraction(-1, 60)
    assert values["miss_rate"] == Fraction(4 - 20, 60)
    assert values["false_flip_rate"] == Fraction(7 - 5, 60)
    assert values["acc_fs"] == Fraction(14, 120)
    assert (overall.mcnemar["flip"].only_first, overall.mcnemar["flip"].only_second) == (0, 16)
    assert (overall.mcnemar["stay"].only_first, overall.mcnemar["stay"].only_second) == (5, 3)
    assert overall.mcnemar["stay"].p == pytest.approx(mcnemar([[0, 5], [3, 0]], exact=True).pvalue)
    net = overall.net
    assert net is not None
    assert (net.miss_rate_fall, net.false_flip_rate_fall) == (Fraction(16, 60), Fraction(-2, 60))
    assert net.value == Fraction(18, 60)
    assert net.interval.low > 0
    assert net.p < 0.01


def test_paired_error_and_detectable_difference_follow_theory(key: Path) -> None:
    generator = np.random.default_rng(0)
    files = [row["id"] for row in ROWS]
    first = answers(*generator.choice(files, 60, replace=False))
    second = answers(*generator.choice(files, 40, replace=False))
    overall = compare(first, second, key, resamples=20_000).groups[0]
    right = oracle(ROWS)
    per_item: dict[str, float] = {}
    for row in ROWS:
        if row["condition"] != "clean":
            gain = (second[row["id"]] == right[row["id"]]) - (first[row["id"]] == right[row["id"]])
            per_item[row["item"]] = per_item.get(row["item"], 0) + gain / 2
    error = float(np.std(list(per_item.values()))) / math.sqrt(60)
    difference = overall.differences["acc_fs"]
    assert float(difference.value) == pytest.approx(np.mean(list(per_item.values())))
    assert difference.detectable == pytest.approx(2.8016 * error, rel=0.03)
    assert difference.interval.high - difference.interval.low == pytest.approx(3.92 * error, rel=0.05)
    assert difference.at_best == Fraction(6, 120)


def test_six_files_are_the_fewest_that_show_a_difference(key: Path) -> None:
    for wrong, significant in ((5, False), (6, True)):
        group = compare(
            answers(*(f"i{n:02d}-c" for n in range(wrong))), answers(), key, resamples=100
        ).groups[0]
        assert (group.mcnemar["clean"].p < 0.05) == significant
        assert (
            group.differences["clean_accuracy"].value >= group.differences["clean_accuracy"].at_best
        ) == significant


def test_compare_command(key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [
        write_lines(tmp_path / f"{n}.jsonl", [{"id": k, "answer": v} for k, v in each.items()])
        for n, each in enumerate((answers("i00-f"), answers()))
    ]
    arguments = ["compare", *map(str, paths), "--key", str(key), "--resamples", "200"]
    assert run([*arguments, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["schema"] == "listenbench.comparison/1"
    assert value["groups"][0]["differences"]["miss_rate"]["rounded"] == "-1.7"
    assert run(arguments) == 0
    assert "McNemar" in capsys.readouterr().out
    assert run([*arguments, "--markdown"]) == 0
    assert "| clean | 100.0 | 100.0 | 0.0 \\[0.0, 0.0\\] |" in capsys.readouterr().out
    assert run([*arguments[:2], "/nowhere.jsonl", *arguments[3:]]) == 2


def submit(folder: Path, name: str, meta: dict[str, Any], given: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    lines: list[dict[str, Any]] = [{"meta": META | meta}]
    write_lines(folder / name, [*lines, *({"id": k, "answer": v} for k, v in given.items())])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    submit(folder, "a.jsonl", {"model": "second"}, answers("i00-f", "i01-f"))
    submit(folder, "b.jsonl", {"model": "best"}, answers())
    submit(folder, "c.jsonl", {"model": "also second"}, answers("i00-s", "i01-s"))
    submit(folder, "d.jsonl", {"model": "tuned", "used_training_split": "train"}, answers("i05-f"))
    (folder / "notes.txt").write_text("not a submission", encoding="utf-8")
    return folder


def ranked(folder: Path, key: Path, *more: str) -> list[dict[str, str]]:
    out = folder.parent / "board.csv"
    arguments = ["leaderboard", str(folder), "--key", str(key), "--out", str(out), "--resamples", "100"]
    assert run([*arguments, *more]) == 0
    return list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))


def test_ranks(folder: Path, key: Path) -> None:
    rows = ranked(folder, key)
    assert [(row["table"], row["rank"], row["model"]) for row in rows] == [
        ("zero-shot", "1", "best"),
        ("zero-shot", "2", "also second"),
        ("zero-shot", "2", "second"),
        ("trained", "1", "tuned"),
        ("reference", "", "always A"),
        ("reference", "", "always B"),
        ("reference", "", "guessing (expected)"),
    ]
    by_model = {row["model"]: row for row in rows}
    assert by_model["second"]["acc_fs"] == "98.3333"
    assert by_model["always A"]["acc_fs"] == "50.0000"
    guessing = by_model["guessing (expected)"]
    assert (guessing["acc_fs"], guessing["pairs_both_right"], guessing["acc_fs_is_chance"]) == (
        "50.0000",
        "25.0000",
        "true",
    )


@pytest.mark.parametrize(
    ("name", "trials", "share"),
    [
        ("acc_fs", 120, 0.5),
        ("clean_accuracy", 60, 0.5),
        ("miss_rate", 60, 0.5),
        ("pairs_both_right", 60, 0.25),
    ],
)
def test_guessing_has_the_binomial_mean_and_range(
    key: Path, folder: Path, name: str, trials: int, share: float
) -> None:
    """The range that a line of guessing states holds about 95 % of the exact binomial distribution."""
    row = next(row for row in ranked(folder, key) if row["model"].startswith("guessing"))
    assert float(row[name]) == 100 * share
    inside = [
        k
        for k in range(trials + 1)
        if float(row[f"{name}_low"]) <= 100 * k / trials <= float(row[f"{name}_high"])
    ]
    assert 0.93 < stats.binom.pmf(inside, trials, share).sum() < 0.97


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def test_hostile_names_stay_texts(folder: Path, key: Path) -> None:
    name = "<script>alert(1)</script> | =1+1 `x` [a](b)"
    submit(folder, "e.jsonl", {"model": name, "version": "=1+1"}, answers())
    for ending in ("html", "md"):
        out = folder.parent / f"board.{ending}"
        assert (
            run(["leaderboard", str(folder), "--key", str(key), "--out", str(out), "--resamples", "100"]) == 0
        )
    page = _Page()
    text = (folder.parent / "board.html").read_text(encoding="utf-8")
    page.feed(text)
    assert "script" not in page.tags
    assert name in page.cells
    assert "http" not in text
    assert not {"src", "href", "onclick"} & {attribute for attribute, _ in page.attributes}
    lines = (folder.parent / "board.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if "alert" in line]
    assert "<script>" not in line
    assert line.replace("\\|", "").count("|") == 14
    assert next(row for row in ranked(folder, key) if row["model"] == name)["version"] == "'=1+1"


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"model": ""}, "meta.model is missing"),
        ({"version": None}, "meta.version is missing"),
        ({"date": "  "}, "meta.date is missing"),
        ({"readout": "guess"}, "meta.readout is 'guess'"),
        ({"used_training_split": None}, "meta.used_training_split is missing"),
    ],
)
def test_submissions_that_are_refused(
    folder: Path, key: Path, capsys: pytest.CaptureFixture[str], meta: dict[str, Any], message: str
) -> None:
    submit(folder, "bad.jsonl", meta, answers())
    (folder / "broken.jsonl").write_text("{", encoding="utf-8")
    out = folder.parent / "board.md"
    arguments = ["leaderboard", str(folder), "--key", str(key), "--out", str(out), "--resamples", "100"]
    assert run(arguments) == 2
    errors = capsys.readouterr().err
    assert f"bad.jsonl:1: {message}" in errors
    assert "broken.jsonl:1: not JSON" in errors
    assert "can't use 2 of them" in errors
    assert not out.exists()
    assert run([*arguments, "--skip-invalid"]) == 0
    assert "3 zero-shot and 1 trained" in capsys.readouterr().out


def test_a_folder_of_unusable_submissions_gives_no_page(
    tmp_path: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "unusable"
    folder.mkdir()
    (folder / "broken.jsonl").write_text("{", encoding="utf-8")
    out = tmp_path / "board.md"
    assert run(["leaderboard", str(folder), "--key", str(key), "--out", str(out), "--skip-invalid"]) == 2
    assert "no submission is left" in capsys.readouterr().err
    assert not out.exists()


def test_folders_and_targets_that_are_refused(
    folder: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    clean = write_lines(tmp_path / "clean.jsonl", [row for row in ROWS if row["condition"] == "clean"])
    for submissions, data, out, message in (
        (tmp_path / "empty", key, "b.md", "it has no submissions"),
        (tmp_path / "none", key, "b.md", "it is no folder"),
        (folder, key, "b.pdf", "its name must end in .html, .md, .csv"),
        (folder, clean, "b.md", "no FLIP or no STAY files"),
    ):
        assert run(["leaderboard", str(submissions), "--key", str(data), "--out", str(tmp_path / out)]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / out).exists()


def test_published_submission_is_ranked_with_its_published_figures(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "qwen.jsonl").write_bytes(SUBMISSION.read_bytes())
    rows = ranked(folder, GOLD)
    assert (rows[0]["model"], rows[0]["acc_fs"]) == ("Qwen2.5-Omni-7B", "61.1500")
    assert (rows[1]["model"], rows[1]["clean_accuracy"], rows[1]["acc_fs"]) == (
        "always A",
        "52.8000",
        "49.4500",
    )
    assert len(read_lines(GOLD)) == 3000
