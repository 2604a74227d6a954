"""Pink noise: a steady murmur whose power falls by 3 dB an octave, at a stated distance below the clip."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings, one_of
from listenbench.effects.noise import Seed, at_snr, draw_seed, white_noise

Snr = Annotated[float, Field(ge=0, le=60)]

LOWEST_HZ: Final = 20.0
"""Below the range of hearing the spectrum is flat, so that power does not grow without bound."""


class PinkNoiseOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    snr_db : tuple of float
        Signal-to-noise ratios, one of which is taken: power of the whole clip over power of the noise.
    """

    snr_db: Annotated[tuple[Snr, ...], Field(min_length=1)] = (20.0, 30.0)


class PinkNoiseParameters(Settings):
    """What was drawn: the signal-to-noise ratio and the seed of the noise."""

    snr_db: Snr
    seed: Seed


class PinkNoise(AudioEffect[PinkNoiseOptions, PinkNoiseParameters]):
    """Adds noise with a power density that is inverse to frequency. A silent clip stays silent."""

    name = "pink_noise"
    title = "murmur"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = PinkNoiseOptions
    Parameters: ClassVar[type[Settings]] = PinkNoiseParameters

    def _draw(self, rng: np.random.Generator, options: PinkNoiseOptions) -> PinkNoiseParameters:
        snr_db = one_of(rng, options.snr_db)
        return PinkNoiseParameters(snr_db=snr_db, seed=draw_seed(rng))

    def _apply(
        self, samples: FloatArray, sample_rate: int, parameters: PinkNoiseParameters
    ) -> npt.NDArray[np.floating[Any]]:
        noise = _pink(white_noise(samples.size, parameters.seed), sample_rate)
        return samples + at_snr(noise, samples, parameters.snr_db)


def _pink(white: npt.NDArray[np.float64], sample_rate: int) -> npt.NDArray[np.float64]:
    """Weight the spectrum of white noise by the inverse root of frequency."""
    from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

    length = next_fast_len(white.size, real=True)
    frequencies = np.maximum(rfftfreq(length, 1 / sample_rate), LOWEST_HZ)
    shaped: npt.NDArray[np.float64] = irfft(rfft(white, length) / np.sqrt(frequencies), length)
    return shaped[: white.size]
