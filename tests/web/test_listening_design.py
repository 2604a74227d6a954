"""Who hears what in the listening test, and what its own sounds are, measured."""

from __future__ import annotations

import io
import wave
from collections import Counter
from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listening_data import CONDITIONS, key_rows
from numpy.typing import NDArray

from listenbench.audio import SAMPLE_RATE
from listenbench.loudness import integrated_loudness
from listenbench.web.listening.design import (
    Candidate,
    choose_practice,
    heard_before,
    in_order,
    recording_lists,
)
from listenbench.web.listening.sounds import headphone_orders, quietest, tones, volume_music
from listenbench.web.listening.stages import Course, Kind, Stage, after_answer, after_page

TASKS = 4


def candidates(items: int) -> list[Candidate]:
    return [Candidate.of_row(row) for row in key_rows(items)]


def spread(counts: Counter[object], kinds: int) -> int:
    """Return the difference between the most and the least frequent of some kinds."""
    return max(counts.values()) - (min(counts.values()) if len(counts) == kinds else 0)


@given(items=st.integers(4, 12), length=st.integers(1, 16), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=30)
def test_lists_are_balanced_and_hold_an_item_once(items: int, length: int, seed: int) -> None:
    some = candidates(items)
    lists = list(islice(recording_lists(some, length, seed), 4))
    for each in lists:
        assert len({candidate.item for candidate in each}) == length
        assert spread(Counter(candidate.task for candidate in each), TASKS) <= 1
        assert spread(Counter((c.task, c.condition) for c in each), TASKS * len(CONDITIONS)) <= 1
    dealt = [candidate for each in lists for candidate in each]
    assert spread(Counter((c.task, c.condition) for c in dealt), TASKS * len(CONDITIONS)) <= 1


def test_lists_balance_letters_rungs_and_factors() -> None:
    """On a data set that is balanced itself, of the size of the test split."""
    (dealt,) = islice(recording_lists(candidates(240), 96, 0), 1)
    for task in {each.task for each in dealt}:
        own = [each for each in dealt if each.task == task]
        assert spread(Counter(each.answer for each in own), 2) <= 1
        for condition in CONDITIONS:
            cell = [each for each in own if each.condition == condition]
            assert spread(Counter(each.answer for each in cell), 2) <= 1
            assert spread(Counter(each.rung for each in cell), 2) <= 2


