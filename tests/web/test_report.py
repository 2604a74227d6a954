"""The report says what the scorer says, whatever submissions are called and however little they answer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from html_reading import PageReader

from listenbench.cli import run
from listenbench.scoring import compare, score
from listenbench.scoring.console import Settings
from listenbench.web.report import make_report

RELEASED = Path(__file__).parents[1] / "data" / "released"
GOLD = RELEASED / "gold.jsonl"
SUBMISSION = RELEASED / "predictions.jsonl"
RESAMPLES = 200
SETTINGS = Settings(duplicates="error", strict=False, resamples=RESAMPLES, seed=0)
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7 * 7 }}"


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def gold_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a submission that says A, but for a few answers that are missing or no letter."""
    rows = [{"id": row["id"], "answer": "A"} for row in gold_rows()[5:]]
    rows[0]["answer"] = "maybe"
    return write(tmp_path_factory.mktemp("constant") / "always-a.jsonl", rows)


@pytest.fixture(scope="module")
def pages(constant: Path) -> PageReader:
    return PageReader(make_report([SUBMISSION, constant], GOLD, SETTINGS).html)


@pytest.fixture(scope="module")
def scores(constant: Path) -> list[dict[str, Any]]:
    return [score(path, GOLD, resamples=RESAMPLES).to_dict() for path in (SUBMISSION, constant)]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text)]


def states(cell: str, figure: dict[str, Any]) -> bool:
    """Return whether a cell has a figure of the JSON form: value, mark of chance, interval."""
    if figure["value"] is None:
        return cell == "-"
    ends = figure["interval"]
    expected = [figure["value"], *([ends["low"], ends["high"]] if ends else [])]
    found = numbers(cell)
    marked = ("~" in cell) == figure["is_chance"]
    return marked and len(found) == len(expected) and found == pytest.approx(expected, abs=0.0501)


def group(score_value: dict[str, Any], **fields: str) -> dict[str, Any]:
    (found,) = (
        each
        for each in score_value["groups"]
        if set(each["by"]) == set(fields) and all(each[field] == name for field, name in fields.items())
    )
    return found


def test_the_headline_is_the_published_one(pages: PageReader, scores: list[dict[str, Any]]) -> None:
    header, first, second, guessing, human = pages.tables["headline-table"]
    names = ("acc_fs", "clean_accuracy", "miss_rate", "false_flip_rate", "pairs_both_right")
    assert header == ["model", "Acc_FS", "clean", "MR", "FFR", "pairs right"]
    for row, value in zip((first, second), scores, strict=True):
        assert all(
            states(cell, value["groups"][0]["figures"][name])
            for cell, name in zip(row[1:], names, strict=True)
        )
    assert [cell.split()[0] for cell in first[1:5]] == ["61.2", "61.2", "36.7", "41.0"]
    assert [cell.split()[0] for cell in guessing[2:]] == ["50.0", "50.0", "50.0", "25.0"]
    assert human[:2] == ["human (published)", "87.0"]


def test_verdicts_compare_with_guessing_and_the_human_line(pages: PageReader) -> None:
    assert ": above guessing, below the human line (87.0)." in pages.text
    assert ": can't be told from guessing, below the human line (87.0); 5 files have no answer" in pages.text


@pytest.mark.parametrize(
    ("table", "fields", "figure"),
    [
        ("task-table", ("task",), "acc_fs"),
        ("rung-table", ("task", "rung"), "miss_rate"),
        ("false-flip-table", ("task", "stay_factor"), "false_flip_rate"),
    ],
)
def test_matrices_have_the_figures_of_all_groups(
    table: str, fields: tuple[str, ...], figure: str, pages: PageReader, scores: list[dict[str, Any]]
) -> None:
    rows = pages.body(table)
    assert len(rows) == sum(set(each["by"]) == set(fields) for each in scores[0]["groups"])
    for row in rows:
        names, (items, *cells) = row[: len(fields)], row[len(fields) :]
        for value, cell in zip(scores, cells, strict=True):
            found = group(value, **dict(zip(fields, names, strict=True)))
            assert int(items) == found["items"]
            assert states(cell, found["figures"][figure])


