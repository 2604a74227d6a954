"""Peaks of clips: of the samples, and of the signal between them (true peak, ITU-R BS.1770-4, annex 2)."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import FloatArray

_FIRST_HALF: Final = (
    (0.0017089843750, -0.0291748046875, -0.0189208984375, -0.0083007812500),
    (0.0109863281250, 0.0292968750000, 0.0330810546875, 0.0148925781250),
    (-0.0196533203125, -0.0517578125000, -0.0582275390625, -0.0266113281250),
    (0.0332031250000, 0.0891113281250, 0.1015625000000, 0.0476074218750),
    (-0.0594482421875, -0.1665039062500, -0.2003173828125, -0.1022949218750),
    (0.1373291015625, 0.4650878906250, 0.7797851562500, 0.9721679687500),
)
"""The first half of the interpolation filter of BS.1770-4, annex 2: one row a tap, one column a phase."""

# The filter is symmetric: its second half is the first one with taps and phases backwards.
_TAPS: Final = np.vstack([_FIRST_HALF, np.flip(_FIRST_HALF)])
_SPAN: Final = len(_TAPS)

_MOST_RAISED: Final = float(np.abs(_TAPS).sum(axis=0).max())
"""How far an interpolated value can rise above every sample that it comes from: 6.1 dB at most."""

_LOOK_AHEAD_SECONDS: Final = 0.003
_ROUNDING: Final = 1e-4


def peak_dbfs(samples: FloatArray) -> float:
    """Return the sample peak in decibels below full scale; minus infinity for silence."""
    return _decibels(_sample_peak(samples))


def true_peak_dbtp(samples: FloatArray, at_least: float = -math.inf) -> float:
    """Return the true peak in decibels below full scale: of the samples and of what lies between them.

    The signal is oversampled four times with the filter of the standard, but only where its samples are high
    enough for it to pass both the sample peak and `at_least`. That is nowhere in most clips.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel.
    at_least : float
        In dBTP. Peaks below it are not looked for: the result is then some value below it, not less than
        the sample peak.
    """
    peak, least = _sample_peak(samples), _amplitude(at_least)
    if peak * _MOST_RAISED <= least:
        return _decibels(peak)
    between = _between(samples, max(peak, least))[1]
    return _decibels(float(max(peak, between.max(initial=0.0))))


def held(samples: FloatArray, sample_rate: int, limit_dbtp: float) -> FloatArray:
    """Return the samples with true peaks held at a limit by a smooth gain that looks ahead.

    The gain that each sample and its surroundings need, its minimum over a neighbourhood, and the average of
    that over the same neighbourhood: an average of values that are each low enough is low enough (Zoelzer,
    DAFX, 2nd ed. 2011, section 4.2.2, with a symmetric window in place of attack and release).

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel, at least one sample.
    sample_rate : int
        Samples per second.
    limit_dbtp : float
        The limit in decibels below full scale.
    """
    from scipy.ndimage import minimum_filter1d

    limit = _amplitude(limit_dbtp)
    height = np.abs(samples).astype(np.float64)
    places, between = _between(samples, limit)
    np.maximum.at(height, places, between)
    needed = np.minimum(1.0, (limit - _ROUNDING) / np.maximum(height, 1e-9))
    width = 2 * round(_LOOK_AHEAD_SECONDS * sample_rate) + 1
    weights = np.hanning(width + 2)[1:-1]
    lowest = np.pad(minimum_filter1d(needed, width, mode="nearest"), width // 2, mode="edge")
    gain = np.convolve(lowest, weights / weights.sum(), mode="valid")
    return (samples * gain).astype(np.float32)


def _between(samples: FloatArray, above: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Return all places where the oversampled signal can pass an amplitude, and how high it is there.

    A place is the index of the sample in the middle of the span that the filter takes; the height is the
    largest magnitude of its four phases.
    """
    loud = np.flatnonzero(np.abs(samples) > above / _MOST_RAISED)
    offsets = np.arange(_SPAN)
    starts = np.unique(loud[:, None] + offsets)  # in the padded samples: spans that contain a loud sample
    padded = np.pad(samples, _SPAN - 1)
    spans = padded[starts[:, None] + offsets]
    places = np.clip(starts - _SPAN // 2 + 1, 0, max(0, samples.size - 1))
    return places, np.abs(spans @ _TAPS).max(axis=1, initial=0.0)


def _sample_peak(samples: FloatArray) -> float:
    return float(max(np.max(samples, initial=0.0), -np.min(samples, initial=0.0)))


def _amplitude(decibels: float) -> float:
    return float(10 ** (decibels / 20))


def _decibels(amplitude: float) -> float:
    return 20 * math.log10(amplitude) if amplitude > 0 else -math.inf
