"""Comparing two instruments by their spectral envelopes.

The envelope is the mean power in bands of the ear. The noise that stands before the music in either clip
is added to the other one, so that hiss fills the gaps of both; the common level is taken off, and what is
far below the strongest band doesn't count. A room and tone controls bend the envelope by a few decibels,
another instrument by many.
"""

from __future__ import annotations

import numpy as np

from listenbench.audio import FloatArray
from listenbench.listeners.hearing import Array, decibels, erb_bank, first_onset, power_spectrogram

THRESHOLD_DB = 2.75
"""Mean difference of the envelopes, in decibels, above which the instruments are different."""

_FRAME, _HOP = 2048, 441
_NOISE_FRAME, _NOISE_HOP = 512, 128
_SHORTEST_NOISE = 512
_ONSET_GUARD = 200
_LONGEST_NOISE = 4096
_BANDS = (30, 80.0, 14_000.0)
_RANGE_DB = 60.0


def envelope_difference(clip_a: FloatArray, clip_b: FloatArray) -> float:
    """Return the mean absolute difference in decibels of two clips' spectral envelopes."""
    onset_a, onset_b = first_onset(clip_a), first_onset(clip_b)
    noise_a, noise_b = _noise(clip_a[:onset_a]), _noise(clip_b[:onset_b])
    difference = _envelope(clip_a[onset_a:], noise_b) - _envelope(clip_b[onset_b:], noise_a)
    return float(np.abs(difference - difference.mean()).mean())


def _noise(before: FloatArray) -> Array:
    """Return the power spectrum of what stands before the music; zeros where that is too short."""
    noise = before[: len(before) - _ONSET_GUARD][-_LONGEST_NOISE:]
    if len(before) < _ONSET_GUARD + _SHORTEST_NOISE:
        return np.zeros(_FRAME // 2 + 1)
    window = np.hanning(_NOISE_FRAME)
    view = np.lib.stride_tricks.sliding_window_view(noise, _NOISE_FRAME)[::_NOISE_HOP]
    power = np.mean(np.abs(np.fft.rfft(view * window, _FRAME, axis=1)) ** 2, axis=0)
    # As a frame of _FRAME samples would hold: power of noise grows with the window's energy.
    scale = np.sum(np.hanning(_FRAME) ** 2) / np.sum(window**2) / (np.hanning(_FRAME).sum() / 2) ** 2
    result: Array = power * scale
    return result


def _envelope(clip: FloatArray, noise: Array) -> Array:
    power = power_spectrogram(clip, _FRAME, _HOP).mean(axis=0) + noise
    level = decibels(power @ erb_bank(_FRAME, *_BANDS), 1e-15)
    result: Array = np.maximum(level, level.max() - _RANGE_DB)
    return result
