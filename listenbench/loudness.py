"""Loudness of clips after ITU-R BS.1770, through pyloudnorm."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from listenbench.audio import FloatArray, dequantised, quantised
from listenbench.errors import RenderError

PEAK_LIMIT_DBFS = -1.0
"""Highest sample peak that a clip may have (EBU R 128 recommends -1 dBTP)."""

MOST_LIMITING_DB = 4.0
"""Most that `normalised` takes from a peak."""

_TOLERANCE_LU = 0.02
_LOOK_AHEAD_SECONDS = 0.003
_ROUNDING = 1e-4
_ROUNDS = 16


@cache
def _meter(sample_rate: int) -> Any:
    import pyloudnorm

    return pyloudnorm.Meter(sample_rate)


def integrated_loudness(samples: FloatArray, sample_rate: int) -> float:
    """Return the integrated loudness in LUFS; minus infinity for silence.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel of at least 0.4 s, the length of a gating block.
    sample_rate : int
        Samples per second.
    """
    with np.errstate(divide="ignore"):
        loudness: float = _meter(sample_rate).integrated_loudness(samples)
    return float(loudness)


def normalised(samples: FloatArray, sample_rate: int, target_lufs: float) -> FloatArray:
    """Return the samples at a given loudness, within 0.02 LU once they are 16-bit integers.

    One step is not always enough: scaling lifts quiet blocks over the absolute gate of BS.1770 (-70 LUFS),
    and where a block lies just at the relative gate, rounding decides whether it counts. The rare attack that
    would pass `PEAK_LIMIT_DBFS` is held there (see `limited`), by a few decibels at most.

    Raises
    ------
    RenderError
        If the clip is silent or too short to have a loudness, or more than the rare attack would be held.
    """
    gain_db = target_lufs - _finite_loudness(samples, sample_rate)
    for _ in range(_ROUNDS):
        scaled = samples * np.float32(10 ** (gain_db / 20))
        excess = peak_dbfs(scaled) - PEAK_LIMIT_DBFS
        if excess > MOST_LIMITING_DB:
            raise RenderError(
                f"at {target_lufs} LUFS the clip would peak at {excess + PEAK_LIMIT_DBFS:.1f} dBFS, "
                f"more than {MOST_LIMITING_DB} dB above the limit of {PEAK_LIMIT_DBFS} dBFS"
            )
        result = limited(scaled, sample_rate) if excess > 0 else scaled
        loudness = _finite_loudness(dequantised(quantised(result)), sample_rate)
        if abs(target_lufs - loudness) <= _TOLERANCE_LU:
            return result
        gain_db += target_lufs - loudness
    raise RenderError(f"the clip can't be brought to {target_lufs} LUFS: it comes out at {loudness:.2f}")


def limited(samples: FloatArray, sample_rate: int) -> FloatArray:
    """Return the samples with peaks held at `PEAK_LIMIT_DBFS` by a smooth gain that looks ahead.

    The gain that each sample needs, its minimum over a neighbourhood, and the average of that over the same
    neighbourhood: an average of values that are each low enough is low enough (Zoelzer, DAFX, 2nd ed. 2011,
    section 4.2.2, with a symmetric window in place of attack and release).
    """
    from scipy.ndimage import minimum_filter1d

    limit = 10 ** (PEAK_LIMIT_DBFS / 20) - _ROUNDING
    needed = np.minimum(1.0, limit / np.maximum(np.abs(samples), 1e-9))
    width = 2 * round(_LOOK_AHEAD_SECONDS * sample_rate) + 1
    weights = np.hanning(width + 2)[1:-1]
    lowest = np.pad(minimum_filter1d(needed, width, mode="nearest"), width // 2, mode="edge")
    gain = np.convolve(lowest, weights / weights.sum(), mode="valid")
    return (samples * gain).astype(np.float32)


def _finite_loudness(samples: FloatArray, sample_rate: int) -> float:
    loudness = integrated_loudness(samples, sample_rate)
    if not math.isfinite(loudness):
        raise RenderError(f"the clip has no loudness ({loudness} LUFS): it is silent or too short")
    return loudness


def peak_dbfs(samples: FloatArray) -> float:
    """Return the sample peak in decibels below full scale; minus infinity for silence."""
    peak = float(np.max(np.abs(samples), initial=0.0))
    return 20 * math.log10(peak) if peak > 0 else -math.inf
