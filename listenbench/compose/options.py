"""What the options of several composers have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _upwards(ends: tuple[float, float]) -> tuple[float, float]:
    if ends[0] > ends[1]:
        raise ValueError("the range ends below its start")
    return ends


NoteCount = Annotated[int, Field(ge=3, le=12)]
"""Number of notes of a line: enough to have a contour, few enough to fit a window."""

ChordCount = Annotated[int, Field(ge=2, le=4)]
"""Number of chords of a progression."""

PublishedPitch = Annotated[int, Field(ge=21, le=108)]
"""MIDI pitch on the keyboard of a piano."""

Upwards = AfterValidator(_upwards)
"""Refuses a pair whose second number is the smaller one."""


class LineOptions(BaseModel):
    """Options of the tasks whose music is a single line.

    Attributes
    ----------
    notes : (int, int)
        Fewest and most notes of a line, 3 to 12.
    published_pool : tuple of int
        Pitches of the published benchmark's material, which is used instead of ours if there are any.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    notes: Annotated[tuple[NoteCount, NoteCount], Upwards] = (4, 8)
    published_pool: tuple[PublishedPitch, ...] = ()