@pytest.mark.parametrize(("table", "field"), [("miss-table", "task"), ("change-table", "stay_factor")])
def test_misses_stand_beside_false_flips(
    table: str, field: str, pages: PageReader, scores: list[dict[str, Any]]
) -> None:
    for label, model, items, *cells in pages.body(table):
        value = scores[int(model.split()[0]) - 1]
        found = value["groups"][0] if label == "all" else group(value, **{field: label})
        assert int(items) == found["items"]
        names = ("miss_rate", "false_flip_rate", "acc_fs", "clean_accuracy")
        assert all(states(cell, found["figures"][name]) for cell, name in zip(cells, names, strict=True))


def test_thresholds_are_those_of_the_fits(pages: PageReader, scores: list[dict[str, Any]]) -> None:
    rows = pages.body("threshold-table")
    assert len(rows) == sum(len(value["psychometric"]) for value in scores)
    for task, model, shares, threshold, unit, slope, lapse, deviance in rows:
        curve = scores[int(model.split()[0]) - 1]["psychometric"][task]
        told = [numbers(part) for part in shares.split(", ")]
        assert told == [
            pytest.approx([float(rung["rung"]), rung["accuracy"]], abs=0.0501) for rung in curve["rungs"]
        ]
        assert unit == curve["unit"]
        assert [float(slope), float(lapse)] == pytest.approx([curve["slope"], curve["lapse"]], abs=0.0051)
        assert float(deviance) == pytest.approx(curve["deviance"], abs=0.0501)
        for text, bound in zip(
            re.split(r"[ \[\],]+", threshold.rstrip("]")),
            (curve["threshold"], curve["interval"]["low"], curve["interval"]["high"]),
            strict=True,
        ):
            if bound["value"] is None:
                assert text[0] == {"below": "<", "above": ">"}[bound["side"]]
            else:
                assert float(text) == pytest.approx(bound["value"], abs=0.51)


def test_letters_and_pairs(pages: PageReader, scores: list[dict[str, Any]]) -> None:
    for label, model, *cells in pages.body("letter-table"):
        value = scores[int(model.split()[0]) - 1]
        found = value["groups"][0] if label == "all" else group(value, task=label)
        names = ("share_of_a", "accuracy_given_a", "accuracy_given_b")
        assert all(states(cell, found["figures"][name]) for cell, name in zip(cells[:3], names, strict=True))
        assert [int(cell) for cell in cells[3:]] == [
            found["counts"][n] for n in ("files", "invalid", "missing")
        ]
    for label, model, count, both, one, none in pages.body("pair-table"):
        value = scores[int(model.split()[0]) - 1]
        found = value["groups"][0] if label == "all" else group(value, task=label)
        counts = found["counts"]
        assert int(count) == counts["pairs"]
        assert states(both, found["figures"]["pairs_both_right"])
        assert states(one, found["figures"]["pairs_one_right"])
        neither = counts["pairs"] - counts["pairs_right"] - counts["pairs_one_right"]
        assert float(none) == pytest.approx(100 * neither / counts["pairs"], abs=0.0501)


def test_differences_are_those_of_a_comparison(pages: PageReader, constant: Path) -> None:
    differences = compare(SUBMISSION, constant, GOLD, resamples=RESAMPLES).to_dict()["groups"][0][
        "differences"
    ]
    names = {"Acc_FS": "acc_fs", "clean": "clean_accuracy", "MR": "miss_rate", "FFR": "false_flip_rate"}
    rows = pages.body("difference-table")
    assert {row[1] for row in rows} == set(names)
    for _, figure, first, second, difference, *_ in rows:
        told = differences[names[figure]]
        ends = told["interval"]
        assert float(first) == pytest.approx(told["first"], abs=0.0501)
        assert float(second) == pytest.approx(told["second"], abs=0.0501)
        assert numbers(difference) == pytest.approx(
            [told["difference"], ends["low"], ends["high"]], abs=0.0501
        )


def test_every_table_of_the_score_is_there(pages: PageReader, constant: Path) -> None:
    whole = score(constant, GOLD, resamples=RESAMPLES).to_text()
    cells = [
        cell
        for name, rows in pages.tables.items()
        if name.startswith("score-2-")
        for row in rows
        for cell in row
    ]
    assert [word for cell in cells for word in cell.split()] == [
        word for block in whole.split("\n\n")[1:] for line in table_lines(block) for word in line.split()
    ]


