"""Scales and chord qualities as tables, which the tests hold against those of music21.

They are written out since composing needs nothing else of music21, which takes half a second to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

SCALES: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        "major": (0, 2, 4, 5, 7, 9, 11),
        "natural minor": (0, 2, 3, 5, 7, 8, 10),
        "harmonic minor": (0, 2, 3, 5, 7, 8, 11),
        "melodic minor": (0, 2, 3, 5, 7, 9, 11),
        "dorian": (0, 2, 3, 5, 7, 9, 10),
        "phrygian": (0, 1, 3, 5, 7, 8, 10),
        "lydian": (0, 2, 4, 6, 7, 9, 11),
        "mixolydian": (0, 2, 4, 5, 7, 9, 10),
        "major pentatonic": (0, 2, 4, 7, 9),
        "minor pentatonic": (0, 3, 5, 7, 10),
    }
)
"""Name to semitones above the tonic within one octave, ascending."""


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


CHORD_QUALITIES: Final = (
    ChordQuality("major", "", (0, 4, 7)),
    ChordQuality("minor", "m", (0, 3, 7)),
    ChordQuality("diminished", "dim", (0, 3, 6)),
    ChordQuality("augmented", "+", (0, 4, 8)),
    ChordQuality("suspended-fourth", "sus", (0, 5, 7)),
    ChordQuality("dominant-seventh", "7", (0, 4, 7, 10)),
    ChordQuality("major-seventh", "maj7", (0, 4, 7, 11)),
    ChordQuality("minor-seventh", "m7", (0, 3, 7, 10)),
    ChordQuality("minor-major-seventh", "mM7", (0, 3, 7, 11)),
    ChordQuality("half-diminished-seventh", "ø7", (0, 3, 6, 10)),
    ChordQuality("diminished-seventh", "o7", (0, 3, 6, 9)),
    ChordQuality("augmented-seventh", "7+", (0, 4, 8, 10)),
    ChordQuality("augmented-major-seventh", "+M7", (0, 4, 8, 11)),
    ChordQuality("suspended-fourth-seventh", "7sus", (0, 5, 7, 10)),
    ChordQuality("seventh-flat-five", "dom7dim5", (0, 4, 6, 10)),
    ChordQuality("major-sixth", "6", (0, 4, 7, 9)),
    ChordQuality("minor-sixth", "m6", (0, 3, 7, 9)),
    # Without their fifth they have no kind of their own in music21, but a common name.
    ChordQuality("incomplete dominant-seventh chord", "7no5", (0, 4, 10)),
    ChordQuality("incomplete minor-seventh chord", "m7no5", (0, 3, 10)),
    ChordQuality("incomplete major-seventh chord", "maj7no5", (0, 4, 11)),
)
"""The chord qualities with three or four members.

A suspended second is left out: Csus2 has the tones of Gsus4, and only the sixths, whose names depend on
context too, are worth that ambiguity.
"""


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
def chord_pairs() -> dict[int, tuple[ChordPair, ...]]:
    """Return the pairs of qualities that one moved member turns into each other, by semitones (1, 2, 3).

    No pair's chords are transpositions of one another, so that they are different harmonies by ear too.
    """
    table: dict[int, list[ChordPair]] = {1: [], 2: [], 3: []}
    for lower in CHORD_QUALITIES:
        for upper in CHORD_QUALITIES:
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
