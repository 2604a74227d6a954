"""The tasks: what is asked, how the music is drawn, and which attribute the answer hangs on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from pydantic import BaseModel

from listenbench import questions
from listenbench.compose.accompaniment import (
    Arranger,
    Band,
    chord_lead_band,
    line_lead_band,
    line_over_chords,
    pad_over_pulse,
    pad_under_line,
    trio_around_line,
)
from listenbench.compose.harmony import HarmonyOptions, compose_harmony
from listenbench.compose.melody import compose_melody
from listenbench.compose.options import LineOptions
from listenbench.compose.rhythm import RhythmOptions, compose_rhythm
from listenbench.compose.timbre import compose_timbre, redraw_music
from listenbench.compose.trial import Accept, Setting, Trial
from listenbench.errors import SpecError
from listenbench.music import Clip
from listenbench.questions import Question

Rung = int | float | str
Composer = Callable[[np.random.Generator, Setting, Any, Any, Accept], Trial]
Redrawer = Callable[[np.random.Generator, Setting, Any, Clip], Clip]


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of question.

    Attributes
    ----------
    name : str
        Key in splits and in the data set.
    attribute : str
        The attribute that the question is about, a key of `listenbench.attributes.ATTRIBUTES`.
    questions : tuple of Question
        The wordings.
    rungs : tuple
        The magnitudes of the edit that the composer can make.
    unit : str
        Unit of the rungs.
    options : type
        Pydantic model of the task's own options.
    compose : callable
        Draws a `Trial` from (generator, setting, options, rung, accept).
    arrange : callable
        Draws the accompaniment of a trial, from (generator, trial, setting).
    lead_band : callable
        Narrows a band of pitches to what an accompanied lead takes of it.
    pitched : bool
        Whether the split has to give it bands of pitches.
    redraw : callable or None
        Draws other music that keeps the attribute, from (generator, setting, options, clip).
    """

    name: str
    attribute: str
    questions: tuple[Question, ...]
    rungs: tuple[Rung, ...]
    unit: str
    options: type[BaseModel]
    compose: Composer
    arrange: Arranger
    lead_band: Callable[[Band], Band] = line_lead_band
    pitched: bool = True
    redraw: Redrawer | None = None

    @property
    def choices(self) -> tuple[str, str]:
        """The two possible answers, in the order in which fixed letters name them."""
        return self.questions[0].choices


TASKS: Final[Mapping[str, Task]] = MappingProxyType(
    {
        task.name: task
        for task in (
            Task(
                name="melody",
                attribute="melody",
                questions=questions.MELODY,
                rungs=(100, 200, 400, 700),
                unit="cents",
                options=LineOptions,
                compose=compose_melody,
                arrange=pad_under_line,
            ),
            Task(
                name="harmony",
                attribute="harmony",
                questions=questions.HARMONY,
                rungs=(1, 2, 3),
                unit="semitones",
                options=HarmonyOptions,
                compose=compose_harmony,
                arrange=line_over_chords,
                lead_band=chord_lead_band,
            ),
            Task(
                name="timbre",
                attribute="timbre",
                questions=questions.TIMBRE,
                rungs=("near", "far"),
                unit="family distance",
                options=LineOptions,
                compose=compose_timbre,
                arrange=trio_around_line,
                redraw=redraw_music,
            ),
            Task(
                name="rhythm",
                attribute="rhythm",
                questions=questions.RHYTHM,
                rungs=(1.1, 1.2, 1.35, 1.5),
                unit="ratio",
                options=RhythmOptions,
                compose=compose_rhythm,
                arrange=pad_over_pulse,
                pitched=False,
            ),
        )
    }
)
"""All tasks by name."""


def get_task(name: str) -> Task:
    """Return a task by name.

    Raises
    ------
    SpecError
        If there is no such task.
    """
    if name not in TASKS:
        raise SpecError(f"task {name!r} is not known; known tasks: {', '.join(TASKS)}")
    return TASKS[name]
