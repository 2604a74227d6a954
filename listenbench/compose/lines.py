"""Single-voice lines: scale, contour and note values, the music of the melody and timbre tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from listenbench.compose.trial import (
    LEAD_IN_SECONDS,
    RELEASE_SECONDS,
    Unsuitable,
    first_suitable,
)
from listenbench.music import Clip, Instrument, Note, Part
from listenbench.randomness import pick, pick_weighted
from listenbench.theory import SCALES

SHORTEST_ONSET_INTERVAL = 0.18
"""Seconds between neighbouring onsets, at least: enough to hear and to measure the pitch of each note."""

NARROWEST_BAND = 12
"""Semitones that the pitches of a line have to choose from, at least."""

SOFT_VELOCITIES = (78, 98)
"""Range of velocities without accent, end excluded.

Between these and the loudest accented note, with any take, the soundfonts of the catalogue change neither
samples nor, from one velocity to the next, the level by more than 1 dB.
"""

_NOTE_VALUES = (0.5, 1.0, 1.5, 2.0)
_NOTE_VALUE_WEIGHTS = (0.3, 0.5, 0.1, 0.1)
_LAST_VALUES = (1.0, 1.5, 2.0)
# Steps outnumber leaps in melodies of most cultures (Huron, Sweet Anticipation, 2006, chapter 5).
_MOVES = (0, 1, 2, 3, 4)
_MOVE_WEIGHTS = (0.08, 0.60, 0.20, 0.08, 0.04)
_MOST_REPEATS = 2
_FEWEST_PITCHES = 3
_ARTICULATIONS = {"detached": 0.8, "neutral": 0.9, "legato": 1.0}
_ACCENTS = (0, 4, 8)


@dataclass(frozen=True, slots=True)
class Manner:
    """Everything about a line but its pitches: the free variables, the same in both clips of an item.

    Attributes
    ----------
    values : tuple of float
        Note values in beats.
    beat : float
        Seconds in a beat.
    articulation : str
        'detached', 'neutral' or 'legato'.
    velocities : tuple of int
        One a note.
    scale : str
        Name of the scale that the pitches are drawn from.
    tonic : int
        Pitch class of its tonic.
    """

    values: tuple[float, ...]
    beat: float
    articulation: str
    velocities: tuple[int, ...]
    scale: str
    tonic: int

    def material(self) -> dict[str, str | float]:
        """Return the free variables by name."""
        return {
            "notes": len(self.values),
            "beat_seconds": self.beat,
            "articulation": self.articulation,
            "velocity": self.velocities[-1],
            "scale": self.scale,
            "tonic": self.tonic,
        }


def draw_manner(generator: np.random.Generator, counts: tuple[int, int], window: float) -> Manner:
    """Draw note values, tempo, articulation, dynamics and scale for a line that fills a window.

    Raises
    ------
    Unsuitable
        If the window is too short for so many notes.
    """
    count = int(generator.integers(counts[0], counts[1] + 1))
    room = window - LEAD_IN_SECONDS - RELEASE_SECONDS
    values, fastest, slowest = first_suitable(lambda: _draw_values(generator, count, room))
    beat = min(round(fastest + float(generator.random()) * (slowest - fastest), 4), slowest)
    return Manner(
        values,
        beat,
        pick(generator, tuple(_ARTICULATIONS)),
        _draw_velocities(generator, values),
        pick(generator, tuple(SCALES)),
        int(generator.integers(12)),
    )


def draw_pitches(generator: np.random.Generator, manner: Manner, band: tuple[int, int]) -> tuple[int, ...]:
    """Draw the pitches of a line: a walk over its scale, mostly by step, that closes on tonic or fifth.

    Parameters
    ----------
    generator : numpy.random.Generator
        Source of randomness.
    manner : Manner
        Gives the number of notes and the scale.
    band : (int, int)
        Lowest and highest MIDI pitch, ends included.

    Raises
    ------
    Unsuitable
        If the draw has too few different pitches, or no end to close on.
    """
    degrees = SCALES[manner.scale]
    ladder = [p for p in range(band[0], band[1] + 1) if (p - manner.tonic) % 12 in degrees]
    if len(ladder) <= max(_MOVES):
        raise Unsuitable
    steps = _walk(generator, len(ladder), len(manner.values) - 1)
    last = _closing_step(ladder, manner.tonic, steps[-1])
    pitches = tuple(ladder[step] for step in (*steps, last))
    if len(set(pitches)) < _FEWEST_PITCHES:
        raise Unsuitable
    return pitches


def line_content(pitches: tuple[int, ...], manner: Manner) -> str:
    """Return the pitches and note values as one string, the musical content of a line."""
    return f"{' '.join(map(str, pitches))} / {' '.join(map(str, manner.values))}"


def line_clip(pitches: tuple[int, ...], manner: Manner, instrument: Instrument, window: float) -> Clip:
    """Return the clip in which an instrument plays a line."""
    length = _ARTICULATIONS[manner.articulation]
    position, notes = 0.0, []
    for pitch, value, velocity in zip(pitches, manner.values, manner.velocities, strict=True):
        onset = round(LEAD_IN_SECONDS + position * manner.beat, 6)
        notes.append(Note(pitch, onset, round(value * manner.beat * length, 6), velocity))
        position += value
    return Clip((Part(instrument, tuple(notes)),), window, manner.beat)


def _walk(generator: np.random.Generator, size: int, count: int) -> list[int]:
    """Walk over the rungs of a ladder of `size` pitches, turning back at its ends."""
    step = int(generator.integers(size))
    steps, repeats = [step], 0
    while len(steps) < count:
        move = pick_weighted(generator, _MOVES, _MOVE_WEIGHTS)
        repeats += move == 0
        if repeats > _MOST_REPEATS:
            raise Unsuitable
        direction = 1 if int(generator.integers(2)) else -1
        target = step + direction * move
        if not 0 <= target < size:
            target = step - direction * move
        if 0 <= target < size:
            step = target
            steps.append(step)
    return steps


def _closing_step(ladder: list[int], tonic: int, before: int) -> int:
    """Return the rung nearest to the last one on which a melody can close: tonic, or else fifth."""
    for degree in (0, 7):
        stable = [i for i, pitch in enumerate(ladder) if (pitch - tonic) % 12 == degree]
        near = [i for i in stable if 0 < abs(i - before) <= 4]
        if near:
            return min(near, key=lambda i: (abs(i - before), i))
    raise Unsuitable


def _draw_values(
    generator: np.random.Generator, count: int, room: float
) -> tuple[tuple[float, ...], float, float]:
    """Return note values with the shortest and longest beat, in seconds, at which they fit."""
    inner = [pick_weighted(generator, _NOTE_VALUES, _NOTE_VALUE_WEIGHTS) for _ in range(count - 1)]
    values = (*inner, pick(generator, _LAST_VALUES))
    slowest = room / sum(values)
    fastest = max(0.75 * slowest, SHORTEST_ONSET_INTERVAL / min(values))
    if fastest > slowest:
        raise Unsuitable
    return values, fastest, slowest


def _draw_velocities(generator: np.random.Generator, values: tuple[float, ...]) -> tuple[int, ...]:
    """Return velocities with an accent on every second beat, or none."""
    soft, accent = int(generator.integers(*SOFT_VELOCITIES)), pick(generator, _ACCENTS)
    position, velocities = 0.0, []
    for value in values:
        velocities.append(soft + (accent if position % 2 == 0 else 0))
        position += value
    return tuple(velocities)
