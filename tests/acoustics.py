"""Formulas and measurements of acoustics for the tests of effects and of recordings."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import numpy.typing as npt

SAMPLE_RATE = 44_100


def cookbook_shelf_db(kind: str, gain_db: float, midpoint: float, frequency: float) -> float:
    """Evaluate a shelf of R. Bristow-Johnson's cookbook with Q = 1 / sqrt(2)."""
    a = 10 ** (gain_db / 40)
    w0 = 2 * math.pi * midpoint / SAMPLE_RATE
    cos, alpha = math.cos(w0), math.sin(w0) / (2 * math.sqrt(0.5))
    s = 1 if kind == "low" else -1
    root = 2 * math.sqrt(a) * alpha
    b = (
        a * ((a + 1) - s * (a - 1) * cos + root),
        s * 2 * a * ((a - 1) - s * (a + 1) * cos),
        a * ((a + 1) - s * (a - 1) * cos - root),
    )
    d = (
        (a + 1) + s * (a - 1) * cos + root,
        -s * 2 * ((a - 1) + s * (a + 1) * cos),
        (a + 1) + s * (a - 1) * cos - root,
    )
    z = cmath.exp(-2j * math.pi * frequency / SAMPLE_RATE)
    return 20 * math.log10(abs((b[0] + b[1] * z + b[2] * z * z) / (d[0] + d[1] * z + d[2] * z * z)))


def decay_seconds(response: npt.NDArray[np.floating[Any]]) -> float:
    """Return RT60 by a line through Schroeder's decay curve from -5 to -25 dB (T20 of ISO 3382-1)."""
    energy = np.square(response.astype(np.float64))
    remaining = np.cumsum(energy[::-1])[::-1]
    level = 10 * np.log10(np.maximum(remaining / remaining[0], 1e-12))
    fitted = np.flatnonzero((level <= -5) & (level >= -25))
    return float(-60 / np.polyfit(fitted / SAMPLE_RATE, level[fitted], 1)[0])
