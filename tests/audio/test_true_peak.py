"""True peaks against signals whose peaks are known, and against a longer interpolation filter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measurements import oversampled_peak_dbfs

from listenbench.true_peak import held, peak_dbfs, true_peak_dbtp

RATE = 44_100
LIMIT = -1.4
SEEDS = st.integers(0, 2**32 - 1)
DULLNESS = st.floats(0.2, 0.9)


def burst(seed, dullness, level):
    """Noise that swells and dies away within 0.1 s, in a longer silence."""
    noise = np.random.default_rng(seed).standard_normal(4410)
    noise = noise + dullness * np.roll(noise, 1)
    shaped = noise * np.hanning(noise.size) ** 4
    samples = np.zeros(8820)
    samples[2000 : 2000 + noise.size] = 10 ** (level / 20) * shaped / np.abs(shaped).max()
    return samples.astype(np.float32)


@pytest.mark.parametrize(
    ("divisor", "amplitude", "degrees", "expected"),
    [(4, 0.5, 0, -6.0), (4, 0.5, 45, -6.0), (6, 0.5, 60, -6.0), (8, 0.5, 67.5, -6.0), (4, 1.41, 45, 3.0)],
)
def test_the_test_signals_of_the_ebu_read_right(divisor, amplitude, degrees, expected):
    """EBU Tech 3341, test signals 15 to 19: sines of a fraction of the sample rate, +0.2 and -0.4 dB."""
    phase = 2 * np.pi * np.arange(RATE) / divisor + np.radians(degrees)
    fade = np.minimum(1, np.minimum(np.arange(RATE), np.arange(RATE)[::-1]) / 4410)
    measured = true_peak_dbtp((amplitude * fade * np.sin(phase)).astype(np.float32))
    assert expected - 0.4 <= measured <= expected + 0.2


@given(SEEDS, DULLNESS, st.floats(-8, 3))
def test_it_reads_what_a_longer_filter_reads(seed, dullness, level):
    samples = burst(seed, dullness, level)
    measured = true_peak_dbtp(samples)
    assert measured >= peak_dbfs(samples)
    assert measured == pytest.approx(oversampled_peak_dbfs(samples), abs=0.4)


@given(SEEDS, DULLNESS, st.floats(-12, 3))
def test_leaving_low_peaks_out_changes_no_high_one(seed, dullness, level):
    samples = burst(seed, dullness, level)
    whole, high = true_peak_dbtp(samples), true_peak_dbtp(samples, at_least=LIMIT)
    if whole > LIMIT:
        assert high == whole
    else:
        assert peak_dbfs(samples) <= high <= LIMIT


@given(SEEDS, DULLNESS, st.floats(-2, 3))
def test_peaks_are_held(seed, dullness, level):
    result = held(burst(seed, dullness, level), RATE, LIMIT)
    assert true_peak_dbtp(result) <= LIMIT
    assert oversampled_peak_dbfs(result) < -1.0


def test_a_peak_between_two_samples_is_held():
    time = np.arange(RATE)
    samples = (np.hanning(RATE) * np.sin(np.pi / 2 * time + np.pi / 4)).astype(np.float32)
    assert peak_dbfs(samples) < -3.0
    assert oversampled_peak_dbfs(samples) == pytest.approx(0.0, abs=0.02)
    assert oversampled_peak_dbfs(held(samples, RATE, LIMIT)) == pytest.approx(LIMIT, abs=0.3)


def test_holding_changes_only_what_is_near_a_peak():
    samples = (0.25 * np.sin(2 * np.pi * 997 * np.arange(2 * RATE) / RATE)).astype(np.float32)
    samples[40_000:40_100] *= 4
    result = held(samples, RATE, LIMIT)
    assert true_peak_dbtp(result) <= LIMIT
    np.testing.assert_allclose(result[:39_000], samples[:39_000], rtol=1e-6)
    np.testing.assert_allclose(result[41_000:], samples[41_000:], rtol=1e-6)


@pytest.mark.parametrize("count", [1, 5, 12, 13])
def test_short_and_silent_samples_are_taken(count):
    level = np.full(count, 0.1, np.float32)
    assert true_peak_dbtp(level) >= peak_dbfs(level)
    np.testing.assert_array_equal(held(level, RATE, LIMIT), level)
    assert true_peak_dbtp(0 * level) == -np.inf
