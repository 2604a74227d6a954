"""The material of the published MusicListenBench (2026), with its faults, for comparison.

Four notes of 0.4 s out of four pitches, of which the second one moves; a triad of 1.5 s, whose third moves;
four instruments; clicks at 2.0 Hz against faster or slower ones. Clip A is never the edited one, so that clip
B alone often tells the answer, and there are few different contents: splits that use this material have to
allow contents to be repeated.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from listenbench.compose.trial import (
    LEAD_IN_SECONDS,
    Setting,
    Trial,
    Unsuitable,
    faster_or_slower,
    same_or_different,
)
from listenbench.edits import Edit, change_instrument, move_notes, repeat_figure
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of
from listenbench.randomness import pick

PROGRAMS: Final = (0, 24, 40, 73)
"""Acoustic grand piano, nylon guitar, violin, flute."""

_NOTES: Final = 4
_NOTE_SECONDS: Final = 0.4
_EDITED_NOTE: Final = 1
_CHORD_SECONDS: Final = 1.5
_THIRDS: Final = (3, 4)
_FIFTH: Final = 7
_CLOSED_HI_HAT: Final = 42
_CYCLE_BEATS: Final = 2
_RATE: Final = 120.0
_VELOCITY: Final = 90


def compose_melody(
    generator: np.random.Generator, setting: Setting, pool: tuple[int, ...], rung: int
) -> Trial:
    """Draw four notes out of the pool; the second one moves by `rung` cents.

    Raises
    ------
    Unsuitable
        If the second note is the lowest, which the contract of edits lets nobody move.
    """
    base, pitches = _four_notes(generator, setting, pool, PROGRAMS[0])
    if pitches.index(min(pitches)) == _EDITED_NOTE:
        raise Unsuitable
    edited = move_notes(base, [_EDITED_NOTE], rung // 100)
    edit = Edit("note_pitch", "melody", float(rung), "cents", (_EDITED_NOTE,))
    return same_or_different(base, edited, edit, f"{pitches} {rung}", {"program": PROGRAMS[0]})


def compose_harmony(
    generator: np.random.Generator, setting: Setting, pool: tuple[int, ...], rung: int
) -> Trial:
    """Draw a major or minor triad on a root out of the pool; its third moves up by `rung` semitones.

    Raises
    ------
    Unsuitable
        If the third would become the other third of the two, or the fifth.
    """
    root, third = pick(generator, pool), pick(generator, _THIRDS)
    if third + rung == _FIFTH:
        raise Unsuitable
    notes = [
        Note(root + interval, LEAD_IN_SECONDS, _CHORD_SECONDS, _VELOCITY) for interval in (0, third, _FIFTH)
    ]
    base = Clip((part_of(Instrument(PROGRAMS[0]), notes),), setting.window, _CHORD_SECONDS)
    edit = Edit("chord_member", "harmony", float(rung), "semitones", (1,))
    edited = move_notes(base, [1], rung)
    return same_or_different(base, edited, edit, f"{root} {third} {rung}", {"program": PROGRAMS[0]})


def compose_timbre(generator: np.random.Generator, setting: Setting, pool: tuple[int, ...]) -> Trial:
    """Draw four notes out of the pool and two of the four instruments."""
    first = pick(generator, PROGRAMS)
    second = pick(generator, [program for program in PROGRAMS if program != first])
    base, pitches = _four_notes(generator, setting, pool, first)
    edited = change_instrument(base, Instrument(second))
    edit = Edit("instrument", "timbre", "far", "family distance")
    return same_or_different(base, edited, edit, f"{pitches} {first} {second}", {"program": first})


def redraw_line(generator: np.random.Generator, setting: Setting, pool: tuple[int, ...], clip: Clip) -> Clip:
    """Draw four other notes out of the pool for the same instrument."""
    return _four_notes(generator, setting, pool, clip.lead.instrument.program)[0]


def compose_rhythm(generator: np.random.Generator, setting: Setting, rung: float) -> Trial:
    """Draw the phase of closed hi-hat clicks at 2.0 Hz; clip B has them faster or slower by `rung`."""
    beat = 60 / _RATE
    start = round(0.04 + float(generator.random()) * (beat - 0.04), 4)
    figure = [(float(place), Note(_CLOSED_HI_HAT, 0.0, 0.08, _VELOCITY)) for place in range(_CYCLE_BEATS)]
    notes = repeat_figure(figure, _CYCLE_BEATS, start, beat, setting.window)
    lead = Part(Instrument(0, PERCUSSION_BANK), tuple(notes))
    base = Clip((lead,), setting.window, beat, cycle_beats=_CYCLE_BEATS)
    return faster_or_slower(base, rung, f"{start} {rung}", {"figure": "pulse", "start": start})


def _four_notes(
    generator: np.random.Generator, setting: Setting, pool: tuple[int, ...], program: int
) -> tuple[Clip, tuple[int, ...]]:
    pitches = tuple(pick(generator, pool) for _ in range(_NOTES))
    notes = tuple(
        Note(pitch, round(LEAD_IN_SECONDS + place * _NOTE_SECONDS, 6), _NOTE_SECONDS, _VELOCITY)
        for place, pitch in enumerate(pitches)
    )
    return Clip((Part(Instrument(program), notes),), setting.window, _NOTE_SECONDS), pitches
