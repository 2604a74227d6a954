"""The documentation names every field of the JSON forms, and its examples of replies are read as it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scoring_data import GOLD, SUBMISSION, read_lines

from listenbench.scoring import compare, parse_answer, score, score_conditions

TEXT = (Path(__file__).parents[2] / "docs" / "scoring.md").read_text(encoding="utf-8")
ANSWERS = [row for row in read_lines(SUBMISSION) if "meta" not in row]
NAMES_OF_DATA = {"meta", "invalid_reasons"}


def fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, content in value.items():
            yield name
            if name not in NAMES_OF_DATA:
                yield from fields(content)
    elif isinstance(value, list):
        for content in value:
            yield from fields(content)


@pytest.mark.parametrize("form", ["score", "compare", "conditions"])
def test_every_field_is_documented(form: str) -> None:
    if form == "score":
        value = score(SUBMISSION, GOLD, resamples=100).to_dict()
    elif form == "conditions":
        lines = ([{"meta": {"condition": name}}, *ANSWERS] for name in ("none", "audio"))
        value = score_conditions([*lines], GOLD, resamples=100).to_dict()
    else:
        value = compare(SUBMISSION, SUBMISSION, GOLD, resamples=100).to_dict()
    found = set(fields(value)) - {"melody", "harmony", "timbre", "rhythm"}
    assert f"`{value['schema']}`" in TEXT
    assert {name for name in found if f"`{name}`" not in TEXT and f"[].{name}`" not in TEXT} == set()


@pytest.mark.parametrize(
    "reply", ["B", "b.", "(B)", "**B**", "$\\boxed{B}$", "Option B", "answer: B", "I choose B", "It's B."]
)
def test_replies_that_the_documentation_calls_answers(reply: str) -> None:
    assert f"`{reply}`" in TEXT
    assert parse_answer(reply) == "B"


def test_words_that_the_documentation_quotes() -> None:
    for reply in (
        "They are different.",
        "The second clip.",
        "The second clip is slower",
        'the first note is "A"',
    ):
        assert f"*{reply}*" in TEXT
    assert parse_answer("They are different.", ("same", "different")) == "B"
    assert parse_answer("The second clip.", ("first", "second")) == "B"
    assert parse_answer("The second clip is slower", ("first", "second")) is None
    assert parse_answer('the first note is "A"') is None