def table_lines(block: str) -> list[str]:
    """Return the lines of a table for the terminal without title, rule and note."""
    title, header, rule, *rest = block.splitlines()
    assert title
    columns = len(rule.split())
    rows = [line for line in rest if len(re.split(r"  +", line.strip())) == columns]
    return [header, *rows]


def test_provenance(pages: PageReader, constant: Path) -> None:
    import hashlib

    rows = pages.body("source-table")
    assert [row[1] for row in rows] == ["predictions.jsonl", "always-a.jsonl"]
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (SUBMISSION, constant)]
    assert [row[2] for row in rows] == hashes
    files = "predictions.jsonl always-a.jsonl --key gold.jsonl"
    assert f"listenbench report {files} --out report.html --resamples 200" in pages.text
    assert f"listenbench compare {files} --resamples 200" in pages.text


def test_every_drawing_tells_what_it_shows(pages: PageReader) -> None:
    ids = [value["id"] for _, value in pages.elements if "id" in value]
    assert len(ids) == len(set(ids))
    for attributes in pages.attributes("svg"):
        told = attributes.get("aria-label") or attributes.get("aria-labelledby")
        assert bool(told) == (attributes.get("role") == "img") == (attributes.get("aria-hidden") != "true")
        assert set(str(attributes.get("aria-labelledby") or "").split()) <= set(ids)
    assert {str(use["href"])[1:] for use in pages.attributes("use")} <= set(ids)


def test_the_page_is_the_same_every_time(tmp_path: Path) -> None:
    """Another process, another hash seed, another folder, another way to write the paths."""
    rows = gold_rows()[:90]
    key = write(tmp_path / "key.jsonl", rows)
    first = write(tmp_path / "first.jsonl", [{"id": row["id"], "answer": "B"} for row in rows])
    second = write(
        tmp_path / "second.jsonl", [{"id": row["id"], "answer": row["answer"]} for row in rows[3:]]
    )
    report = make_report([first, second], key, SETTINGS, out=Path("again.html"))
    arguments = ["report", "first.jsonl", str(second), "--key", "key.jsonl", "--out", "again.html", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "listenbench", *arguments, "--resamples", str(RESAMPLES)],
        cwd=tmp_path,
        env={"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    summary = json.loads(done.stdout)
    assert (tmp_path / "again.html").read_text("utf-8") == report.html
    assert summary == {"page": "again.html", **report.to_dict()}
    assert summary["bytes"] == (tmp_path / "again.html").stat().st_size
    assert [model["number"] for model in summary["models"]] == [1, 2]
    figures = [model["figures"]["acc_fs"]["rounded"] for model in summary["models"]]
    assert figures == [
        score(path, key, resamples=RESAMPLES).to_dict()["groups"][0]["figures"]["acc_fs"]["rounded"]
        for path in (first, second)
    ]
    assert [model["missing"] for model in summary["models"]] == [0, 3]
    assert summary["players"] == {"items": [], "recordings": 0, "bytes": 0}


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"{HOSTILE}{number}",
            "answer": "AB"[number % 2],
            "task": f"{HOSTILE} task",
            "item": f"{HOSTILE}{number // 3}",
            "condition": ("clean", "flip", "stay")[number % 3],
            "factor": HOSTILE if number % 3 else None,
            "rung": 100 * (1 + number // 3),
            "choices": [HOSTILE, "second"],
        }
        for number in range(6)
    ]
    key = write(tmp_path / "key.jsonl", rows)
    answers = [{"id": row["id"], "answer": HOSTILE} for row in rows]
    meta = {"model": HOSTILE + "M" * 220, "version": HOSTILE, "date": HOSTILE, "condition": HOSTILE}
    hostile = write(tmp_path / "a'b<c>.jsonl", [{"meta": meta}, *answers])
    other = write(
        tmp_path / "other.jsonl", [{"meta": {"model": HOSTILE}}, {"id": rows[0]["id"], "answer": "A"}]
    )
    page = PageReader(make_report([hostile, other], key, SETTINGS).html)
    assert len(page.attributes("script")) == 1
    assert not page.attributes("img")
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.text.count(HOSTILE) > 20
    assert "49" not in page.tables["headline-table"][1][0]


