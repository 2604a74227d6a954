"""Chords in a register: inversions and voicings, as pitches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from listenbench.compose.trial import Unsuitable
from listenbench.randomness import pick
from listenbench.theory import CHORD_QUALITIES, ChordPair, chord_pairs


@dataclass(frozen=True, slots=True)
class Shape:
    """A chord without a pitch level.

    Attributes
    ----------
    intervals : tuple of int
        Semitones above the bass, ascending, from 0.
    moved : int or None
        Position in `intervals` of the member that the edit moves, if any.
    """

    intervals: tuple[int, ...]
    moved: int | None = None

    def pitches(self, bass: int) -> tuple[int, ...]:
        """Return the MIDI pitches over a bass."""
        return tuple(bass + interval for interval in self.intervals)


@cache
def plain_shapes() -> tuple[Shape, ...]:
    """Return the shapes of all qualities, in every inversion and voicing."""
    return tuple(
        Shape(intervals)
        for quality in CHORD_QUALITIES
        for bass in quality.members
        for intervals in _voicings(quality.members, bass)
    )


@cache
def editable_shapes(semitones: int) -> tuple[tuple[Shape, int], ...]:
    """Return the shapes of which a member can move by so many semitones, with the signed distance.

    Bass and root stay, no other member is met, and the member stays above the bass. An unknown distance
    gives no shapes.
    """
    shapes = []
    for pair in chord_pairs().get(semitones, ()):
        for bass in pair.lower.members:
            if bass not in (pair.member, pair.member + pair.semitones):
                shapes += _pair_shapes(pair, bass)
    return tuple(shapes)


def choose_bass(
    generator: np.random.Generator, shape: Shape, band: tuple[int, int], semitones: int = 0
) -> int:
    """Draw a bass pitch at which a shape, before and after its edit, lies within a band.

    Raises
    ------
    Unsuitable
        If there is none.
    """
    top = max(shape.intervals)
    if shape.moved is not None:
        top = max(top, shape.intervals[shape.moved] + semitones)
    highest = band[1] - top
    if highest < band[0]:
        raise Unsuitable
    return int(generator.integers(band[0], highest + 1))


def nearby(generator: np.random.Generator, band: tuple[int, int], reference: int) -> tuple[Shape, int]:
    """Draw a chord whose bass is at most a fifth from a reference, as neighbours in a progression are.

    Raises
    ------
    Unsuitable
        If the drawn shape doesn't fit.
    """
    shape = pick(generator, plain_shapes())
    low, high = max(band[0], reference - 7), min(band[1], reference + 7 + max(shape.intervals))
    return shape, choose_bass(generator, shape, (low, high))


def _pair_shapes(pair: ChordPair, bass: int) -> list[tuple[Shape, int]]:
    shapes = []
    for quality, member, distance in (
        (pair.lower, pair.member, pair.semitones),
        (pair.upper, pair.member + pair.semitones, -pair.semitones),
    ):
        if bass not in quality.members or member in (0, bass):
            continue
        for intervals in _voicings(quality.members, bass):
            moved = _position(intervals, (member - bass) % 12)
            if intervals[moved] + distance > 0:
                shapes.append((Shape(intervals, moved), distance))
    return shapes


def _voicings(members: tuple[int, ...], bass: int) -> list[tuple[int, ...]]:
    """Return close position, and open position: every second voice above the bass an octave higher."""
    close = sorted((member - bass) % 12 for member in members)
    opened = sorted(i + 12 if position % 2 == 1 else i for position, i in enumerate(close))
    return [tuple(close), tuple(opened)]


def _position(intervals: tuple[int, ...], pitch_class: int) -> int:
    return next(i for i, interval in enumerate(intervals) if interval % 12 == pitch_class)
