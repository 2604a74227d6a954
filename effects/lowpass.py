"""Low-pass: no treble, as over a telephone line."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings, one_of
from listenbench.effects.filters import forwards_and_backwards
from listenbench.errors import SpecError

Cutoff = Annotated[float, Field(ge=500, le=16_000)]

_ORDER: Final = 4


class LowpassOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    cutoff_hz : tuple of float
        Cutoff frequencies, one of which is taken; 3,400 Hz is the upper edge of a telephone channel
        (ITU-T G.712).
    """

    cutoff_hz: Annotated[tuple[Cutoff, ...], Field(min_length=1)] = (3400.0,)


class LowpassParameters(Settings):
    """What was drawn: the frequency that comes out 6 dB weaker."""

    cutoff_hz: Cutoff


class Lowpass(AudioEffect[LowpassOptions, LowpassParameters]):
    """Filters with a Butterworth low-pass of fourth order, once forwards and once backwards in time.

    That makes 48 dB an octave and no delay at any frequency.
    """

    name = "lowpass"
    title = "treble cut off"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = LowpassOptions
    Parameters: ClassVar[type[Settings]] = LowpassParameters

    def _draw(self, rng: np.random.Generator, options: LowpassOptions) -> LowpassParameters:
        return LowpassParameters(cutoff_hz=one_of(rng, options.cutoff_hz))

    def _apply(
        self, samples: FloatArray, sample_rate: int, parameters: LowpassParameters
    ) -> npt.NDArray[np.floating[Any]]:
        from scipy.signal import butter

        if parameters.cutoff_hz >= sample_rate / 2:
            raise SpecError(
                f"effect lowpass: cutoff_hz: expected less than half the sample rate of {sample_rate} Hz, "
                f"got {parameters.cutoff_hz}"
            )
        sections = butter(_ORDER, parameters.cutoff_hz, fs=sample_rate, output="sos")
        return forwards_and_backwards(sections, samples)
