"""Comparing two pulse rates: the factor by which the first clip's series of onsets has to be shortened.

Onsets are the peaks of the spectral flux (after Bello et al., IEEE Transactions on Speech and Audio
Processing 13, 2005). Each factor is judged by how many onsets of one clip fall on one of the other.
"""

from __future__ import annotations

import numpy as np

from listenbench.audio import SAMPLE_RATE, FloatArray
from listenbench.listeners.hearing import Array, erb_bank, power_spectrogram

_FRAME, _HOP = 1024, 110
_LEAD_IN = 4096
_BANDS = (20, 150.0, 16_000.0)
_FLOOR = 3e-3
_LAG_FRAMES = 3
_LEAST_FLUX = 0.3
_SHORTEST_INTERVAL_SECONDS = 0.06
_FACTORS = np.geomspace(0.5, 2.0, 281)
_PRECISION_SECONDS = 0.02


def onset_seconds(clip: FloatArray) -> Array:
    """Return the times of the onsets, in seconds after the first one."""
    from scipy.signal import find_peaks

    flux = _flux(clip)
    distance = round(_SHORTEST_INTERVAL_SECONDS * SAMPLE_RATE / _HOP)
    peaks, _ = find_peaks(flux, height=_LEAST_FLUX * flux.max(), distance=distance)
    result: Array = (peaks - peaks[:1]) * (_HOP / SAMPLE_RATE)
    return result


def rate_ratio(clip_a: FloatArray, clip_b: FloatArray) -> float:
    """Return the pulse rate of the second clip by that of the first, 0.5 to 2."""
    onsets_a, onsets_b = onset_seconds(clip_a), onset_seconds(clip_b)
    scores = [_agreement(onsets_a / factor, onsets_b) for factor in _FACTORS]
    return float(_FACTORS[int(np.argmax(scores))])


def _flux(clip: FloatArray) -> Array:
    """Return the rise of level over 7 ms, averaged over bands, one value every 2.5 ms."""
    # The first onset may be the clip's first sample: silence before it lets it rise.
    padded = np.concatenate([np.zeros(_LEAD_IN), clip])
    power = power_spectrogram(padded, _FRAME, _HOP) @ erb_bank(_FRAME, *_BANDS)
    level = np.log10(power + _FLOOR * power.max())
    result: Array = np.maximum(0.0, level[_LAG_FRAMES:] - level[:-_LAG_FRAMES]).mean(axis=1)
    return result


def _agreement(expected: Array, heard: Array) -> float:
    """Return how well two series of onsets agree as far as both reach, 0 to 1."""
    end = min(expected[-1], heard[-1]) + 1.5 * _PRECISION_SECONDS
    expected, heard = expected[expected <= end], heard[heard <= end]
    if len(expected) + len(heard) <= 2:
        return 0.0
    distances = np.subtract.outer(expected, heard)
    hits = np.exp(-0.5 * (distances / _PRECISION_SECONDS) ** 2).sum()
    return float(2 * hits / (len(expected) + len(heard)))
