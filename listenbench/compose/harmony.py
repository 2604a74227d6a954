"""Harmony: single chords, broken chords and progressions, of which one chord changes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from listenbench.compose import published
from listenbench.compose.chords import Shape, choose_bass, editable_shapes, nearby
from listenbench.compose.lines import SOFT_VELOCITIES
from listenbench.compose.trial import (
    LEAD_IN_SECONDS,
    Setting,
    Trial,
    Unsuitable,
    first_suitable,
    same_or_different,
)
from listenbench.edits import Edit, move_note
from listenbench.instruments import players
from listenbench.music import Clip, Instrument, Note, part_of
from listenbench.randomness import pick, pick_weighted

FORMS = ("block", "broken", "progression")
_TAIL_SECONDS = 0.3
_ORDERS = ("ascending", "descending", "inside out")
_NARROWEST_BAND = 14


class HarmonyOptions(BaseModel):
    """Options of the harmony task.

    Attributes
    ----------
    block, broken, progression : float
        Relative frequency of single chords, broken chords and progressions, 0 or more.
    chords : (int, int)
        Fewest and most chords of a progression, 2 to 4.
    published_pool : tuple of int
        Pitches of the published benchmark's material, which is used instead of ours if there are any.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    block: float = Field(default=0.25, ge=0)
    broken: float = Field(default=0.25, ge=0)
    progression: float = Field(default=0.5, ge=0)
    chords: tuple[int, int] = Field(default=(2, 4))
    published_pool: tuple[Annotated[int, Field(ge=21, le=108)], ...] = ()


@dataclass(frozen=True, slots=True)
class _Manner:
    """How chords are played: length of a beat and of the whole in seconds, velocity, order if broken."""

    beat: float
    length: float
    velocity: int
    order: str | None


@dataclass(frozen=True, slots=True)
class _Voiced:
    """A chord at a pitch level, with what the edit does to it."""

    shape: Shape
    bass: int

    @property
    def pitches(self) -> tuple[int, ...]:
        return self.shape.pitches(self.bass)


def compose_harmony(
    generator: np.random.Generator, setting: Setting, options: HarmonyOptions, rung: int
) -> Trial:
    """Draw one to four chords, and the same with one chord member moved by `rung` semitones, 1 to 3.

    Which of the two becomes clip A is drawn as well, so that no single clip tells the answer.

    Raises
    ------
    Unsuitable
        If the draw doesn't fit into the pitch band.
    """
    if options.published_pool:
        return published.compose_harmony(generator, setting, options.published_pool, rung)
    instrument, band = pick(
        generator,
        players(pick(generator, setting.bands), setting.programs, _NARROWEST_BAND, chords=True),
    )
    form = pick_weighted(generator, FORMS, [getattr(options, form) for form in FORMS])
    count = int(generator.integers(options.chords[0], options.chords[1] + 1))
    count = count if form == "progression" else 1
    position = int(generator.integers(count))
    manner = _draw_manner(generator, form, count, setting.window)
    chords, semitones = first_suitable(lambda: _draw_chords(generator, band, count, position, rung))
    original = _play(chords, manner, Instrument(instrument.program), setting.window)
    index = _index_of(original, chords, position)
    moved = move_note(original, index, semitones)
    swapped = bool(generator.integers(2))
    base, edited = (moved, original) if swapped else (original, moved)
    distance = float(-semitones if swapped else semitones)
    return same_or_different(
        base,
        edited,
        Edit("chord_member", "harmony", distance, "semitones", index),
        content=" | ".join(sorted((_content(original), _content(moved)))),
        material={
            "band": band[0],
            "form": form,
            "chords": count,
            "program": instrument.program,
            "beat_seconds": manner.beat,
            "velocity": manner.velocity,
            "edited_chord": position,
        },
    )


def _draw_manner(generator: np.random.Generator, form: str, count: int, window: float) -> _Manner:
    room = window - LEAD_IN_SECONDS - _TAIL_SECONDS
    velocity = int(generator.integers(*SOFT_VELOCITIES))
    pace = 0.8 + 0.2 * float(generator.random())
    order = pick(generator, _ORDERS) if form == "broken" else None
    if order is not None:
        beat = round(0.14 + 0.1 * float(generator.random()), 4)
    else:
        beat = round(room * pace / count, 4)
    return _Manner(beat, round(room * pace, 4), velocity, order)


def _draw_chords(
    generator: np.random.Generator, band: tuple[int, int], count: int, position: int, rung: int
) -> tuple[list[_Voiced], int]:
    """Draw the chords, one of which can change, with the signed distance that its member moves."""
    shape, semitones = pick(generator, editable_shapes(rung))
    changing = _Voiced(shape, choose_bass(generator, shape, band, semitones))
    return _surround(generator, changing, position, count, band), semitones


def _surround(
    generator: np.random.Generator,
    changing: _Voiced,
    position: int,
    count: int,
    band: tuple[int, int],
) -> list[_Voiced]:
    """Return the progression around the chord that changes; neighbours are different harmonies."""
    chords = [changing]
    for place in range(count):
        if place != position:
            shape, bass = nearby(generator, band, chords[-1 if place > position else 0].bass)
            chords.insert(len(chords) if place > position else place, _Voiced(shape, bass))
    tones = [frozenset(pitch % 12 for pitch in chord.pitches) for chord in chords]
    if any(a == b for a, b in pairwise(tones)):
        raise Unsuitable
    return chords


def _play(chords: list[_Voiced], manner: _Manner, instrument: Instrument, window: float) -> Clip:
    notes = _block(chords, manner) if manner.order is None else _broken(chords[0], manner)
    return Clip((part_of(instrument, notes),), window, manner.beat)


def _block(chords: list[_Voiced], manner: _Manner) -> list[Note]:
    """Return the notes of chords that follow one another, a beat each."""
    return [
        Note(pitch, round(LEAD_IN_SECONDS + place * manner.beat, 6), manner.beat, manner.velocity)
        for place, chord in enumerate(chords)
        for pitch in chord.pitches
    ]


def _broken(chord: _Voiced, manner: _Manner) -> list[Note]:
    """Return the notes of one chord, started one after the other and released together."""
    pitches = sorted(chord.pitches, reverse=manner.order == "descending")
    if manner.order == "inside out":
        pitches = pitches[1:] + pitches[:1]
    end, notes = LEAD_IN_SECONDS + manner.length, []
    for step, pitch in enumerate(pitches):
        onset = round(LEAD_IN_SECONDS + step * manner.beat, 6)
        notes.append(Note(pitch, onset, round(end - onset, 6), manner.velocity))
    return notes


def _index_of(clip: Clip, chords: list[_Voiced], position: int) -> int:
    """Return the position in the lead of the note that the edit moves."""
    moved = chords[position].shape.moved
    if moved is None:
        raise Unsuitable
    before = sum(len(chord.pitches) for chord in chords[:position])
    pitch = chords[position].pitches[moved]
    notes = clip.lead.notes[before : before + len(chords[position].pitches)]
    return before + next(i for i, note in enumerate(notes) if note.pitch == pitch)


def _content(clip: Clip) -> str:
    onsets = [round((n.onset - LEAD_IN_SECONDS) / clip.beat, 2) for n in clip.lead.notes]
    return " ".join(f"{n.pitch}@{onset}" for n, onset in zip(clip.lead.notes, onsets, strict=True))