def test_from_no_answer_to_twelve_models(tmp_path: Path) -> None:
    rows = gold_rows()[:90]
    key = write(tmp_path / "key.jsonl", rows)
    none = write(tmp_path / "none.jsonl", [{"id": row["id"], "answer": "?"} for row in rows])
    one = PageReader(make_report([none], key, SETTINGS).html)
    figures = [cell.split()[0] for cell in one.body("headline-table")[0][1:]]
    assert figures == ["0.0", "0.0", "100.0", "100.0", "0.0"]
    assert "no answer is a letter" in one.text
    assert "difference-table" not in one.tables
    right = [{"id": row["id"], "answer": row["answer"]} for row in rows]
    many = [write(tmp_path / f"{number}.jsonl", right[number:]) for number in range(12)]
    twelve = PageReader(make_report(many, key, SETTINGS).html)
    names = [f"{number + 1} {number}.jsonl" for number in range(12)]
    assert [row[0] for row in twelve.body("headline-table")[:12]] == names
    halves = [twelve.tables[f"task-table-{half}"][0][2:] for half in (1, 2)]
    assert halves == [names[:6], names[6:]]
    assert "Acc_FS by task, models 7 to 12" in twelve.text


def test_guessing_is_that_of_the_number_of_choices(tmp_path: Path) -> None:
    """Four choices, answered by a model and by listeners."""
    rows = [
        {
            "id": f"{item}-{condition}",
            "answer": "ABCD"[(item + (condition == "flip")) % 4],
            "task": "chords",
            "item": f"i{item}",
            "condition": condition,
            "factor": None if condition == "clean" else "eq",
            "rung": 1 + item % 2,
            "choices": ["major", "minor", "diminished", "augmented"],
        }
        for item in range(40)
        for condition in ("clean", "flip", "stay")
    ]
    key = write(tmp_path / "key.jsonl", rows)
    answers = [{"id": row["id"], "answer": "D"} for row in rows]
    model = write(tmp_path / "always-d.jsonl", answers)
    listeners = write(
        tmp_path / "human.jsonl",
        [answer | {"listener": name} for name in ("anna", "ben") for answer in answers],
    )
    for path in (model, listeners):
        page = PageReader(make_report([path], key, SETTINGS).html)
        guessing = page.body("headline-table")[1]
        assert [cell.split()[0] for cell in guessing[1:]] == ["25.0", "25.0", "75.0", "75.0", "6.3"]
        assert "can't be told from guessing" in page.text
        assert "25.0 for guessing." in page.text
        assert "Guessing gets 6.3, 37.5 and 56.3." in page.text
        assert "threshold-table" not in page.tables
        (line,) = {str(path["d"]) for path in page.attributes("path") if path.get("class") == "guessing"}
        assert line == "M153 10L266 123"  # from MR 50, FFR 100 to MR 100, FFR 50


def test_ten_thousand_items_make_no_larger_page(tmp_path: Path) -> None:
    rows = [row for row in gold_rows() if row["task"] == "melody"][:90]
    sizes = []
    for copies in (1, 334):
        many = [
            row | {name: f"{row[name]}-{copy}" for name in ("id", "item")}
            for copy in range(copies)
            for row in rows
        ]
        key = write(tmp_path / "key.jsonl", many)
        answers = write(tmp_path / "a.jsonl", [{"id": row["id"], "answer": "A"} for row in many])
        html = make_report([answers], key, SETTINGS).html
        sizes.append(len(html))
    assert f"on {len(many) // 3} items in {len(many)} recordings" in PageReader(html).text
    assert len(many) > 30_000
    assert sizes[1] == pytest.approx(sizes[0], rel=0.02)


def test_a_data_set_without_counterfactuals_leads_with_clean(tmp_path: Path) -> None:
    rows = [row for row in gold_rows() if row["condition"] == "clean"]
    key = write(tmp_path / "clean.jsonl", rows)
    answers = write(
        tmp_path / "all-right.jsonl", [{"id": row["id"], "answer": row["answer"]} for row in rows]
    )
    page = PageReader(make_report([answers], key, SETTINGS).html)
    assert page.tables["headline-table"][0] == ["model", "clean"]
    assert "Clean accuracy by task" in page.text
    assert "above guessing." in page.text
    assert "human" not in page.text
    assert {"miss-table", "pair-table"} & set(page.tables) == set()


