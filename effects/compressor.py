"""Compressor: loud moments turned down, as broadcast and streaming do."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings


class CompressorSettings(Settings):
    """What is applied; nothing is left to chance.

    Attributes
    ----------
    threshold_dbfs : float
        Level above which the gain falls, for a clip at -23 LUFS.
    ratio : float
        Decibels above the threshold that go in for each decibel that comes out.
    attack_ms, release_ms : float
        Time constants of the level detector. A slow attack lets the start of a drum stroke through at full
        level, and bringing the clip back to its loudness then makes it clip.
    """

    threshold_dbfs: Annotated[float, Field(ge=-60, le=0)] = -30.0
    ratio: Annotated[float, Field(ge=1.5, le=20)] = 4.0
    attack_ms: Annotated[float, Field(ge=0.1, le=100)] = 0.1
    release_ms: Annotated[float, Field(ge=10, le=1000)] = 100.0


class Compressor(AudioEffect[CompressorSettings, CompressorSettings]):
    """Compresses with pedalboard's feed-forward compressor, which doesn't look ahead and adds no delay."""

    name = "compressor"
    title = "dynamic range compression"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = CompressorSettings
    Parameters: ClassVar[type[Settings]] = CompressorSettings

    def _draw(self, rng: np.random.Generator, options: CompressorSettings) -> CompressorSettings:
        del rng
        return options

    def _apply(self, samples: FloatArray, sample_rate: int, parameters: CompressorSettings) -> FloatArray:
        from pedalboard import Compressor as Plugin

        plugin = Plugin(
            threshold_db=parameters.threshold_dbfs,
            ratio=parameters.ratio,
            attack_ms=parameters.attack_ms,
            release_ms=parameters.release_ms,
        )
        compressed: FloatArray = plugin.process(samples, sample_rate)
        return compressed
