"""Scales and chord qualities from music21, computed once into tables.

Composing an item only reads these tables: music21 objects are rich and slow, so they are built when the
tables are first asked for and not again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

_SCALE_CLASSES: Final = {
    "major": "MajorScale",
    "natural minor": "MinorScale",
    "harmonic minor": "HarmonicMinorScale",
    "melodic minor": "MelodicMinorScale",
    "dorian": "DorianScale",
    "phrygian": "PhrygianScale",
    "lydian": "LydianScale",
    "mixolydian": "MixolydianScale",
}
_PENTATONIC_DEGREES: Final = {
    "major pentatonic": ("MajorScale", (1, 2, 3, 5, 6)),
    "minor pentatonic": ("MinorScale", (1, 3, 4, 5, 7)),
}
_CHORD_KINDS: Final = (
    "major",
    "minor",
    "diminished",
    "augmented",
    "suspended-fourth",
    "dominant-seventh",
    "major-seventh",
    "minor-seventh",
    "minor-major-seventh",
    "half-diminished-seventh",
    "diminished-seventh",
    "augmented-seventh",
    "augmented-major-seventh",
    "suspended-fourth-seventh",
    "seventh-flat-five",
    "major-sixth",
    "minor-sixth",
)
# Seventh chords without their fifth have no kind of their own in music21, but a common name.
_INCOMPLETE: Final = ((0, 4, 10), (0, 3, 10), (0, 4, 11))
_INCOMPLETE_SUFFIXES: Final = {(0, 4, 10): "7no5", (0, 3, 10): "m7no5", (0, 4, 11): "maj7no5"}


@dataclass(frozen=True, slots=True)
class ChordQuality:
    """A kind of chord.

    Attributes
    ----------
    name : str
        music21's name, for example 'dominant-seventh'.
    suffix : str
        What follows the root in a chord symbol, for example '7'.
    members : tuple of int
        Semitones above the root, ascending, the root (0) first.
    """

    name: str
    suffix: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChordPair:
    """Two qualities on the same root that differ in one member.

    Attributes
    ----------
    lower, upper : ChordQuality
        The member is lower in the first one.
    member : int
        Semitones above the root at which the moved member stands in `lower`.
    semitones : int
        How far above that it stands in `upper`.
    """

    lower: ChordQuality
    upper: ChordQuality
    member: int
    semitones: int


@cache
def scales() -> dict[str, tuple[int, ...]]:
    """Return the scales: name to semitones above the tonic within one octave, ascending."""
    from music21 import scale

    def semitones(class_name: str) -> tuple[int, ...]:
        concrete = getattr(scale, class_name)("C4")
        pitches = concrete.getPitches("C4", "B4", direction=scale.Direction.ASCENDING)
        return tuple(sorted({int(pitch.midi) - 60 for pitch in pitches}))

    table = {name: semitones(class_name) for name, class_name in _SCALE_CLASSES.items()}
    for name, (class_name, degrees) in _PENTATONIC_DEGREES.items():
        full = semitones(class_name)
        table[name] = tuple(full[degree - 1] for degree in degrees)
    return table


@cache
def chord_qualities() -> tuple[ChordQuality, ...]:
    """Return the chord qualities with three or four members, in a fixed order.

    A suspended second is left out: Csus2 has the tones of Gsus4, and only the sixths, whose names depend
    on context too, are worth that ambiguity.
    """
    from music21 import chord, harmony

    qualities = []
    for kind in _CHORD_KINDS:
        suffix = harmony.CHORD_TYPES[kind][1][0]
        pitches = harmony.ChordSymbol(root="C", kind=kind).pitches
        members = tuple(sorted({int(pitch.midi - pitches[0].midi) % 12 for pitch in pitches}))
        qualities.append(ChordQuality(kind, suffix, members))
    for members in _INCOMPLETE:
        name = chord.Chord([60 + member for member in members]).commonName
        qualities.append(ChordQuality(name, _INCOMPLETE_SUFFIXES[members], members))
    return tuple(qualities)


@cache
def chord_pairs() -> dict[int, tuple[ChordPair, ...]]:
    """Return the pairs of qualities that one moved member turns into each other, by semitones (1, 2, 3).

    No pair's chords are transpositions of one another, so that they are different harmonies by ear too.
    """
    table: dict[int, list[ChordPair]] = {1: [], 2: [], 3: []}
    for lower in chord_qualities():
        for upper in chord_qualities():
            removed = set(lower.members) - set(upper.members)
            added = set(upper.members) - set(lower.members)
            if len(removed) == len(added) == 1 and not _transpositions(lower, upper):
                member = removed.pop()
                semitones = added.pop() - member
                if semitones in table:
                    table[semitones].append(ChordPair(lower, upper, member, semitones))
    return {semitones: tuple(pairs) for semitones, pairs in table.items()}


def _transpositions(first: ChordQuality, second: ChordQuality) -> bool:
    tones = set(first.members)
    return any({(m + shift) % 12 for m in second.members} == tones for shift in range(12))