def answers_of_listeners(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return answers of two listeners to a part of the files, one of which both heard."""
    return [
        {"id": row["id"], "answer": row["answer"] if place % 3 else "A", "listener": name}
        for name, part in (("anna", rows[:30]), ("ben", rows[29:60]))
        for place, row in enumerate(part)
    ]


def test_listeners_have_a_report_of_their_own_and_none_beside_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = gold_rows()[:90]
    key = write(tmp_path / "key.jsonl", rows)
    human = write(tmp_path / "human.jsonl", answers_of_listeners(rows))
    model = write(tmp_path / "model.jsonl", [{"id": row["id"], "answer": "A"} for row in rows])
    out = tmp_path / "page.html"
    for files in ([human, model], [model, human]):
        assert run(["report", *map(str, files), "--key", str(key), "--out", str(out)]) == 2
        error = capsys.readouterr().err
        assert "human.jsonl: its lines name a listener" in error
        assert error.count("\n") == 1
    assert not out.exists()
    alone = PageReader(make_report([human], key, SETTINGS).html)
    assert "; 2 listeners gave 61 answers to 60 files, and figures are over these alone." in alone.text
    expected = score(human, key, resamples=RESAMPLES).to_dict()["groups"][0]
    assert states(alone.body("headline-table")[0][1], expected["figures"]["acc_fs"])
    assert alone.body("letter-table")[0][5] == "61"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.jsonl", "--key", "{key}"], "missing.jsonl: it can't be read: No such file"),
        (["{own}", "{own}", "--key", "{key}"], "own.jsonl: it is given twice; give each submission once"),
        (["{own}", "copy.jsonl", "--key", "{key}"], "copy.jsonl: it is a copy of "),
        (["foreign.jsonl", "--key", "{key}"], "foreign.jsonl:1: the id 'nobody' is not in the key"),
        (["{own}", "--key", "nowhere.jsonl"], "nowhere.jsonl"),
        (["{own}", "--data", "empty"], "empty/dataset.json: it can't be read"),
        (["{own}"], "give either --data DIR or --key FILE"),
        (["--key", "{key}"], "Missing argument"),
        (["{own}", "--key", "{key}", "--players", "51"], "players: 51 is not from 0 to 50"),
        (["{own}", "--key", "{key}", "--resamples", "1"], "resamples: 1 is not an integer from 100"),
        (
            ["{own}", "--key", "{key}", "--out", "nowhere/page.html"],
            "nowhere/page.html: it can't be written",
        ),
        (["{own}", "--key", "{key}", "--out", "empty"], "empty: it can't be written"),
        (
            ["{own}", "--key", "{key}", "--out", "own.jsonl"],
            "--out own.jsonl: this is one of the files to read",
        ),
        (["empty", "--key", "{key}"], "empty: it can't be read"),
    ],
)
def test_wrong_requests_are_one_line_and_status_two(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = gold_rows()[:6]
    key = write(tmp_path / "key.jsonl", rows)
    own = write(tmp_path / "own.jsonl", [{"id": rows[0]["id"], "answer": "A"}])
    (tmp_path / "copy.jsonl").write_bytes(own.read_bytes())
    write(tmp_path / "foreign.jsonl", [{"id": "nobody", "answer": "A"}])
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    places = {"{own}": str(own), "{key}": str(key)}
    given = [places.get(argument, argument) for argument in arguments]
    out = [] if "--out" in given else ["--out", "page.html"]
    quick = [] if "--resamples" in given else ["--resamples", "100"]
    assert run(["report", *given, *out, *quick]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_predictions_for_another_data_set_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = gold_rows()[:3]
    data = tmp_path / "data"
    data.mkdir()
    write(data / "gold.jsonl", rows)
    (data / "dataset.json").write_text('{"name": "mine", "fingerprint": "f00"}', "utf-8")
    meta = {"meta": {"model": "m", "dataset_fingerprint": "0ff"}}
    stranger = write(tmp_path / "stranger.jsonl", [meta, {"id": rows[0]["id"], "answer": "A"}])
    arguments = ["report", str(stranger), "--data", str(data), "--out", str(tmp_path / "page.html")]
    assert run(arguments) == 2
    assert "made on the data set with fingerprint '0ff'; 'mine' has 'f00'" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
