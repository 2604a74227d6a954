"""Listening, on sounds made by formula whose differences are known."""

import numpy as np
import pytest

from listenbench.errors import DataError
from listenbench.listeners import harmonies, melodies, timbres
from listenbench.listeners.hearing import CENTS_A_BIN, first_onset, two_clips
from listenbench.listeners.pulses import onset_seconds, rate_ratio

RATE = 44_100


def tone(pitch, seconds, partials=8, slope=1.0):
    time = np.arange(round(seconds * RATE)) / RATE
    frequency = 440 * 2 ** ((pitch - 69) / 12)
    sound = sum(np.sin(2 * np.pi * k * frequency * time) / k**slope for k in range(1, partials + 1))
    return sound * np.minimum(1, time / 0.01) * np.exp(-2 * time)


def line(*pitches, seconds=0.35):
    return np.concatenate([0.1 * tone(p, seconds) for p in pitches]).astype(np.float32)


def chord(*pitches, seconds=1.2):
    return (0.05 * sum(tone(p, seconds) for p in pitches)).astype(np.float32)


def clicks(times, seconds=4.0):
    samples = np.zeros(round(seconds * RATE))
    burst = np.random.default_rng(1).normal(size=900) * np.exp(-np.arange(900) / 150)
    for t in times:
        start = round(t * RATE)
        samples[start : start + 900] += 0.2 * burst
    return samples.astype(np.float32)


def test_a_recording_is_cut_at_the_pause_in_its_middle():
    clip = line(60)
    recording = np.concatenate([clip, np.zeros(RATE, dtype=np.float32), clip])
    first, second = two_clips(recording)
    # The tone starts and may end with a sample of zero.
    np.testing.assert_array_equal(first, clip[: len(first)])
    np.testing.assert_array_equal(second, clip[-len(second) :])
    assert min(len(first), len(second)) > len(clip) - 3


@pytest.mark.parametrize("recording", [np.zeros(100), np.ones(100), np.r_[np.ones(40), np.zeros(60)]])
def test_a_recording_without_a_pause_or_a_clip_is_refused(recording):
    with pytest.raises(DataError, match="pause"):
        two_clips(recording.astype(np.float32))


def test_the_first_onset_is_found_behind_hiss():
    hiss = np.random.default_rng(0).normal(scale=0.003, size=2 * RATE)
    hiss[5000 : 5000 + round(0.35 * RATE)] += line(60)
    assert 4000 < first_onset(hiss.astype(np.float32)) < 5600


@pytest.mark.parametrize("cents", [0, -137, 60, 200, 700, -1200])
def test_a_transposed_melody_is_the_same_at_its_distance(cents):
    pitches = np.array([62, 65, 64, 69, 67])
    result = melodies.compare_melodies(line(*pitches), line(*(pitches + cents / 100)))
    assert result.advantage < melodies.THRESHOLD
    assert result.shift * CENTS_A_BIN == pytest.approx(cents, abs=CENTS_A_BIN)


@pytest.mark.parametrize("cents", [100, -100, 200, 400, 700])
@pytest.mark.parametrize("note", [0, 2, 4])
def test_one_moved_note_makes_another_melody_transposed_or_not(cents, note):
    pitches = np.array([62.0, 65, 64, 69, 67])
    edited = pitches + 0.7
    edited[note] += cents / 100
    result = melodies.compare_melodies(line(*pitches), line(*edited))
    assert result.advantage > melodies.THRESHOLD


@pytest.mark.parametrize("cents", [0, 37, -164, 200])
def test_a_transposed_chord_is_the_same(cents):
    pitches = np.array([60, 64, 67, 70])
    change = harmonies.harmonic_change(chord(*pitches), chord(*(pitches + cents / 100)))
    assert change < harmonies.THRESHOLD


@pytest.mark.parametrize("edited", [(60, 63, 67), (60, 65, 67), (60, 64, 68), (60, 64, 66)])
def test_one_moved_chord_member_makes_another_harmony(edited):
    assert harmonies.harmonic_change(chord(60, 64, 67), chord(*edited)) > harmonies.THRESHOLD


def test_more_partials_alone_are_not_another_harmony():
    bright = (0.05 * sum(tone(p, 1.2, slope=0.9) for p in (60, 64, 67))).astype(np.float32)
    assert harmonies.harmonic_change(chord(60, 64, 67), bright) < harmonies.THRESHOLD


def test_the_difference_of_envelopes_leaves_level_and_hiss_out():
    clip = np.concatenate([np.zeros(3000), line(60, 64)]).astype(np.float32)
    hiss = np.random.default_rng(2).normal(scale=0.003, size=len(clip)).astype(np.float32)
    assert timbres.envelope_difference(clip, 0.5 * clip) < 0.5
    assert timbres.envelope_difference(clip, clip + hiss) < timbres.THRESHOLD_DB


def test_other_partials_are_another_timbre():
    dull = np.concatenate([0.1 * tone(p, 0.35, slope=3.0) for p in (60, 64)]).astype(np.float32)
    assert timbres.envelope_difference(line(60, 64), dull) > timbres.THRESHOLD_DB


def test_onsets_are_found_where_the_clicks_are():
    times = np.array([0.0, 0.4, 0.9, 1.0, 2.2, 3.0])
    np.testing.assert_allclose(onset_seconds(clicks(times + 0.1)), times, atol=0.005)


@pytest.mark.parametrize("ratio", [1.1, 1.2, 1.35, 1.5, 1 / 1.1, 1 / 1.5])
@pytest.mark.parametrize("figure", [(0.0, 1.0), (0.0, 1.5), (0.0, 1.0, 1.5)])
def test_the_ratio_of_pulse_rates_is_measured(ratio, figure):
    onsets = np.array([2 * k + f for k in range(20) for f in figure])
    slow, quick = (0.05 + onsets * beat for beat in (0.6, 0.6 / ratio))
    clips = (clicks(times[times < 3.8]) for times in (slow, quick))
    assert rate_ratio(*clips) == pytest.approx(ratio, rel=0.01)
