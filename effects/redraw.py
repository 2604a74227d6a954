"""Redraw: other music on the same instrument."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from listenbench.effects.base import Effect, Settings, Stage


class RedrawSettings(Settings):
    """Nothing to choose: the planner draws the music."""


class Redraw(Effect[RedrawSettings, RedrawSettings]):
    """Asks the planner for other notes, played by the same instrument."""

    name = "redraw"
    title = "other music on the same instrument"
    stage = Stage.MUSIC
    alters = frozenset({"melody", "register"})
    keeps = frozenset({"timbre"})
    Options: ClassVar[type[Settings]] = RedrawSettings
    Parameters: ClassVar[type[Settings]] = RedrawSettings

    def _draw(self, rng: np.random.Generator, options: RedrawSettings) -> RedrawSettings:
        del rng
        return options
