"""Reading predictions: what is accepted, and how each bad line is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from scoring_data import item_rows, oracle, write_lines

from listenbench.cli import run
from listenbench.errors import DataError
from listenbench.scoring import jsonlines, score
from listenbench.scoring.answers import INVALID, MISSING
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.predictions import Predictions, read_predictions
from listenbench.scoring.problems import BadLinesError

ROWS = [*item_rows("one", "A"), *item_rows("two", "B")]
GOOD = [json.dumps({"id": row["id"], "answer": row["answer"]}) for row in ROWS]


@pytest.fixture
def key_path(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "key.jsonl", ROWS)


@pytest.fixture
def key(key_path: Path) -> AnswerKey:
    return read_key(key_path)


def read_bytes(tmp_path: Path, key: AnswerKey, content: bytes, **more: Any) -> Predictions:
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    return read_predictions(path, key, **more)


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(GOOD).encode(),
        "\r\n".join(GOOD).encode() + b"\r\n",
        b"\xef\xbb\xbf" + "\n".join(GOOD).encode(),
        b"\xef\xbb\xbf" + "\r\n".join(['{"meta": {"model": "m"}}', *GOOD]).encode(),
        "\n\n  \n".join(GOOD).encode() + b"\n\n",
        "\n".join(line.replace('"id"', '"item_id"') for line in GOOD).encode(),
        "\n".join(line.replace('"A"', '" a "') for line in GOOD).encode(),
    ],
    ids=["lf", "crlf", "bom", "bom and meta", "blank lines", "item_id", "spaces and case"],
)
def test_forms_that_are_accepted(tmp_path: Path, key: AnswerKey, content: bytes) -> None:
    predictions = read_bytes(tmp_path, key, content)
    assert predictions.responses.tolist() == key.truth.tolist()
    assert (predictions.readout, predictions.missing, predictions.repeated) == ("answer", 0, 0)


BAD = [
    (b"hello", "not JSON"),
    (b'{"id": "one-c", "answer": "A"', "not JSON"),
    (b'{"id": "one-c", "answer": "A"} {}', "not JSON"),
    (b"[1, 2]", "not a JSON object"),
    (b'"one-c"', "not a JSON object"),
    (b"null", "not a JSON object"),
    (b'{"answer": "A"}', "no id"),
    (b'{"id": null, "answer": "A"}', "no id"),
    (b'{"id": 7, "answer": "A"}', "id is 7"),
    (b'{"id": ["one-c"], "answer": "A"}', "must be one text"),
    (b'{"id": "one-c", "item_id": "two-c", "answer": "A"}', "must be one text"),
    (b'{"id": "three-c", "answer": "A"}', "not in the key"),
    (b'{"id": "", "answer": "A"}', "not in the key"),
    (b'{"id": "one-c"}', "it has none"),
    (b'{"id": "one-c", "answer": "A", "text": "A"}', "it has answer and text"),
    (b'{"id": "one-c", "answer": 1}', "must be a text"),
    (b'{"id": "one-c", "answer": true}', "must be a text"),
    (b'{"id": "one-c", "answer": ["A"]}', "must be a text"),
    (b'{"id": "one-c", "answer": "A", "answer": "B"}', "more than once"),
    (b'{"id": "one-c", "text": "A"}', "don't mix readouts"),
    (b'{"id": "one-c", "logprobs": {"A": -1, "B": -2}}', "don't mix readouts"),
    (b'{"meta": {"model": "late"}}', "first line"),
    ('{"id": "one-c", "answer": "A"}'.encode("utf-16"), "UTF-16"),
    (b'{"id": "one-c", "answer": "\xff"}', "not UTF-8"),
    (b"[" * 200_000, "nested too deeply"),
    (b'{"id": "one-c", "answer": ' + b"9" * 5000 + b"}", "too many digits"),
    (b'{"id": "one-c\x00", "answer": "A"}', "not JSON"),
    (b"\x00" * 40, "not JSON"),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=[reason for _, reason in BAD])
def test_a_bad_line_is_reported_with_its_place(
    tmp_path: Path, key: AnswerKey, line: bytes, reason: str
) -> None:
    content = b"\n".join([GOOD[1].encode(), line, GOOD[2].encode()])
    with pytest.raises(BadLinesError) as caught:
        read_bytes(tmp_path, key, content)
    (problem,) = caught.value.problems
    assert problem.line == 2
    assert reason in problem.reason
    assert str(problem).startswith(f"{tmp_path / 'p.jsonl'}:2: ")
    assert len(str(caught.value).splitlines()) == 1


def test_all_bad_lines_are_counted_and_reported(key_path: Path, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join([GOOD[0], "x", "{}", "[]", *["y"] * 30]), encoding="utf-8")
    assert run(["score", str(path), "--key", str(key_path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == f"listenbench: {path}:2: not JSON: Expecting value at column 1 (33 bad lines in all)"
    assert lines[0] == f"{path}:3: no id"
    assert lines[1] == f"{path}:4: the line is not a JSON object"
    assert lines[-2] == "... and 13 more bad lines"
    assert len(lines) == 21


def test_a_line_that_is_too_long_is_one_bad_line(
    tmp_path: Path, key: AnswerKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonlines, "MAXIMUM_LINE_BYTES", 100)
    content = b"\n".join([GOOD[0].encode(), b'{"id": "' + b"x" * 1000, GOOD[1].encode()])
    with pytest.raises(BadLinesError, match=r":2: the line is longer than") as caught:
        read_bytes(tmp_path, key, content)
    assert caught.value.count == 1


@pytest.mark.parametrize(("policy", "letter"), [("first", 0), ("last", 1)])
def test_repeated_answers(tmp_path: Path, key: AnswerKey, policy: Any, letter: int) -> None:
    content = b'{"id": "one-c", "answer": "A"}\n{"id": "one-c", "answer": "B"}\n'
    predictions = read_bytes(tmp_path, key, content, duplicates=policy)
    assert predictions.responses[key.rows["one-c"]] == letter
    assert predictions.repeated == 1
    with pytest.raises(DataError, match=r":2: the id 'one-c' was answered in line 1 already"):
        read_bytes(tmp_path, key, content)


def test_reasons_follow_the_answer_that_counts(tmp_path: Path, key: AnswerKey) -> None:
    content = b'{"id": "one-c", "answer": "no"}\n{"id": "one-c", "answer": "B"}\n'
    assert read_bytes(tmp_path, key, content, duplicates="last").invalid_reasons == {}
    assert read_bytes(tmp_path, key, content, duplicates="first").invalid_reasons == {"not a letter": 1}


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ('{"A": -0.1, "B": -2.3}', 0),
        ('{"A": -3, "B": -2.3, " A": 0}', 1),
        ('{"A": -1, "B": -1.0}', INVALID),
        ('{"A": NaN, "B": -1}', INVALID),
        ('{"A": -Infinity, "B": -1}', INVALID),
        ('{"A": 1e999, "B": -1}', INVALID),
        ('{"A": -1}', INVALID),
        ('{"A": -1, "B": null}', INVALID),
        ('{"A": -' + "9" * 400 + ', "B": -1}', 1),
        ("null", MISSING),
    ],
)
def test_log_probabilities(tmp_path: Path, key: AnswerKey, values: str, code: int) -> None:
    predictions = read_bytes(tmp_path, key, f'{{"id": "one-c", "logprobs": {values}}}'.encode())
    assert predictions.responses[key.rows["one-c"]] == code


@pytest.mark.parametrize(
    "values", ['{"A": "x", "B": 1}', '{"A": true, "B": 1}', "[1, 2]", '{"A": [], "B": 1}', '"A"']
)
def test_log_probabilities_of_another_type_are_bad_lines(tmp_path: Path, key: AnswerKey, values: str) -> None:
    with pytest.raises(BadLinesError, match=r":1: logprobs"):
        read_bytes(tmp_path, key, f'{{"id": "one-c", "logprobs": {values}}}'.encode())


def test_missing_invalid_and_null_are_counted_apart(key_path: Path) -> None:
    entries = [
        {"id": "one-c", "answer": None},
        {"id": "one-f", "answer": "unsure"},
        {"id": "one-s", "answer": "A"},
    ]
    value = score(entries, key_path, resamples=100).to_dict()
    assert value["predictions"]["answered"] == 2
    assert value["predictions"]["missing"] == 4
    assert value["predictions"]["invalid"] == 1
    assert value["predictions"]["invalid_reasons"] == {"not a letter": 1}
    counts = value["groups"][0]["counts"]
    assert (counts["missing"], counts["invalid"], counts["answered"], counts["files"]) == (4, 1, 1, 6)


def test_strict_fails_on_anything_missing(key_path: Path) -> None:
    answers = oracle(ROWS)
    score(answers, key_path, strict=True, resamples=100)
    del answers["two-s"]
    with pytest.raises(DataError, match="1 of 6 files have no answer"):
        score(answers, key_path, strict=True)


def test_python_sources_agree_with_the_file(tmp_path: Path, key_path: Path) -> None:
    answers = oracle(ROWS) | {"one-c": "B"}
    lines = [{"id": name, "answer": answer} for name, answer in answers.items()]

    def generated() -> Iterator[Mapping[str, Any]]:
        yield from lines

    groups = [
        score(source, key_path, resamples=100).to_dict()["groups"]
        for source in (answers, lines, generated(), write_lines(tmp_path / "p.jsonl", lines))
    ]
    assert all(each == groups[0] for each in groups)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (7, "no path, no mapping"),
        ([], "it has no answers"),
        ([{"meta": {"model": "m"}}], "it has no answers"),
        (["A"], "predictions:1: the line is not a JSON object"),
        ({"one-c": 1}, "predictions:1: answer is 1"),
        ([{"meta": 3}], "meta is 3"),
        ([{"meta": {"model": "a\x1b[31mb"}}], "meta.model"),
        ([{"meta": {"model": 3}}], "meta.model"),
        ([{"meta": {"temperature": float("nan")}}], "finite numbers"),
        ([{"meta": {"settings": [{"top": float("inf")}]}}], "finite numbers"),
        ([{"meta": {"when": {1, 2}}}], "finite numbers"),
        ([{"meta": {1: 2}}], "finite numbers"),
        ([{"meta": {"deep": json.loads("[" * 500 + "]" * 500)}}], "20 deep at most"),
        ([{"meta": {"readout": "logprob"}}, {"id": "one-c", "text": "A"}], "meta.readout is 'logprob'"),
        ("/nowhere/at/all.jsonl", "can't be read: No such file"),
        ("/", "can't be read: Is a directory"),
    ],
)
def test_sources_that_are_refused(key_path: Path, source: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        score(source, key_path)
    assert message in str(caught.value)


def test_text_is_read_with_the_choices_of_the_file(tmp_path: Path) -> None:
    rows = item_rows("one", "A", choices=["different", "same"])
    key = read_key(write_lines(tmp_path / "key.jsonl", rows))
    predictions = read_predictions([{"id": "one-c", "text": "They are different."}], key)
    assert predictions.responses[key.rows["one-c"]] == 0


def test_options_are_checked(key_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = oracle(ROWS)
    with pytest.raises(DataError, match="resamples"):
        score(answers, key_path, resamples=3)
    with pytest.raises(Exception, match="seed"):
        score(answers, key_path, seed=-1)
    with pytest.raises(DataError, match="duplicates"):
        score(answers, key_path, duplicates="some")  # type: ignore[arg-type]
    assert run(["score", "p.jsonl"]) == 2
    assert "give either --data DIR or --key FILE" in capsys.readouterr().err


def test_json_that_cannot_be_written_leaves_nothing(key_path: Path, tmp_path: Path, capsys: Any) -> None:
    predictions = write_lines(tmp_path / "p.jsonl", [{"id": "one-c", "answer": "A"}])
    target = tmp_path / "none" / "score.json"
    assert run(["score", str(predictions), "--key", str(key_path), "--json", str(target)]) == 2
    assert "score.json: it can't be written" in capsys.readouterr().err
    assert not target.parent.exists()
