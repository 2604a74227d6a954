"""Levelling against signals whose loudness and peaks are known."""

import numpy as np
import pyloudnorm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measurements import oversampled_peak_dbfs

from listenbench.audio import dequantised, quantised
from listenbench.errors import RenderError
from listenbench.loudness import MOST_LIMITING_DB, PEAK_LIMIT_DBTP, integrated_loudness, normalised
from listenbench.true_peak import peak_dbfs

RATE = 44_100


def sine(level_dbfs, seconds=2.0, frequency=997.0):
    time = np.arange(round(seconds * RATE)) / RATE
    return (10 ** (level_dbfs / 20) * np.sin(2 * np.pi * frequency * time)).astype(np.float32)


def clicks(decay_seconds, interval=1.0, seconds=4.0):
    time = np.arange(round(seconds * RATE)) / RATE
    return (np.exp(-(time % interval) / decay_seconds) * np.sin(2 * np.pi * 500 * time)).astype(np.float32)


def test_a_full_scale_sine_of_997_hz_has_minus_3_lufs():
    """ITU-R BS.1770-4, annex 1: 0 dBFS at 997 Hz in one channel reads -3.01 LKFS."""
    assert integrated_loudness(sine(0.0), RATE) == pytest.approx(-3.01, abs=0.1)


@given(st.floats(-60, 0))
def test_any_level_is_brought_to_the_target(level):
    levelled = normalised(sine(level), RATE, -23.0)
    assert integrated_loudness(levelled, RATE) == pytest.approx(-23, abs=0.03)
    assert peak_dbfs(levelled) == pytest.approx(-20, abs=0.15)


@settings(max_examples=20)
@given(st.floats(0.03, 0.06))
def test_peaks_are_held_at_the_limit_and_the_loudness_kept(decay):
    levelled = normalised(clicks(decay), RATE, -18.5)
    assert oversampled_peak_dbfs(levelled) < PEAK_LIMIT_DBTP
    assert integrated_loudness(levelled, RATE) == pytest.approx(-18.5, abs=0.03)


def test_what_would_be_squashed_is_refused():
    with pytest.raises(RenderError, match=f"{MOST_LIMITING_DB} dB"):
        normalised(clicks(0.001), RATE, -16.0)


@pytest.mark.parametrize("samples", [np.zeros(RATE, np.float32), sine(-120.0)])
def test_silence_is_refused(samples):
    with pytest.raises(RenderError, match="no loudness"):
        normalised(samples, RATE, -23.0)


@given(st.integers(0, 2**32 - 1), st.floats(-5, 0), st.floats(3, 5.3), st.integers(17_640, 100_000))
def test_it_reads_what_pyloudnorm_reads(seed, level, decay, size):
    noise = np.random.default_rng(seed).standard_normal(size)
    samples = (noise * 10**level * np.exp(-np.arange(size) / 10**decay)).astype(np.float32)
    with np.errstate(divide="ignore"):
        expected = pyloudnorm.Meter(RATE).integrated_loudness(samples.astype(np.float64))
    assert integrated_loudness(samples, RATE) == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.floats(3, 5.3), st.floats(-1, 1), st.sampled_from([-60.0, -23.0]))
def test_the_loudness_is_right_even_where_blocks_lie_near_a_gate(seed, decay, split, target):
    """Decaying noise in which a part is quieter by about the 10 LU of the relative gate."""
    noise = np.random.default_rng(seed).standard_normal(88_200) * 0.01
    samples = (noise * np.exp(-np.arange(noise.size) / 10**decay)).astype(np.float32)
    samples[44_100:] *= np.float32(10 ** (-(10 + split) / 20))
    levelled = normalised(samples, RATE, target)
    integers = dequantised(quantised(levelled))
    assert integrated_loudness(integers, RATE) == pytest.approx(target, abs=0.02)


@settings(max_examples=50)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.one_of(st.floats(-53, -41), st.floats(-12, -8)), min_size=1, max_size=6),
    st.floats(-30, 10),
)
def test_the_loudness_is_right_whatever_blocks_the_gain_lifts_over_a_gate(seed, parts, gain):
    """Loud noise, and parts that come out near one of the gates: 47 LU or 10 LU below the target."""
    noise = np.random.default_rng(seed).standard_normal((1 + len(parts), RATE // 2))
    decibels = np.array([0, *parts])[:, None] - 35 + gain
    levelled = normalised((noise * 10 ** (decibels / 20)).astype(np.float32).ravel(), RATE, -23.0)
    assert integrated_loudness(dequantised(quantised(levelled)), RATE) == pytest.approx(-23.0, abs=0.02)


def test_a_clip_shorter_than_a_gating_block_is_refused():
    with pytest.raises(ValueError, match="gating block"):
        integrated_loudness(sine(-20, seconds=0.3), RATE)
