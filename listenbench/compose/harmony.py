"""Harmony: single chords, broken chords and progressions, of which one chord changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, pairwise
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from listenbench.compose import published
from listenbench.compose.chords import Shape, choose_bass, editable_shapes, nearby
from listenbench.compose.lines import SOFT_VELOCITIES
from listenbench.compose.options import ChordCount, PublishedPitch, Upwards
from listenbench.compose.trial import (
    LEAD_IN_SECONDS,
    Accept,
    Setting,
    Trial,
    Unsuitable,
    first_suitable,
    same_or_different,
)
from listenbench.edits import Edit, move_notes
from listenbench.instruments import players
from listenbench.music import Clip, Instrument, Note, part_of
from listenbench.randomness import pick, pick_weighted, shuffled

FORMS = ("block", "broken", "progression")
_TAIL_SECONDS = 0.3
_MOST_MEMBERS = 4
_BEATS = 4
_MOST_STRIKES = 5
# Beats between the onsets of a broken chord. The first two have no common factor: that is another tempo.
_GAPS = tuple((a, b, c) for a, b in ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1)) for c in (1, 2))
_CLOSING_GAP = 2
_FASTEST_STEP_SECONDS, _SLOWEST_STEP_SECONDS = 0.11, 0.19
_LAST_SECONDS = 0.35
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
    chords: Annotated[tuple[ChordCount, ChordCount], Upwards] = (2, 4)
    published_pool: tuple[PublishedPitch, ...] = ()

    @model_validator(mode="after")
    def _some_form(self) -> HarmonyOptions:
        if not any(getattr(self, form) for form in FORMS):
            raise ValueError(f"one of {', '.join(FORMS)} has to be above 0")
        return self


@dataclass(frozen=True, slots=True)
class _Manner:
    """How chords are played.

    Attributes
    ----------
    form : str
        One of `FORMS`.
    beat, length : float
        Seconds of a beat, and of the whole.
    values : tuple of float
        Lengths in beats: of the strikes of a single chord, or of the chords of a progression.
    gaps : tuple of int
        Beats between the onsets of a broken chord.
    closes : bool
        Whether a broken chord is struck as a whole at its end.
    order : tuple of int
        Rank of each member, from the lowest, in the order in which a broken chord starts its notes.
    velocity : int
        The same for all notes.
    position : int
        Which chord of a progression changes.
    """

    form: str
    beat: float
    length: float
    values: tuple[float, ...]
    gaps: tuple[int, ...]
    closes: bool
    order: tuple[int, ...]
    velocity: int
    position: int


@dataclass(frozen=True, slots=True)
class _Voiced:
    """A chord at a pitch level, with what the edit does to it."""

    shape: Shape
    bass: int

    @property
    def pitches(self) -> tuple[int, ...]:
        return self.shape.pitches(self.bass)


def compose_harmony(
    generator: np.random.Generator, setting: Setting, options: HarmonyOptions, rung: int, accept: Accept
) -> Trial:
    """Draw one to four chords, and the same with one chord member moved by `rung` semitones, 1 to 3.

    Which of the two becomes clip A is drawn as well, so that no single clip tells the answer.

    Raises
    ------
    Unsuitable
        If no acceptable chords that fit into the pitch band were found.
    """
    if options.published_pool:
        return published.compose_harmony(generator, setting, options.published_pool, rung)
    instrument, band = pick(
        generator,
        players(pick(generator, setting.bands), setting.programs, _NARROWEST_BAND, chords=True),
    )
    form = pick_weighted(generator, FORMS, [getattr(options, form) for form in FORMS])
    count = int(generator.integers(options.chords[0], options.chords[1] + 1))
    manner = _draw_manner(generator, form, count, setting.window)

    def draw() -> tuple[Clip, Clip, tuple[int, ...], int, str]:
        chords, semitones = _draw_chords(generator, band, manner, rung)
        original = _play(chords, manner, Instrument(instrument.program), setting.window)
        indices = _moved_indices(original, chords, manner)
        moved = move_notes(original, indices, semitones)
        content = " | ".join(sorted((_content(original), _content(moved))))
        if not accept(content):
            raise Unsuitable
        return original, moved, indices, semitones, content

    original, moved, indices, semitones, content = first_suitable(draw)
    swapped = bool(generator.integers(2))
    base, edited = (moved, original) if swapped else (original, moved)
    distance = float(-semitones if swapped else semitones)
    return same_or_different(
        base,
        edited,
        Edit("chord_member", "harmony", distance, "semitones", indices),
        content=content,
        material={
            "band": band[0],
            "form": form,
            "chords": count if form == "progression" else 1,
            "strikes": " ".join(f"{value:g}" for value in manner.values) if form == "block" else "",
            "gaps": " ".join(map(str, manner.gaps)) if form == "broken" else "",
            "closes": str(manner.closes) if form == "broken" else "",
            "program": instrument.program,
            "beat_seconds": manner.beat,
            "velocity": manner.velocity,
            "edited_chord": manner.position,
        },
    )


@cache
def _strikes() -> tuple[tuple[float, ...], ...]:
    """Return the ways of striking a single chord: lengths of half a beat at least, the last of a beat."""
    inner = [0.5 * (place + 1) for place in range(2 * _BEATS - 2)]
    return tuple(
        tuple(b - a for a, b in pairwise((0.0, *onsets, float(_BEATS))))
        for count in range(_MOST_STRIKES)
        for onsets in combinations(inner, count)
    )


def _draw_manner(generator: np.random.Generator, form: str, count: int, window: float) -> _Manner:
    room = window - LEAD_IN_SECONDS - _TAIL_SECONDS
    length = round(room * (0.8 + 0.2 * float(generator.random())), 4)
    strikes = pick(generator, _strikes())
    values = strikes if form == "block" else (1.0,) * count
    beat = round(length / sum(values) - 5e-5, 4)
    gaps, closes = pick(generator, _GAPS), bool(generator.integers(2))
    steps = sum(gaps) + _CLOSING_GAP * closes
    slowest = min(_SLOWEST_STEP_SECONDS, (length - _LAST_SECONDS) / steps)
    if slowest < _FASTEST_STEP_SECONDS:
        raise Unsuitable
    step = _FASTEST_STEP_SECONDS + (slowest - _FASTEST_STEP_SECONDS) * float(generator.random())
    return _Manner(
        form=form,
        beat=round(step, 4) if form == "broken" else beat,
        length=length,
        values=values,
        gaps=gaps,
        closes=closes,
        order=tuple(shuffled(generator, range(_MOST_MEMBERS))),
        velocity=int(generator.integers(*SOFT_VELOCITIES)),
        position=int(generator.integers(count)) if form == "progression" else 0,
    )


def _draw_chords(
    generator: np.random.Generator, band: tuple[int, int], manner: _Manner, rung: int
) -> tuple[list[_Voiced], int]:
    """Draw the chords, one of which can change, with the signed distance that its member moves."""
    shape, semitones = pick(generator, editable_shapes(rung))
    changing = _Voiced(shape, choose_bass(generator, shape, band, semitones))
    if manner.form != "progression":
        return [changing], semitones
    chords = _surround(generator, changing, manner.position, semitones, len(manner.values), band)
    return chords, semitones


def _surround(
    generator: np.random.Generator,
    changing: _Voiced,
    position: int,
    semitones: int,
    count: int,
    band: tuple[int, int],
) -> list[_Voiced]:
    """Return the progression around the chord that changes; neighbours are different harmonies.

    The chord before has neither the moved tone nor what it moves to: on an instrument that rings on, the
    edit would hardly be heard.
    """
    chords = [changing]
    for place in range(count):
        if place != position:
            shape, bass = nearby(generator, band, chords[-1 if place > position else 0].bass)
            chords.insert(len(chords) if place > position else place, _Voiced(shape, bass))
    if position > 0 and _is_covered(changing, semitones, chords[position - 1]):
        raise Unsuitable
    tones = [frozenset(pitch % 12 for pitch in chord.pitches) for chord in chords]
    if any(a == b for a, b in pairwise(tones)):
        raise Unsuitable
    return chords


def _is_covered(changing: _Voiced, semitones: int, before: _Voiced) -> bool:
    moved = changing.shape.moved
    if moved is None:
        return False
    pitch = changing.pitches[moved]
    return pitch in before.pitches or pitch + semitones in before.pitches


def _play(chords: list[_Voiced], manner: _Manner, instrument: Instrument, window: float) -> Clip:
    notes = _broken(chords[0], manner) if manner.form == "broken" else _struck(chords, manner)
    return Clip((part_of(instrument, notes),), window, manner.beat)


def _struck(chords: list[_Voiced], manner: _Manner) -> list[Note]:
    """Return the notes of chords that follow one another; a single chord is struck again and again."""
    position, notes = 0.0, []
    for place, value in enumerate(manner.values):
        chord = chords[min(place, len(chords) - 1)]
        onset = round(LEAD_IN_SECONDS + position * manner.beat, 6)
        notes += [Note(p, onset, round(value * manner.beat, 6), manner.velocity) for p in chord.pitches]
        position += value
    return notes


def _broken(chord: _Voiced, manner: _Manner) -> list[Note]:
    """Return the notes of one chord, started one by one and released together, then perhaps struck once."""
    pitches = [chord.pitches[rank] for rank in manner.order if rank < len(chord.pitches)]
    places = list(accumulate(manner.gaps[: len(pitches) - 1], initial=0))
    end = round(LEAD_IN_SECONDS + manner.length, 6)
    closing = round(LEAD_IN_SECONDS + (places[-1] + _CLOSING_GAP) * manner.beat, 6)
    release = closing if manner.closes else end
    starts = [round(LEAD_IN_SECONDS + place * manner.beat, 6) for place in places]
    notes = [
        Note(pitch, start, round(release - start, 6), manner.velocity)
        for pitch, start in zip(pitches, starts, strict=True)
    ]
    if manner.closes:
        notes += [Note(pitch, closing, round(end - closing, 6), manner.velocity) for pitch in pitches]
    return notes


def _moved_indices(clip: Clip, chords: list[_Voiced], manner: _Manner) -> tuple[int, ...]:
    """Return the positions in the lead of the notes that the edit moves."""
    changing = chords[manner.position]
    if changing.shape.moved is None:
        raise Unsuitable
    pitch = changing.pitches[changing.shape.moved]
    start = round(LEAD_IN_SECONDS + manner.position * manner.beat, 6)
    return tuple(
        index
        for index, note in enumerate(clip.lead.notes)
        if note.pitch == pitch and (manner.form != "progression" or note.onset == start)
    )


def _content(clip: Clip) -> str:
    """Return instrument, pitches and onsets in beats as one string."""
    notes = " ".join(
        f"{note.pitch}@{round((note.onset - LEAD_IN_SECONDS) / clip.beat, 2)}" for note in clip.lead.notes
    )
    return f"{clip.lead.instrument.program}: {notes}"
