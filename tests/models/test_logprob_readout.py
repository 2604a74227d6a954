"""Letters read in the log-probabilities of the first token, from a table of tokens to the score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Answer, dropping_audio, hears, serving

from listenbench.models.letters import letter_of, letter_probabilities
from listenbench.scoring import score

LOG = math.log


@pytest.mark.parametrize("token", ["A", " A", "a", " a", "A\n", "\u2581A", "\u0120A", "\t a "])
def test_variants_of_a_letter(token):
    assert letter_of(token) == "A"


@pytest.mark.parametrize("token", ["", " ", "AB", "Answer", "(A", "A.", "E", "\u00c4", "\u0410"])
def test_other_tokens_are_no_letter(token):
    assert letter_of(token) is None


def test_probabilities_of_variants_are_added():
    found = letter_probabilities(
        [("A", LOG(0.2)), (" A", LOG(0.1)), ("a", LOG(0.05)), ("B", LOG(0.4)), ("The", LOG(0.2))]
    )
    assert found.logprobs == {"A": pytest.approx(LOG(0.35)), "B": pytest.approx(LOG(0.4))}
    assert found.other == pytest.approx(0.25)
    assert found.problem == ""


def test_a_token_that_comes_twice_counts_once():
    assert letter_probabilities([("A", LOG(0.6)), ("A", LOG(0.6)), ("B", LOG(0.4))]).other == pytest.approx(0)


@pytest.mark.parametrize(
    ("tokens", "logprobs", "problem"),
    [
        ([], {"A": None, "B": None}, "no log-probabilities"),
        ([("A", LOG(0.9))], {"A": pytest.approx(LOG(0.9)), "B": None}, "not among the most likely"),
        ([("A", math.nan), ("B", -1.0)], {"A": None, "B": -1.0}, "not a finite number"),
        ([("A", math.inf), ("B", -1.0)], {"A": None, "B": -1.0}, "not a finite number"),
        ([("A", -math.inf), ("B", 0.0)], {"A": None, "B": 0.0}, "not a finite number"),
    ],
)
def test_what_is_not_known_is_not_guessed(tokens, logprobs, problem):
    found = letter_probabilities(tokens)
    assert found.logprobs == logprobs
    assert problem in found.problem


def test_a_question_has_as_many_letters_as_choices():
    tokens = [("A", LOG(0.4)), ("C", LOG(0.2)), (" d", LOG(0.1)), ("B", LOG(0.1))]
    assert letter_probabilities(tokens).logprobs == {
        "A": pytest.approx(LOG(0.4)),
        "B": pytest.approx(LOG(0.1)),
    }
    assert letter_probabilities(tokens).other == pytest.approx(0.5)
    four = letter_probabilities(tokens, ("one", "two", "three", "four"))
    assert list(four.logprobs) == ["A", "B", "C", "D"]
    assert four.logprobs["D"] == pytest.approx(LOG(0.1))
    assert four.other == pytest.approx(0.2)


@given(st.lists(st.floats(0.001, 1.0), min_size=5, max_size=5))
def test_probabilities_sum_to_one(weights):
    shares = np.array(weights) / sum(weights)
    tokens = zip(["A", " a", "B", "\u2581B", "x"], np.log(shares).tolist(), strict=True)
    found = letter_probabilities(tokens)
    total = sum(math.exp(value) for value in found.logprobs.values() if value is not None) + found.other
    assert total == pytest.approx(1.0)


def with_logprobs(request):
    """Hear, and say it in tokens: most of the mass on two variants of the right letter."""
    right = hears(request)
    wrong = "AB"[right == "A"]
    tokens = [(f" {right}", LOG(0.4)), (wrong, LOG(0.3)), (right.lower(), LOG(0.2)), ("The", LOG(0.1))]
    return Answer(f" {right}", logprobs=tokens, finish_reason="length")


@pytest.mark.slow
def test_log_probabilities_over_http(ask, dataset, heard):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    nothing, not_a_number = (item.path.read_bytes() for item in dataset.items[:2])

    def persona(request):
        if request.wav == nothing:
            return Answer("The", logprobs=[("The", LOG(0.9)), ("A", LOG(0.1))])
        if request.wav == not_a_number:
            return Answer("A", logprobs=[("A", math.nan), ("B", LOG(0.5))])
        return with_logprobs(request)

    with serving(persona) as server:
        outcome = ask(server, "--readout", "logprob")
    assert outcome.status == 0, outcome.stderr
    sent = server.requests[-1].body
    assert (sent["max_tokens"], sent["logprobs"], sent["top_logprobs"]) == (1, True, 20)
    replies = outcome.replies("logprobs")
    for item in dataset.items[2:]:
        wrong = "AB"[heard[item.id] == "A"]
        assert replies[item.id][heard[item.id]] == pytest.approx(LOG(0.6))
        assert replies[item.id][wrong] == pytest.approx(LOG(0.3))
    assert replies[dataset.items[0].id]["B"] is None
    assert replies[dataset.items[1].id]["A"] is None
    assert outcome.lines[1]["other"] == pytest.approx(0.9)
    assert "not a finite number" in outcome.lines[2]["problem"]
    assert outcome.meta["counts"]["parse_failures"] == 2
    scored = score(outcome.path, dataset.folder, resamples=100).predictions
    assert scored.readout == "logprobs"
    assert scored.invalid_reasons == {"no log-probability for one of the letters": 2}


VARIANTS = {
    "bare": ([("A", LOG(0.5)), ("B", LOG(0.3)), ("The", LOG(0.2))], LOG(0.5), LOG(0.3)),
    "space": ([(" A", LOG(0.5)), ("B", LOG(0.3)), ("The", LOG(0.2))], LOG(0.5), LOG(0.3)),
    "lower": ([("a", LOG(0.5)), ("b", LOG(0.3)), ("The", LOG(0.2))], LOG(0.5), LOG(0.3)),
    "all": ([("A", LOG(0.2)), (" A", LOG(0.2)), ("a", LOG(0.1)), (" B", LOG(0.3))], LOG(0.5), LOG(0.3)),
    "missing": ([("B", LOG(0.9)), ("The", LOG(0.1))], None, LOG(0.9)),
    "nan": ([("A", math.nan), ("B", LOG(0.5))], None, LOG(0.5)),
    "infinite": ([("A", -math.inf), ("B", LOG(0.5))], None, LOG(0.5)),
}


def test_each_variant_of_a_letter_over_http(ask, dataset):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    items = dict(zip(VARIANTS, dataset.items, strict=False))
    said = {items[name].path.read_bytes(): tokens for name, (tokens, _, _) in VARIANTS.items()}
    with serving(lambda request: Answer("?", logprobs=said[request.wav])) as server:
        options = ("--readout", "logprob", "--no-preflight", "--limit", str(len(VARIANTS)))
        outcome = ask(server, *options)
    assert outcome.status == 0, outcome.stderr
    lines = {line["id"]: line for line in outcome.lines[1:]}
    for name, (_, a, b) in VARIANTS.items():
        found = lines[items[name].id]
        assert found["logprobs"]["A"] == (None if a is None else pytest.approx(a)), name
        assert found["logprobs"]["B"] == pytest.approx(b), name
        known = sum(math.exp(value) for value in (a, b) if value is not None)
        assert found["other"] == pytest.approx(1 - known), name
        assert bool(found.get("problem")) == (a is None), name
    assert outcome.meta["counts"]["answered"] == 4
    assert outcome.meta["counts"]["parse_failures"] == 3
    right = {row["id"]: row["answer"] for row in dataset.gold().values()}
    scored = score(outcome.path, dataset.folder, resamples=100)
    assert scored.predictions.invalid_reasons == {"no log-probability for one of the letters": 3}
    totals = scored.analysis.groups[0].totals
    answered = [items[name].id for name, (_, a, _) in VARIANTS.items() if a is not None]
    assert totals["right_is_a_right"] == sum(right[each] == "A" for each in answered)
    assert totals["right_is_b_right"] == 0


def test_the_same_log_probabilities_whatever_is_played_are_stopped_by_the_preflight(ask):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    with serving(dropping_audio(with_logprobs)) as server:
        outcome = ask(server, "--readout", "logprob")
    assert outcome.status == 2
    assert "ignores its audio" in outcome.stderr
    assert len(server.requests) == 13


def test_a_service_without_log_probabilities_is_stopped_by_the_preflight(ask):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    with serving(hears) as server:
        outcome = ask(server, "--readout", "logprob")
    assert outcome.status == 2
    assert "no log-probabilities" in outcome.stderr
    assert len(server.requests) == 1
