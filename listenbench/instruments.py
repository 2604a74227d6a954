"""Instruments and percussion sounds of General MIDI, with the ranges in which they sound natural.

Program numbers: General MIDI 1 sound set, MIDI Manufacturers Association (counted from 0 here). Families
go by how the sound is made, in the spirit of Hornbostel and Sachs (1914), since General MIDI puts the harp
beside the violin. Ranges: sounding compass of the instrument (Adler, The Study of Orchestration, 3rd ed.,
2002), narrowed to the notes that MuseScore_General, FluidR3_GM and TimGM6mb all play within 10 cents of
equal temperament, in every file of them that the catalogue knows. Sounds so short that a slow clip of them
passes -1 dBFS at -23 LUFS (xylophone, kalimba, claves, held chords on a harp) are left out, and so are voices
that slide into their notes by more than a quarter of a semitone (voice oohs, ocarina).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from listenbench.errors import SpecError


@dataclass(frozen=True, slots=True)
class MelodicInstrument:
    """A pitched instrument.

    Attributes
    ----------
    program : int
        General MIDI program, counted from 0.
    name : str
        Name of the program.
    family : str
        How the sound is made; instruments of one family are near, of two families far.
    lowest, highest : int
        Range as MIDI pitches, ends included.
    chords : (int, int) or None
        Range in which it plays held chords; None if it doesn't.
    """

    program: int
    name: str
    family: str
    lowest: int
    highest: int
    chords: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PercussionSound:
    """A sound of the standard drum kit.

    Attributes
    ----------
    name : str
        Name in the General MIDI percussion key map.
    pitch : int
        MIDI note that plays it.
    """

    name: str
    pitch: int


_TABLE: Final = (
    (0, "acoustic grand piano", "keyboards", 46, 92, (46, 79)),
    (2, "electric grand piano", "keyboards", 36, 91),
    (4, "electric piano 1", "keyboards", 36, 96, (36, 96)),
    (5, "electric piano 2", "keyboards", 36, 96, (36, 96)),
    (6, "harpsichord", "keyboards", 45, 89, (45, 79)),
    (7, "clavinet", "keyboards", 36, 88),
    (8, "celesta", "bars and bells", 60, 83),
    (10, "music box", "bars and bells", 60, 96, (80, 96)),
    (11, "vibraphone", "bars and bells", 53, 89, (53, 89)),
    (12, "marimba", "bars and bells", 53, 89),
    (20, "reed organ", "free reeds", 36, 96, (36, 96)),
    (24, "acoustic guitar (nylon)", "plucked strings", 40, 83),
    (25, "acoustic guitar (steel)", "plucked strings", 49, 84),
    (26, "electric guitar (jazz)", "plucked strings", 40, 84, (40, 79)),
    (27, "electric guitar (clean)", "plucked strings", 40, 84),
    (32, "acoustic bass", "basses", 36, 60),
    (33, "electric bass (finger)", "basses", 36, 60),
    (34, "electric bass (pick)", "basses", 40, 60),
    (35, "fretless bass", "basses", 36, 60),
    (40, "violin", "bowed strings", 62, 77),
    (46, "orchestral harp", "plucked strings", 60, 81),
    (56, "trumpet", "brass", 54, 84),
    (57, "trombone", "brass", 40, 72),
    (58, "tuba", "brass", 36, 58),
    (59, "muted trumpet", "brass", 54, 84),
    (64, "soprano sax", "reeds", 56, 73),
    (65, "alto sax", "reeds", 65, 81),
    (66, "tenor sax", "reeds", 44, 69),
    (67, "baritone sax", "reeds", 41, 69),
    (68, "oboe", "reeds", 58, 89),
    (71, "clarinet", "reeds", 50, 91),
    (72, "piccolo", "flutes", 74, 96),
    (73, "flute", "flutes", 60, 96),
    (75, "pan flute", "flutes", 60, 91),
    (104, "sitar", "plucked strings", 48, 77),
    (105, "banjo", "plucked strings", 59, 84),
    (107, "koto", "plucked strings", 50, 86),
)

INSTRUMENTS: Final[Mapping[int, MelodicInstrument]] = MappingProxyType(
    {row[0]: MelodicInstrument(*row) for row in _TABLE}
)
"""All pitched instruments by program."""

_SOUNDS: Final = (
    ("high floor tom", 43),
    ("tambourine", 54),
    ("low conga", 64),
    ("low timbale", 66),
    ("short guiro", 73),
)

PERCUSSION: Final[Mapping[str, PercussionSound]] = MappingProxyType(
    {name: PercussionSound(name, pitch) for name, pitch in _SOUNDS}
)
"""Percussion sounds by name: those whose pulse trains reach -23 LUFS with peaks well under -1 dBFS."""


@cache
def instruments_for(programs: tuple[int, ...]) -> tuple[MelodicInstrument, ...]:
    """Return the instruments of the given programs, or all of them where none is given.

    Raises
    ------
    SpecError
        If a program is not in the table.
    """
    unknown = [program for program in programs if program not in INSTRUMENTS]
    if unknown:
        raise SpecError(
            f"program {unknown[0]} is not in the table of instruments; known programs: "
            f"{', '.join(map(str, INSTRUMENTS))}"
        )
    return tuple(INSTRUMENTS[program] for program in programs or INSTRUMENTS)


@cache
def players(
    band: tuple[int, int], programs: tuple[int, ...], width: int, *, chords: bool = False
) -> tuple[tuple[MelodicInstrument, tuple[int, int]], ...]:
    """Return the instruments that can play within a band of pitches, each with the part of it that it can.

    Parameters
    ----------
    band : (int, int)
        Lowest and highest MIDI pitch.
    programs : tuple of int
        Programs to choose from; empty for all.
    width : int
        Semitones that the common range has to span at least.
    chords : bool
        Whether only instruments that play chords are wanted.

    Raises
    ------
    SpecError
        If no instrument can.
    """
    found = []
    for instrument in instruments_for(programs):
        own = instrument.chords if chords else (instrument.lowest, instrument.highest)
        if own is None:
            continue
        low, high = max(band[0], own[0]), min(band[1], own[1])
        if high - low >= width:
            found.append((instrument, (low, high)))
    if not found:
        raise SpecError(
            f"no instrument plays {width} semitones within the pitches {band[0]} to {band[1]}: "
            "choose another band or other programs"
        )
    return tuple(found)
