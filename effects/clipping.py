"""Clipping: the peaks cut off, as of an overdriven input."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from listenbench.effects.base import AudioEffect, FloatArray, Settings, one_of

Depth = Annotated[float, Field(ge=1, le=30)]


class ClippingOptions(Settings):
    """What may be drawn: one of these distances in decibels between the clip's peak and the limit."""

    depths_db: Annotated[tuple[Depth, ...], Field(min_length=1)] = (6.0,)


class ClippingParameters(Settings):
    """What was drawn: how far below the clip's peak the limit is, in decibels."""

    depth_db: Depth


class Clipping(AudioEffect[ClippingOptions, ClippingParameters]):
    """Limits every sample to a level that is relative to the clip's own peak, so that it always bites.

    Distortion is part of what tells instruments apart (General MIDI has guitars with and without), so it is
    no STAY for timbre.
    """

    name = "clipping"
    title = "peaks cut off"
    keeps = frozenset({"melody", "harmony", "rhythm"})
    Options: ClassVar[type[Settings]] = ClippingOptions
    Parameters: ClassVar[type[Settings]] = ClippingParameters

    def _draw(self, rng: np.random.Generator, options: ClippingOptions) -> ClippingParameters:
        return ClippingParameters(depth_db=one_of(rng, options.depths_db))

    def _apply(self, samples: FloatArray, sample_rate: int, parameters: ClippingParameters) -> FloatArray:
        del sample_rate
        limit = np.float32(np.max(np.abs(samples)) * 10 ** (-parameters.depth_db / 20))
        return np.clip(samples, -limit, limit)
