"""Hiss: white noise at a fixed level, as of a cheap preamplifier."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings
from listenbench.effects.noise import Seed, draw_seed, white_noise

Level = Annotated[float, Field(ge=-100, le=-10)]


class HissOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    level_dbfs : float
        RMS of the noise in dB below full scale, where a clip stands at -23 LUFS.
    """

    level_dbfs: Level = -50.0


class HissParameters(Settings):
    """What was drawn: the level and the seed of the noise."""

    level_dbfs: Level
    seed: Seed


class Hiss(AudioEffect[HissOptions, HissParameters]):
    """Adds white noise that depends on its seed and level alone, never on the clip."""

    name = "hiss"
    title = "white noise"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = HissOptions
    Parameters: ClassVar[type[Settings]] = HissParameters

    def _draw(self, rng: np.random.Generator, options: HissOptions) -> HissParameters:
        return HissParameters(level_dbfs=options.level_dbfs, seed=draw_seed(rng))

    def _apply(self, samples: FloatArray, sample_rate: int, parameters: HissParameters) -> FloatArray:
        del sample_rate
        rms = 10 ** (parameters.level_dbfs / 20)
        return samples + (rms * white_noise(samples.size, parameters.seed)).astype(np.float32)
