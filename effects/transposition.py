"""Transposition: the whole clip moved up or down, before it is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from listenbench.effects.base import ClipEffect, Settings
from listenbench.music import Clip

MINIMUM_CENTS = 5
"""Below the smallest change of pitch that listeners notice, a transposed clip is no other clip."""


def _audible(cents: int) -> int:
    if abs(cents) < MINIMUM_CENTS:
        raise ValueError(f"a transposition must be audible, at least {MINIMUM_CENTS} cents")
    return cents


Cents = Annotated[int, Field(ge=-2400, le=2400), AfterValidator(_audible)]


class TranspositionOptions(Settings):
    """What may be drawn: whole cents, up or down, `minimum_cents` to `maximum_cents` inclusive."""

    minimum_cents: Annotated[int, Field(ge=MINIMUM_CENTS, le=2400)] = 25
    maximum_cents: Annotated[int, Field(ge=MINIMUM_CENTS, le=2400)] = 200

    @model_validator(mode="after")
    def _ordered(self) -> TranspositionOptions:
        if self.minimum_cents > self.maximum_cents:
            raise ValueError(
                f"minimum_cents {self.minimum_cents} is above maximum_cents {self.maximum_cents}"
            )
        return self


class TranspositionParameters(Settings):
    """What was drawn: the distance in cents, above 0 for up."""

    cents: Cents


class Transposition(ClipEffect[TranspositionOptions, TranspositionParameters]):
    """Moves every pitched part by the same distance.

    The answer on timbre would stay as well, but a clip of percussion, as in the rhythm task, has no pitch to
    move, and the benchmark that the defaults follow transposes melodies and chords only.
    """

    name = "transposition"
    title = "all notes moved by the same interval"
    alters = frozenset({"register", "tuning"})
    keeps = frozenset({"melody", "harmony"})
    Options: ClassVar[type[Settings]] = TranspositionOptions
    Parameters: ClassVar[type[Settings]] = TranspositionParameters

    def _draw(self, rng: np.random.Generator, options: TranspositionOptions) -> TranspositionParameters:
        distance = int(rng.integers(options.minimum_cents, options.maximum_cents + 1))
        return TranspositionParameters(cents=distance if rng.integers(2) else -distance)

    def apply_to_clip(self, clip: Clip, parameters: Mapping[str, Any]) -> Clip:
        """Return the clip moved by `parameters['cents']`."""
        return clip.transposed(self._parse(parameters).cents)