def test_all_recordings_of_a_cell_come_before_any_comes_again() -> None:
    some = candidates(8)
    dealt = [each for one in islice(recording_lists(some, 12, 3), len(some) // 12) for each in one]
    assert len({each.id for each in dealt}) >= 0.9 * len(some)


def test_the_same_seed_gives_the_same_lists_whatever_the_order_of_the_key() -> None:
    some = candidates(6)
    first, second = (list(islice(recording_lists(each, 10, 5), 3)) for each in (some, some[::-1]))
    assert first == second
    assert list(islice(recording_lists(some, 10, 6), 3)) != first


@given(items=st.integers(2, 5), seed=st.integers(0, 1000), listener=st.integers(0, 50))
@settings(max_examples=20)
def test_an_item_comes_again_only_when_all_were_heard(items: int, seed: int, listener: int) -> None:
    some = candidates(items)
    (dealt,) = islice(recording_lists(some, len(some), seed), 1)
    assert {each.id for each in dealt} == {each.id for each in some}
    counts = heard_before(in_order(dealt, listener, seed))
    assert counts[: TASKS * items] == [0] * (TASKS * items)
    assert Counter(counts)[0] == TASKS * items
    assert max(counts) == len(CONDITIONS) - 1


def test_each_listener_has_an_order_of_their_own_balanced_all_along() -> None:
    (dealt,) = islice(recording_lists(candidates(12), 36, 0), 1)
    orders = [in_order(dealt, listener, 0) for listener in range(5)]
    assert len(set(orders)) == 5
    for order in orders:
        assert set(order) == set(dealt)
        for start in range(0, 36, 12):
            assert len({(each.task, each.condition) for each in order[start : start + 12]}) == 12


def test_practice_takes_turns_and_the_easiest_rung() -> None:
    easiest = {"melody": "700", "harmony": "3", "timbre": "far", "rhythm": "1.5"}
    chosen = choose_practice(candidates(8), 4, easiest, 0)
    assert {each.task for each in chosen} == set(easiest)
    assert all(each.rung == easiest[each.task] for each in chosen)
    assert Counter(each.answer for each in chosen) == {"A": 2, "B": 2}
    assert len({each.item for each in chosen}) == 4


def stereo(content: bytes) -> NDArray[np.float64]:
    """Return the samples of a WAV file, shape (n, channels), from -1 to 1."""
    with wave.open(io.BytesIO(content)) as file:
        assert (file.getframerate(), file.getsampwidth()) == (SAMPLE_RATE, 2)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return samples.reshape(-1, file.getnchannels()) / 32_768


@pytest.mark.parametrize("order", ["".join(order) for order in permutations("qop")])
def test_a_trial_has_a_tone_that_is_6_db_quieter_and_one_that_cancels_itself(order: str) -> None:
    samples = stereo(tones(order))
    assert len(samples) == 4 * SAMPLE_RATE
    levels, cancelled = {}, {}
    for place, kind in enumerate(order):
        start = round(1.5 * place * SAMPLE_RATE)
        tone = samples[start : start + SAMPLE_RATE]
        levels[kind] = 10 * np.log10(np.mean(tone[:, 0] ** 2))
        cancelled[kind] = np.abs(tone.sum(axis=1)).max()
        spectrum = np.abs(np.fft.rfft(tone[:, 0]))
        assert spectrum.argmax() == 200
        assert np.abs(tone[: SAMPLE_RATE // 200]).max() < 0.1 * np.abs(tone).max()
        assert not samples[start + SAMPLE_RATE : start + SAMPLE_RATE * 3 // 2].any()
    assert levels["q"] - levels["p"] == pytest.approx(-6, abs=0.02)
    assert levels["o"] == pytest.approx(levels["p"], abs=0.01)
    assert cancelled["o"] <= 1 / 32_768
    assert min(cancelled["q"], cancelled["p"]) > 0.05
    assert order[int(quietest(order)) - 1] == "q"


def test_a_headphone_check_has_each_order_once_and_no_two_listeners_the_same() -> None:
    checks = [tuple(headphone_orders(listener, 0, 0)) for listener in range(20)]
    assert all(sorted(check) == sorted("".join(order) for order in permutations("qop")) for check in checks)
    assert len(set(checks)) > 15
    assert headphone_orders(3, 0, 0) == list(checks[3])
    assert headphone_orders(3, 1, 0) != list(checks[3])


@pytest.mark.parametrize("lufs", [-23.0, -30.0])
def test_the_music_for_the_volume_is_as_loud_as_the_recordings(lufs: float) -> None:
    samples = stereo(volume_music(lufs))[:, 0].astype(np.float32)
    assert integrated_loudness(samples, SAMPLE_RATE) == pytest.approx(lufs, abs=0.05)
    assert np.abs(samples).max() < 0.9


COURSE = Course(headphone_check=True, practice=2, break_every=3)


@pytest.mark.parametrize(
    ("right", "left", "stage"),
    [(6, 0, "instructions"), (5, 0, "instructions"), (4, 0, "loudspeakers"), (4, 2, "headphones")],
)
def test_five_of_six_pass_the_headphone_check(right: int, left: int, stage: str) -> None:
    assert after_answer(Kind.HEADPHONES, COURSE, 6 - left, left, right) == stage


def test_breaks_come_between_answers_and_not_at_the_end() -> None:
    stages = [after_answer(Kind.TEST, COURSE, answered, 6 - answered, 0) for answered in range(1, 7)]
    assert stages == ["test", "test", "break", "test", "test", "done"]


def test_a_page_without_a_question_leads_on_and_one_with_a_question_stays() -> None:
    assert after_page(Stage.VOLUME, Course(False, 0, 0), 0) is Stage.INSTRUCTIONS
    assert after_page(Stage.VOLUME, COURSE, 2) is Stage.HEADPHONES
    assert after_page(Stage.LOUDSPEAKERS, COURSE, 2, again=True) is Stage.HEADPHONES
    assert after_page(Stage.INSTRUCTIONS, COURSE, 2) is Stage.PRACTICE
    assert after_page(Stage.INSTRUCTIONS, COURSE, 0) is Stage.READY
    for stage in (Stage.HEADPHONES, Stage.PRACTICE, Stage.TEST, Stage.DONE):
        assert after_page(stage, COURSE, 2) is stage
