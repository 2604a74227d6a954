"""Comparing two melodies: whether every note lies by the same interval above its counterpart.

The relative pitch of the clips is measured at every moment, as the shift on a logarithmic frequency axis at
which their spectra agree best. The shift at which the whole clips agree best is the transposition, any
interval up to an octave. Where another shift fits better for as long as a note lasts, the melody differs.
Partials of one instrument keep their pattern from note to note, so no pitch has to be found, and an
octave can't be mistaken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from listenbench.audio import FloatArray
from listenbench.listeners.hearing import (
    BINS_AN_OCTAVE,
    Array,
    correlation_over_shifts,
    first_onset,
    lines_of,
    log_spectrogram,
)

THRESHOLD = -0.06
"""Advantage of another shift, as a difference of correlations, above which melodies are different.

Below zero, since a moved note rarely fills the whole stretch that is looked at."""

_FRAME, _HOP = 4096, 441
_RANGE_HZ = (60.0, 8000.0)
_NEIGHBOURHOOD = 12
_LARGEST_SHIFT = 13 * BINS_AN_OCTAVE // 12
_STRETCH_FRAMES = 20
_SAME_SHIFT = 2
_QUIETEST = 0.15


@dataclass(frozen=True, slots=True)
class MelodyComparison:
    """How two melodies compare.

    Attributes
    ----------
    shift : int
        Bins of `CENTS_A_BIN` by which the second one lies higher as a whole.
    advantage : float
        By how much another shift correlates better than that one, at the moment where it does most.
    """

    shift: int
    advantage: float


def compare_melodies(clip_a: FloatArray, clip_b: FloatArray) -> MelodyComparison:
    """Compare the melodies of two clips."""
    lines_a, lines_b = (_lines(clip) for clip in (clip_a, clip_b))
    count = min(len(lines_a), len(lines_b))
    lines_a, lines_b = lines_a[:count], lines_b[:count]
    correlation = correlation_over_shifts(lines_a, lines_b, _LARGEST_SHIFT)
    best = int(np.argmax(correlation.sum(axis=0)))
    energy = _smooth((lines_a**2).sum(axis=1)) * _smooth((lines_b**2).sum(axis=1))
    strength = np.sqrt(np.maximum(energy, 0.0))
    similarity = _smooth(correlation) / (strength[:, None] + 1e-9)
    low, high = max(best - _SAME_SHIFT, 0), best + _SAME_SHIFT + 1
    here = similarity[:, low:high].max(axis=1)
    others = [part for part in (similarity[:, : max(low - 1, 0)], similarity[:, high + 1 :]) if part.size]
    elsewhere = np.max([part.max(axis=1) for part in others], axis=0)
    audible = strength > _QUIETEST * strength.max()
    advantage = (elsewhere - here)[audible].max(initial=-1.0)
    return MelodyComparison(best - _LARGEST_SHIFT, float(advantage))


def _lines(clip: FloatArray) -> Array:
    spectrogram = log_spectrogram(clip[first_onset(clip) :], _FRAME, _HOP, *_RANGE_HZ)
    return lines_of(spectrogram, _NEIGHBOURHOOD)


def _smooth(values: Array) -> Array:
    from scipy.ndimage import uniform_filter1d

    result: Array = uniform_filter1d(values, _STRETCH_FRAMES, axis=0, mode="constant")
    return result
