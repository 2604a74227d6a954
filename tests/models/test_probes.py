"""The preflight's verdict on replies."""

from __future__ import annotations

import pytest

from listenbench.models.letters import LetterProbabilities
from listenbench.models.probes import (
    BatchCheck,
    Heard,
    batch_check,
    hearing_problem,
    sound_probes,
    text_probe,
    text_problem,
)
from listenbench.models.replies import Reply


def said(text):
    return Reply("x", text)


def weighed(a, b):
    return Reply("x", "A", LetterProbabilities({"A": a, "B": b}, 0.0))


def pairs(*replies):
    """Return both pairs of clips, with three replies to each of the four clips."""
    heard = iter([Heard(probe, row[0], row[1:]) for probe, row in zip(flat(), replies, strict=True)])
    return list(zip(heard, heard, strict=True))


def flat():
    return [probe for pair in sound_probes() for probe in pair]


A, B = (said("A"), said("a."), said("**A**")), (said("B"),) * 3


def test_both_clips_of_a_pair_are_asked_about_in_the_same_words_and_length():
    for first, second in sound_probes():
        assert first.question == second.question
        assert len(first.sound) == len(second.sound)


@pytest.mark.parametrize(
    "replies", [(A, B, A, B), (B, A, A, A), (A, A, B, A), ((said("A tone"),) * 3, (said("hiss!"),) * 3, A, A)]
)
def test_one_pair_told_apart_is_enough(replies):
    assert hearing_problem(pairs(*replies)) == ""


@pytest.mark.parametrize("replies", [(A, A, A, A), (A, A, B, B), ((said("no audio"),) * 3,) * 4])
def test_the_same_replies_to_all_clips_are_no_hearing(replies):
    assert "ignores its audio" in hearing_problem(pairs(*replies))


def test_replies_that_change_when_asked_together_are_told():
    mixed = (said("A"), said("B"), said("B"))
    assert "at once" in hearing_problem(pairs(mixed, B, A, A))


def test_what_changes_when_asked_together_is_counted():
    assert batch_check(pairs(A, B, A, B)) == BatchCheck(8, 0, 0.0)
    mixed = (said("A"), said("B"), said("A"))
    assert batch_check(pairs(mixed, B, mixed, A)) == BatchCheck(8, 2, 1.0)
    shifted = (weighed(-0.5, -1.0), weighed(-0.5, -1.5), weighed(-0.5, -1.01))
    steady = (weighed(-0.5, -1.0),) * 3
    found = batch_check(pairs(shifted, steady, steady, steady))
    assert (found.changed, found.largest_change) == (1, pytest.approx(0.5))


def test_log_probabilities_have_to_change_by_more_than_they_scatter():
    steady = (weighed(-0.5, -1.0),) * 3
    assert hearing_problem(pairs(steady, (weighed(-0.6, -0.9),) * 3, steady, steady)) == ""
    assert "ignores" in hearing_problem(pairs(steady, (weighed(-0.5001, -1.0),) * 3, steady, steady))
    scattered = (weighed(-0.5, -1.0), weighed(-0.5, -1.1), weighed(-0.5, -0.9))
    assert "at once" in hearing_problem(pairs(scattered, (weighed(-0.5, -1.2),) * 3, steady, steady))


def test_a_plain_question_has_to_be_answered():
    assert text_problem(text_probe(), said("The answer is B.")) == ""
    assert "refusal" in text_problem(text_probe(), said("I'm sorry, I can't help with that."))
    assert "log-probabilities" in text_problem(text_probe(), weighed(None, None))
