"""The preflight over HTTP: which models it stops before anything is asked, and what it says of batches."""

from __future__ import annotations

import pytest
from model_server import KEY, Answer, confused_by_company, counting_company, dropping_audio, hears, serving

pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed: pip install 'listenbench[inspect]'")


@pytest.mark.parametrize(
    ("persona", "words"),
    [
        (dropping_audio(hears), "ignores its audio"),
        (lambda _request: "I can't answer that.", "didn't answer a plain question"),
        (lambda request: Answer("unsupported type", status=400) if request.wav else "B", "unsupported type"),
        (lambda _request: Answer(f"wrong key {KEY}", status=401), "wrong key ***"),
    ],
    ids=["dropped", "mute", "wrong type", "unauthorised"],
)
def test_the_preflight_stops_a_model_that_does_not_hear(ask, dataset, persona, words, tmp_path):
    with serving(persona) as server:
        outcome = ask(server, "--max-retries", "0")
    assert outcome.status == 2
    assert outcome.stderr.startswith("listenbench: preflight: model 'openai-api/persona/m'")
    assert words in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not any(server.times_asked(wav) for wav in [item.path.read_bytes() for item in dataset])
    assert len(server.requests) <= 13
    assert not list(tmp_path.glob("predictions.jsonl*"))


def test_the_batch_check_compares_one_request_with_eight(ask):
    with serving(confused_by_company(hears, "beeps", alone=5, together=8)) as server:
        outcome = ask(server, "--limit", "1")
    assert outcome.status == 0, outcome.stderr
    assert len(server.requests) == 5 + 8 + 1
    assert outcome.meta["batch_check"] == {"together": 8, "changed": 4, "largest_change": 1.0}
    assert outcome.stderr.startswith("listenbench: 4 of 8 replies of the preflight changed when 8")
    assert outcome.stderr.count("\n") == 1


def test_replies_that_all_turn_round_in_a_batch_are_stopped_by_the_preflight(ask):
    with serving(confused_by_company(hears, "", alone=5, together=8)) as server:
        outcome = ask(server, "--limit", "1")
    assert outcome.status == 2
    assert "differ between asking it alone and 8 at once" in outcome.stderr


def test_one_connection_asks_one_at_a_time(ask):
    largest = []
    with serving(counting_company(hears, largest)) as server:
        outcome = ask(server, "--limit", "1", "--max-connections", "1")
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["batch_check"] == {"together": 8, "changed": 0, "largest_change": 0.0}
    assert (len(largest), max(largest)) == (14, 1)
