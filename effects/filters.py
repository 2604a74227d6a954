"""What effects that filter have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def rounded(coefficients: Array, bits: int) -> Array:
    """Return coefficients rounded to so many bits behind the binary point.

    NumPy takes other instructions on other processors, so that what it designs differs in its last bits.
    Where these would be magnified, rounding makes the coefficients the same everywhere.
    """
    steps = 2.0**bits
    result: Array = np.round(coefficients * steps) / steps
    return result


def forwards_and_backwards(sections: Array, samples: npt.NDArray[np.floating[Any]]) -> Array:
    """Filter once forwards and once backwards in time: twice the slope, and no delay at any frequency.

    Parameters
    ----------
    sections : ndarray of float64, shape (n, 6)
        Second-order sections.
    samples : ndarray, shape (m,)
        One channel.

    Returns
    -------
    ndarray of float64, shape (m,)
        Filtered from rest in either direction.
    """
    from scipy.signal import sosfilt

    forwards = sosfilt(sections, samples.astype(np.float64))
    backwards: Array = sosfilt(sections, forwards[::-1])[::-1]
    return backwards
