"""Soundfont swap: the same notes and presets, rendered with another soundfont."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from listenbench.effects.base import Effect, Json, Settings, Stage, one_of
from listenbench.errors import SpecError

Name = Annotated[str, Field(min_length=1)]


class SoundfontOptions(Settings):
    """What may be drawn: one of `candidates`; in a split that names none, any of its soundfonts."""

    candidates: tuple[Name, ...] = ()


class SoundfontParameters(Settings):
    """What was drawn: the name of a soundfont."""

    soundfont: Name


class SoundfontSwap(Effect[SoundfontOptions, SoundfontParameters]):
    """Names the soundfont that renders the clip in place of the first one.

    The sound of an instrument is what the timbre task asks about, so it is no STAY there.
    """

    name = "soundfont"
    title = "another soundfont"
    stage = Stage.SOUNDFONT
    keeps = frozenset({"melody", "harmony", "rhythm"})
    Options: ClassVar[type[Settings]] = SoundfontOptions
    Parameters: ClassVar[type[Settings]] = SoundfontParameters

    def draw_from(self, rng: np.random.Generator, candidates: Sequence[str]) -> dict[str, Json]:
        """Draw one of several soundfonts.

        Raises
        ------
        SpecError
            If there is none to draw from.
        """
        return self.draw(rng, SoundfontOptions(candidates=tuple(candidates)))

    def _draw(self, rng: np.random.Generator, options: SoundfontOptions) -> SoundfontParameters:
        if not options.candidates:
            raise SpecError(
                "effect soundfont: no candidates to draw from: the split needs a second soundfont"
            )
        return SoundfontParameters(soundfont=one_of(rng, options.candidates))
