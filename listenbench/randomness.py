"""Independent random streams, each named by where it is used.

Every decision has a stream of its own, keyed by the seed and by a path such as (split, task, item index,
stage). A new stage does not shift the numbers of the others, and neighbouring seeds have nothing in common.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from listenbench.errors import SpecError

MAXIMUM_SEED = 2**64 - 1

T = TypeVar("T")


def checked_seed(seed: object) -> int:
    """Return the seed, or refuse it.

    Raises
    ------
    SpecError
        If the seed is not an integer from 0 to 2**64 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise SpecError(f"seed: {seed!r} is not an integer from 0 to {MAXIMUM_SEED}")
    if not 0 <= int(seed) <= MAXIMUM_SEED:
        raise SpecError(f"seed: {seed} is outside 0 to {MAXIMUM_SEED}")
    return int(seed)


def stream(seed: int, *path: str | int) -> np.random.Generator:
    """Return the random generator of one place in the seed's tree.

    Parameters
    ----------
    seed : int
        0 to 2**64 - 1.
    *path : str or int
        Names and indices that lead to the place; (`"a"`, 1) and (`"a1"`,) are different places.

    Returns
    -------
    numpy.random.Generator
        PCG64, seeded by a `numpy.random.SeedSequence` with one spawn key an element of the path.
    """
    key = tuple(_spawn_key(element) for element in path)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def _spawn_key(element: str | int) -> int:
    text = f"{type(element).__name__}:{element}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def pick(generator: np.random.Generator, options: Sequence[T]) -> T:
    """Return one of the options, each with the same probability."""
    return options[int(generator.integers(len(options)))]


def pick_weighted(generator: np.random.Generator, options: Sequence[T], weights: Sequence[float]) -> T:
    """Return one of the options with a probability proportional to its weight."""
    point = float(generator.random()) * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        point -= weight
        if point < 0:
            return option
    return options[-1]


def shuffled(generator: np.random.Generator, options: Sequence[T]) -> list[T]:
    """Return the options in random order (Fisher and Yates, 1938)."""
    result = list(options)
    for last in range(len(result) - 1, 0, -1):
        other = int(generator.integers(last + 1))
        result[last], result[other] = result[other], result[last]
    return result
