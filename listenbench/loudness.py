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

_TOLERANCE_LU = 0.02
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
    and where a block lies just at the relative gate, rounding decides whether it counts.

    Raises
    ------
    RenderError
        If the clip is silent or too short to have a loudness, or its peak would pass `PEAK_LIMIT_DBFS`.
    """
    scaled = samples
    for _ in range(_ROUNDS):
        loudness = integrated_loudness(dequantised(quantised(scaled)), sample_rate)
        if not math.isfinite(loudness):
            raise RenderError(f"the clip has no loudness ({loudness} LUFS): it is silent or too short")
        if abs(target_lufs - loudness) <= _TOLERANCE_LU:
            break
        scaled = scaled * np.float32(10 ** ((target_lufs - loudness) / 20))
    else:
        raise RenderError(f"the clip can't be brought to {target_lufs} LUFS: it comes out at {loudness:.2f}")
    peak = peak_dbfs(scaled)
    if peak > PEAK_LIMIT_DBFS:
        raise RenderError(
            f"at {target_lufs} LUFS the clip peaks at {peak:.1f} dBFS, "
            f"above the limit of {PEAK_LIMIT_DBFS} dBFS"
        )
    return scaled


def peak_dbfs(samples: FloatArray) -> float:
    """Return the sample peak in decibels below full scale; minus infinity for silence."""
    peak = float(np.max(np.abs(samples), initial=0.0))
    return 20 * math.log10(peak) if peak > 0 else -math.inf
