"""Levelling against signals whose loudness and peaks are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.errors import RenderError
from listenbench.loudness import (
    MOST_LIMITING_DB,
    PEAK_LIMIT_DBFS,
    integrated_loudness,
    limited,
    normalised,
    peak_dbfs,
)

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


@given(st.floats(0.03, 0.06))
def test_peaks_are_held_at_the_limit_and_the_loudness_kept(decay):
    levelled = normalised(clicks(decay), RATE, -18.5)
    assert peak_dbfs(levelled) <= PEAK_LIMIT_DBFS
    assert integrated_loudness(levelled, RATE) == pytest.approx(-18.5, abs=0.03)


def test_limiting_changes_only_what_is_near_a_peak():
    samples = sine(-12.0)
    samples[40_000:40_100] *= 4
    result = limited(samples, RATE)
    assert peak_dbfs(result) <= PEAK_LIMIT_DBFS
    np.testing.assert_allclose(result[:39_000], samples[:39_000], rtol=1e-6)
    np.testing.assert_allclose(result[41_000:], samples[41_000:], rtol=1e-6)


def test_what_would_be_squashed_is_refused():
    with pytest.raises(RenderError, match=f"{MOST_LIMITING_DB} dB"):
        normalised(clicks(0.001), RATE, -16.0)


@pytest.mark.parametrize("samples", [np.zeros(RATE, np.float32), sine(-120.0)])
def test_silence_is_refused(samples):
    with pytest.raises(RenderError, match="no loudness"):
        normalised(samples, RATE, -23.0)
