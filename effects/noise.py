"""Seeded noise, for the effects that add some."""

from __future__ import annotations

import math
from typing import Annotated, Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""Seed of a generator that an effect uses while it is applied."""

_RMS_OF_UNIFORM: Final = 1 / np.sqrt(3.0)
"""RMS of the uniform distribution over -1 to 1."""


def draw_seed(rng: np.random.Generator) -> int:
    """Draw a seed to keep among an effect's parameters."""
    return int(rng.integers(2**32))


def generator(seed: int) -> np.random.Generator:
    """Return the generator of a seed; the algorithm is named, since NumPy may change its default."""
    return np.random.Generator(np.random.PCG64(seed))


def white_noise(count: int, seed: int) -> npt.NDArray[np.float64]:
    """Return white noise with an RMS of 1.

    The amplitudes are uniform, so that the peak is known: 4.8 dB above the RMS. The first `n` samples are
    the same whatever `count` is.

    Parameters
    ----------
    count : int
        Number of samples.
    seed : int
        Seed of the noise.

    Returns
    -------
    ndarray of float64, shape (count,)
        The noise.
    """
    noise: npt.NDArray[np.float64] = (2 * generator(seed).random(count) - 1) / _RMS_OF_UNIFORM
    return noise


def at_snr(
    noise: npt.NDArray[np.float64], signal: npt.NDArray[np.floating[Any]], snr_db: float
) -> npt.NDArray[np.float64]:
    """Scale noise to a signal-to-noise ratio.

    Parameters
    ----------
    noise, signal : ndarray, shape (n,)
        What is scaled, and what it is compared with.
    snr_db : float
        Power of the signal over power of the noise, both over all `n` samples.

    Returns
    -------
    ndarray of float64, shape (n,)
        The scaled noise; zeros if the signal or the noise is silent.
    """
    signal_power, noise_power = (float(np.mean(np.square(x, dtype=np.float64))) for x in (signal, noise))
    if noise_power == 0:
        return np.zeros(noise.size)
    factor = math.sqrt(signal_power / noise_power) * 10 ** (-snr_db / 20)
    return noise * factor
