"""Seeded noise, for the effects that add some."""

from __future__ import annotations

from typing import Annotated, Final

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
