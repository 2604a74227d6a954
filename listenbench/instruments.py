"""Instruments and percussion sounds of General MIDI, with the ranges in which they sound natural.

Program numbers: General MIDI 1 sound set, MIDI Manufacturers Association (counted from 0 here). Families
go by how the sound is made, in the spirit of Hornbostel and Sachs (1914), since General MIDI puts the harp
beside the violin. Ranges: sounding compass of the instrument (Adler, The Study of Orchestration, 3rd ed.,
2002), narrowed to the notes that MuseScore_General, FluidR3_GM and TimGM6mb all play within 10 cents of
equal temperament. Sounds so short that a slow clip of them passes -1 dBFS at -23 LUFS (xylophone, kalimba,
claves) are left out, and so are chords of clavinet and two of the guitars.
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
    plays_chords : bool
        Whether one player commonly sounds several notes at once.
    """

    program: int
    name: str
    family: str
    lowest: int
    highest: int
    plays_chords: bool = False


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
    (0, "acoustic grand piano", "keyboards", 46, 92, True),
    (2, "electric grand piano", "keyboards", 36, 91, True),
    (4, "electric piano 1", "keyboards", 36, 96, True),
    (5, "electric piano 2", "keyboards", 36, 96, True),
    (6, "harpsichord", "keyboards", 45, 89, True),
    (7, "clavinet", "keyboards", 36, 88, False),
    (8, "celesta", "bars and bells", 60, 83, True),
    (10, "music box", "bars and bells", 60, 96, True),
    (11, "vibraphone", "bars and bells", 53, 89, True),
    (12, "marimba", "bars and bells", 53, 89, False),
    (20, "reed organ", "free reeds", 36, 96, True),
    (24, "acoustic guitar (nylon)", "plucked strings", 40, 83, False),
    (25, "acoustic guitar (steel)", "plucked strings", 49, 84, True),
    (26, "electric guitar (jazz)", "plucked strings", 40, 84, True),
    (27, "electric guitar (clean)", "plucked strings", 40, 84, False),
    (32, "acoustic bass", "basses", 36, 60, False),
    (33, "electric bass (finger)", "basses", 36, 60, False),
    (34, "electric bass (pick)", "basses", 40, 60, False),
    (35, "fretless bass", "basses", 36, 60, False),
    (40, "violin", "bowed strings", 62, 77, False),
    (46, "orchestral harp", "plucked strings", 60, 81, True),
    (53, "voice oohs", "voices", 48, 84, True),
    (56, "trumpet", "brass", 54, 84, False),
    (57, "trombone", "brass", 40, 72, False),
    (58, "tuba", "brass", 36, 58, False),
    (59, "muted trumpet", "brass", 54, 84, False),
    (64, "soprano sax", "reeds", 56, 73, False),
    (65, "alto sax", "reeds", 49, 81, False),
    (66, "tenor sax", "reeds", 44, 69, False),
    (67, "baritone sax", "reeds", 41, 69, False),
    (68, "oboe", "reeds", 58, 89, False),
    (71, "clarinet", "reeds", 50, 91, False),
    (72, "piccolo", "flutes", 74, 96, False),
    (73, "flute", "flutes", 60, 96, False),
    (75, "pan flute", "flutes", 60, 91, False),
    (79, "ocarina", "flutes", 60, 89, False),
    (104, "sitar", "plucked strings", 48, 77, False),
    (105, "banjo", "plucked strings", 59, 84, False),
    (107, "koto", "plucked strings", 50, 86, False),
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
    """
    found = []
    for instrument in instruments_for(programs):
        low, high = max(band[0], instrument.lowest), min(band[1], instrument.highest)
        if high - low >= width and (instrument.plays_chords or not chords):
            found.append((instrument, (low, high)))
    return tuple(found)
