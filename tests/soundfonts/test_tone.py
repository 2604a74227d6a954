"""Measuring notes: against signals whose pitch, attack and decay are known by construction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from listenbench.soundfonts.tone import envelope, measure

SAMPLE_RATE = 44_100
TIME = np.arange(round(0.8 * SAMPLE_RATE)) / SAMPLE_RATE


def hertz(pitch: float) -> float:
    return 440 * 2 ** ((pitch - 69) / 12)


def harmonic(frequency: float, amplitudes=(1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6)) -> np.ndarray:
    parts = [a * np.sin(2 * np.pi * n * frequency * TIME + n) for n, a in enumerate(amplitudes, 1) if a]
    return 0.1 * np.sum(parts, axis=0)


@settings(max_examples=40, deadline=None)
@given(pitch=st.integers(36, 96), cents=st.floats(-60, 60))
def test_a_harmonic_sound_is_measured_to_a_tenth_of_a_cent(pitch, cents):
    tone = measure(harmonic(hertz(pitch + cents / 100)), SAMPLE_RATE, hertz(pitch))
    assert tone.cents == pytest.approx(cents, abs=0.1)
    assert tone.periodic_cents == pytest.approx(cents, abs=0.1)
    assert tone.clarity > 0.99


@settings(max_examples=25, deadline=None)
@given(pitch=st.integers(36, 96), cents=st.floats(-40, 40), depth=st.floats(0, 35), rate=st.floats(4.5, 7))
def test_vibrato_is_averaged(pitch, cents, depth, rate):
    """The mean frequency counts; over a few cycles of vibrato it is known to a part of its depth."""
    deviation = cents + depth * np.sin(2 * np.pi * rate * TIME)
    phase = 2 * np.pi * np.cumsum(hertz(pitch) * 2 ** (deviation / 1200)) / SAMPLE_RATE
    tone = measure(0.1 * (np.sin(phase) + np.sin(2 * phase) / 2), SAMPLE_RATE, hertz(pitch))
    assert tone.cents == pytest.approx(cents, abs=0.5 + 0.15 * depth)


def test_without_a_fundamental_the_harmonics_count():
    tone = measure(harmonic(hertz(60.25), (0, 1, 1, 0.5, 0.3)), SAMPLE_RATE, hertz(60))
    assert tone.cents == pytest.approx(25, abs=0.1)


def test_a_bar_is_heard_at_its_fundamental_though_its_overtones_are_no_multiples():
    """Partials of a free bar (Fletcher and Rossing, The Physics of Musical Instruments, section 2.14)."""
    decay = np.exp(-6 * TIME)
    partials = [(1.0, 1.0), (2.756, 0.7), (5.404, 0.4)]
    sound = sum(a * decay * np.sin(2 * np.pi * k * hertz(84.05) * TIME) for k, a in partials)
    tone = measure(0.1 * sound, SAMPLE_RATE, hertz(84))
    assert tone.cents == pytest.approx(5, abs=0.3)
    assert tone.clarity < 0.9


def test_noise_is_unclear():
    noise = np.random.default_rng(0).normal(0, 0.1, len(TIME))
    assert measure(noise, SAMPLE_RATE, hertz(69)).clarity < 0.5


def test_silence_has_no_pitch():
    tone = measure(np.zeros(len(TIME)), SAMPLE_RATE, hertz(69))
    assert tone.peak == 0
    assert math.isnan(tone.cents)


@pytest.mark.parametrize("ramp", [0.02, 0.1, 0.4])
def test_the_attack_is_the_time_to_half_of_the_maximum(ramp):
    sound = np.minimum(1, TIME / ramp) * np.sin(2 * np.pi * 1000 * TIME)
    tone = measure(sound, SAMPLE_RATE, 1000)
    assert tone.attack_seconds == pytest.approx(ramp / 2, abs=0.001)
    assert tone.drop_db == pytest.approx(0, abs=0.1)


def test_the_drop_follows_an_exponential_decay():
    """At 30 dB a second the last 0.15 s lie between 19.5 and 24 dB below the start."""
    sound = 10 ** (-30 * TIME / 20) * np.sin(2 * np.pi * 1000 * TIME)
    assert 19.5 < measure(sound, SAMPLE_RATE, 1000).drop_db < 24


def test_the_envelope_of_a_steady_sine_is_its_rms():
    level = envelope(0.5 * np.sin(2 * np.pi * 1000 * TIME), SAMPLE_RATE)
    assert level == pytest.approx(np.full(len(level), 0.5 / math.sqrt(2)), rel=0.01)
