"""Hum: the mains frequency and its harmonics, as of a bad cable."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field

from listenbench.effects.base import AudioEffect, FloatArray, Settings, one_of
from listenbench.effects.noise import at_snr

Snr = Annotated[float, Field(ge=0, le=60)]
Mains: TypeAlias = Literal[50, 60]
Phase = Annotated[float, Field(ge=0, lt=1)]

HARMONICS: Final = 8
"""Partials of the hum; the amplitude of each is inverse to its number."""


class HumOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    mains_hz : tuple of 50 or 60
        Mains frequencies, one of which is taken.
    snr_db : tuple of float
        Signal-to-noise ratios, one of which is taken: power of the whole clip over power of the hum.
    """

    mains_hz: Annotated[tuple[Mains, ...], Field(min_length=1)] = (50, 60)
    snr_db: Annotated[tuple[Snr, ...], Field(min_length=1)] = (20.0, 30.0)


class HumParameters(Settings):
    """What was drawn: mains frequency, signal-to-noise ratio, and the phase in cycles of each partial."""

    mains_hz: Mains
    snr_db: Snr
    phases: Annotated[tuple[Phase, ...], Field(min_length=HARMONICS, max_length=HARMONICS)]


class Hum(AudioEffect[HumOptions, HumParameters]):
    """Adds a steady tone with harmonics. A silent clip stays silent.

    The tone has a pitch of its own, which can complete or blur a chord: it is no STAY for harmony.
    """

    name = "hum"
    title = "mains hum"
    keeps = frozenset({"melody", "timbre", "rhythm"})
    Options: ClassVar[type[Settings]] = HumOptions
    Parameters: ClassVar[type[Settings]] = HumParameters

    def _draw(self, rng: np.random.Generator, options: HumOptions) -> HumParameters:
        return HumParameters(
            mains_hz=one_of(rng, options.mains_hz),
            snr_db=one_of(rng, options.snr_db),
            phases=tuple(float(phase) for phase in rng.random(HARMONICS)),
        )

    def _apply(
        self, samples: FloatArray, sample_rate: int, parameters: HumParameters
    ) -> npt.NDArray[np.floating[Any]]:
        cycles = parameters.mains_hz * np.arange(samples.size) / sample_rate
        hum = sum(
            (
                np.sin(2 * np.pi * (number * cycles + phase)) / number
                for number, phase in enumerate(parameters.phases, start=1)
            ),
            start=np.zeros(samples.size),
        )
        return samples + at_snr(hum, samples, parameters.snr_db)
