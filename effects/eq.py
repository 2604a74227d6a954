"""EQ: a low and a high shelf, each raised or lowered, as tone controls do.

The filters are pedalboard's, second-order shelves after R. Bristow-Johnson, "Cookbook formulae for audio
equalizer biquad filter coefficients".
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

import numpy as np
from pydantic import AfterValidator, Field

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings, one_of

BUTTERWORTH_Q: Final = 2**-0.5
"""Quality of a shelf without a bump at either side of its edge."""


def _not_flat(gain_db: float) -> float:
    if abs(gain_db) < 0.5:
        raise ValueError("a shelf must change the sound, by at least 0.5 dB")
    return gain_db


Gain = Annotated[float, Field(ge=-24, le=24), AfterValidator(_not_flat)]
Frequency = Annotated[float, Field(ge=20, le=16_000)]


class EqOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    gains_db : tuple of float
        Gains, one of which each shelf takes.
    low_hz, high_hz : float
        Midpoints of the shelves, where half of the gain (in dB) is reached.
    """

    gains_db: Annotated[tuple[Gain, ...], Field(min_length=1)] = (-3.0, 3.0)
    low_hz: Frequency = 200.0
    high_hz: Frequency = 4000.0


class EqParameters(Settings):
    """What was drawn: the gain and the midpoint of each shelf."""

    low_gain_db: Gain
    high_gain_db: Gain
    low_hz: Frequency
    high_hz: Frequency


class Eq(AudioEffect[EqOptions, EqParameters]):
    """Filters with two shelves; neither is ever flat."""

    name = "eq"
    title = "low and high shelf"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = EqOptions
    Parameters: ClassVar[type[Settings]] = EqParameters

    def _draw(self, rng: np.random.Generator, options: EqOptions) -> EqParameters:
        low, high = (one_of(rng, options.gains_db) for _ in range(2))
        return EqParameters(
            low_gain_db=low, high_gain_db=high, low_hz=options.low_hz, high_hz=options.high_hz
        )

    def _apply(self, samples: FloatArray, sample_rate: int, parameters: EqParameters) -> FloatArray:
        from pedalboard import HighShelfFilter, LowShelfFilter

        low = LowShelfFilter(parameters.low_hz, parameters.low_gain_db, BUTTERWORTH_Q)
        high = HighShelfFilter(parameters.high_hz, parameters.high_gain_db, BUTTERWORTH_Q)
        filtered: FloatArray = high.process(low.process(samples, sample_rate), sample_rate)
        return filtered
