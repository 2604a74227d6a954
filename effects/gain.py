"""Gain: louder or softer."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings, one_of

Gain = Annotated[float, Field(ge=-40, le=20)]


class GainOptions(Settings):
    """What may be drawn: one of these gains in decibels."""

    gains_db: Annotated[tuple[Gain, ...], Field(min_length=1)] = (-12.0, -6.0)


class GainParameters(Settings):
    """What was drawn: the gain in decibels."""

    gain_db: Gain


class GainChange(AudioEffect[GainOptions, GainParameters]):
    """Multiplies all samples.

    Where the clip is brought to a loudness after the chain, this is undone; it matters ahead of effects that
    act on the level, such as the compressor.
    """

    name = "gain"
    title = "louder or softer"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = GainOptions
    Parameters: ClassVar[type[Settings]] = GainParameters

    def _draw(self, rng: np.random.Generator, options: GainOptions) -> GainParameters:
        return GainParameters(gain_db=one_of(rng, options.gains_db))

    def _apply(self, samples: FloatArray, sample_rate: int, parameters: GainParameters) -> FloatArray:
        del sample_rate
        return samples * np.float32(10 ** (parameters.gain_db / 20))
