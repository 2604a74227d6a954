"""The worst items are those with most wrong answers, task by task."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from scoring_data import balanced_rows, item_rows, oracle, write_lines

from listenbench.scoring.hardest import HardItem, hardest_items
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.predictions import read_predictions

Answers = dict[str, str | None]


def hardest(key: AnswerKey, submissions: list[Answers], number: int) -> tuple[HardItem, ...]:
    return hardest_items(key, [read_predictions(each, key).responses for each in submissions], number)


@pytest.fixture
def key(tmp_path: Path) -> AnswerKey:
    return read_key(write_lines(tmp_path / "key.jsonl", balanced_rows(2)))


def test_wrong_answers_are_those_of_a_plain_count(key: AnswerKey) -> None:
    rows = balanced_rows(2)
    submissions: list[Answers] = [
        {row["id"]: "AB"[(place * step) % 3 % 2] for place, row in enumerate(rows)} for step in (1, 5, 7)
    ]
    wrong = Counter[str]()
    for row in rows:
        wrong[row["item"]] += sum(each[row["id"]] != row["answer"] for each in submissions)
    item_of = {row["id"]: row["item"] for row in rows}
    found = hardest(key, submissions, 1000)
    assert {item_of[each.files[0].id]: each.wrong for each in found} == {k: n for k, n in wrong.items() if n}
    by_task: dict[str, list[int]] = {}
    for each in found:
        by_task.setdefault(each.task, []).append(each.wrong)
        assert each.answered == 9
        for file in each.files:
            assert [answer[file.id] for answer in submissions] == list(file.responses)
    assert all(counts == sorted(counts, reverse=True) for counts in by_task.values())


def test_tasks_take_turns(key: AnswerKey) -> None:
    constant: Answers = {row["id"]: "A" for row in balanced_rows(2)}
    found = hardest(key, [constant], 6)
    assert [each.task for each in found] == ["harmony", "melody", "rhythm", "timbre", "harmony", "melody"]
    assert hardest(key, [constant], 0) == ()


def test_what_was_not_asked_does_not_count(key: AnswerKey) -> None:
    rows = balanced_rows(2)
    few: Answers = {rows[0]["id"]: "?", rows[1]["id"]: None}
    (only,) = hardest(key, [few], 10)
    assert (only.wrong, only.answered) == (1, 1)
    assert [file.responses for file in only.files] == [("invalid",), ("missing",), ("missing",)]
    assert hardest(key, [dict(oracle(rows))], 10) == ()


def test_the_first_submission_decides_between_equals(tmp_path: Path) -> None:
    rows = [*item_rows("x", "A"), *item_rows("y", "A")]
    key = read_key(write_lines(tmp_path / "key.jsonl", rows))
    right = oracle(rows)
    first: Answers = {**right, "y-c": "B"}
    second: Answers = {**right, "x-c": "B"}
    assert [each.files[0].id for each in hardest(key, [first, second], 2)] == ["y-c", "x-c"]
    assert [each.files[0].id for each in hardest(key, [second, first], 2)] == ["x-c", "y-c"]
