"""Comparing two harmonies: which partials have gone and which are new.

Both clips are brought to one pitch level by the shift at which their spectra agree best. Then, moment by
moment, the partials of each clip are looked for in the other one. A chord member that moves takes its
partials from one place to another: some of clip A's are missing in clip B, and some of clip B's are new.
Only where both is so is the harmony different; a room may hide partials and may make old ones ring on, and
hiss hides the weak, but none of them does both. What rings on is allowed for by letting every earlier
spectrum of the first clip explain the second one, less the more time has passed.
"""

from __future__ import annotations

import numpy as np

from listenbench.audio import FloatArray
from listenbench.listeners.hearing import (
    BINS_AN_OCTAVE,
    Array,
    correlation_over_shifts,
    decibels,
    first_onset,
    lines_of,
    log_spectrogram,
)

THRESHOLD = 0.11
"""Geometric mean of the shares of missing and of new partials above which harmonies are different."""

_FRAME, _HOP = 8192, 882
_HOP_SECONDS = 0.02
_RANGE_HZ = (100.0, 6000.0)
_NEIGHBOURHOOD = 9
_LARGEST_SHIFT = 3 * BINS_AN_OCTAVE // 12
_STRETCH_FRAMES = 15
_DECAY_DB_A_SECOND = 60.0
_PARTIAL_RANGE_DB = 25.0
_PARTIAL_PROMINENCE_DB = 6.0
_TOLERANCE_DB = 10.0
_GONE_DB = 20.0
_TOLERANCE_BINS = 2
_UNCERTAIN_FRAMES = 3


def harmonic_change(clip_a: FloatArray, clip_b: FloatArray) -> float:
    """Return how much of the harmony changes, 0 to 1, at the moment where most does."""
    power_a, power_b = _aligned(*(_spectrogram(clip) for clip in (clip_a, clip_b)))
    power_a, power_b = _smooth(power_a), _smooth(power_b)
    louder = np.median(decibels(power_a).max(axis=1) - decibels(power_b).max(axis=1))
    power_b = power_b * 10 ** (louder / 10)
    missing = _absent(power_a, power_b)
    new = _absent(power_b, _ringing_on(power_a))
    return float(np.sqrt(missing * new).max())


def _spectrogram(clip: FloatArray) -> Array:
    return log_spectrogram(clip[first_onset(clip) :], _FRAME, _HOP, *_RANGE_HZ)


def _aligned(power_a: Array, power_b: Array) -> tuple[Array, Array]:
    """Return both spectrograms at one pitch level, of the bins and frames that they share."""
    count = max(1, min(len(power_a), len(power_b)) - _UNCERTAIN_FRAMES)
    power_a, power_b = power_a[:count], power_b[:count]
    lines_a, lines_b = lines_of(power_a, _NEIGHBOURHOOD), lines_of(power_b, _NEIGHBOURHOOD)
    correlation = correlation_over_shifts(lines_a, lines_b, _LARGEST_SHIFT).sum(axis=0)
    shift = int(np.argmax(correlation)) - _LARGEST_SHIFT
    bins = power_a.shape[1] - abs(shift)
    start_a, start_b = max(-shift, 0), max(shift, 0)
    return power_a[:, start_a : start_a + bins], power_b[:, start_b : start_b + bins]


def _smooth(power: Array) -> Array:
    from scipy.ndimage import uniform_filter1d

    result: Array = uniform_filter1d(power, _STRETCH_FRAMES, axis=0)[_STRETCH_FRAMES // 2 :]
    return np.maximum(result, 0.0)


def _ringing_on(power: Array) -> Array:
    """Return each frame with what earlier ones leave of themselves, at a decay of 60 dB a second."""
    kept = 10 ** (-_DECAY_DB_A_SECOND * _HOP_SECONDS / 10)
    result = power.copy()
    for frame in range(1, len(result)):
        result[frame] = np.maximum(result[frame], kept * result[frame - 1])
    return result


def _absent(power: Array, other: Array) -> Array:
    """Return for each frame the share of partials, weighted by level, that the other clip lacks."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    level = decibels(power)
    top = level.max(axis=1, keepdims=True)
    partial = (level == maximum_filter1d(level, 5, axis=1)) & (
        level > uniform_filter1d(level, 25, axis=1) + _PARTIAL_PROMINENCE_DB
    )
    partial &= (level > top - _PARTIAL_RANGE_DB) & (top > level.max() - _PARTIAL_RANGE_DB)
    counterpart = maximum_filter1d(decibels(other), 2 * _TOLERANCE_BINS + 1, axis=1)
    loss = np.clip((level - counterpart - _TOLERANCE_DB) / (_GONE_DB - _TOLERANCE_DB), 0.0, 1.0)
    weight = np.where(partial, level - top + _PARTIAL_RANGE_DB, 0.0)
    result: Array = (loss * weight).sum(axis=1) / (weight.sum(axis=1) + 1e-9)
    return result
