"""Wow: a slow waver of speed and pitch, as of a tape or a record that turns unevenly."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from listenbench.effects.base import AudioEffect, FloatArray, Settings, one_of

Cents = Annotated[float, Field(ge=5, le=100)]
Rate = Annotated[float, Field(ge=0.5, le=6)]

_SPLINE_ORDER: Final = 5


class WowOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    depth_cents : tuple of float
        Largest deviations of pitch, one of which is taken.
    rate_hz : tuple of float
        Wavers a second, one of which is taken. Above about 6 Hz one speaks of flutter (IEC 60386).
    """

    depth_cents: Annotated[tuple[Cents, ...], Field(min_length=1)] = (30.0,)
    rate_hz: Annotated[tuple[Rate, ...], Field(min_length=1)] = (0.5, 1.0, 2.0)


class WowParameters(Settings):
    """What was drawn: depth in cents, rate in Hz, phase at the start in cycles."""

    depth_cents: Cents
    rate_hz: Rate
    phase: Annotated[float, Field(ge=0, lt=1)]


class Wow(AudioEffect[WowOptions, WowParameters]):
    """Reads the clip at a speed that varies as a sine.

    It bends intervals, so it is no STAY for melody. All notes of a chord move together, and a pulse moves by
    a few milliseconds, so harmony and rhythm stay.
    """

    name = "wow"
    title = "wavering speed"
    keeps = frozenset({"harmony", "timbre", "rhythm"})
    Options: ClassVar[type[Settings]] = WowOptions
    Parameters: ClassVar[type[Settings]] = WowParameters

    def _draw(self, rng: np.random.Generator, options: WowOptions) -> WowParameters:
        return WowParameters(
            depth_cents=one_of(rng, options.depth_cents),
            rate_hz=one_of(rng, options.rate_hz),
            phase=float(rng.random()),
        )

    def _apply(
        self, samples: FloatArray, sample_rate: int, parameters: WowParameters
    ) -> npt.NDArray[np.floating[Any]]:
        from scipy.ndimage import map_coordinates

        positions = read_positions(samples.size, sample_rate, parameters)
        read: npt.NDArray[np.float64] = map_coordinates(
            samples.astype(np.float64), positions[np.newaxis], order=_SPLINE_ORDER, mode="constant"
        )
        return read


def read_positions(count: int, sample_rate: int, parameters: WowParameters) -> npt.NDArray[np.float64]:
    """Return where in the clip each sample is read, in samples; the first is 0.

    The speed is 1 + (r - 1) sin(2 pi (f t + phase)), where r is the frequency ratio of `depth_cents`; this is
    its integral.
    """
    swing = 2 ** (parameters.depth_cents / 1200) - 1
    cycles = parameters.rate_hz * np.arange(count) / sample_rate + parameters.phase
    travelled = np.cos(2 * np.pi * parameters.phase) - np.cos(2 * np.pi * cycles)
    positions: npt.NDArray[np.float64] = np.arange(count) + swing * sample_rate * travelled / (
        2 * np.pi * parameters.rate_hz
    )
    return positions
