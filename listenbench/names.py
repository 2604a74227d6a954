"""What musicians call things: names of notes, chords, instruments and percussion sounds.

Notes are in scientific pitch notation (C4 is MIDI note 60). Within a chord they are spelled as music21 spells
the chord: F minor has an Ab, E major a G#.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from listenbench.instruments import INSTRUMENTS, PERCUSSION
from listenbench.music import Instrument
from listenbench.theory import CHORD_QUALITIES, ChordQuality

PITCH_CLASSES: Final = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
"""Names of the pitch classes out of context, from C."""

_WITHOUT_FIFTH: Final = "no5"


@dataclass(frozen=True, slots=True)
class NamedChord:
    """A chord with the name that it goes by.

    Attributes
    ----------
    root, bass : int
        Pitch classes, 0 (C) to 11 (B).
    quality : ChordQuality
        Its kind.
    """

    root: int
    bass: int
    quality: ChordQuality

    @property
    def symbol(self) -> str:
        """The chord symbol, for example 'F#m7/A'."""
        slash = "" if self.root == self.bass else f"/{self.bass_name}"
        return f"{PITCH_CLASSES[self.root]}{self.quality.suffix}{slash}"

    @property
    def bass_name(self) -> str:
        """The name of the bass, spelled within the chord: Db in Bbm/Db, not C#."""
        return self.spelling()[self.bass]

    @property
    def inversion(self) -> int:
        """Semitones from the root up to the bass, 0 to 11."""
        return (self.bass - self.root) % 12

    def spelling(self) -> Mapping[int, str]:
        """Return the name of each pitch class of the chord, with 'b' for a flat."""
        return _spelling(self.root, kind_of(self.quality))


def kind_of(quality: ChordQuality) -> str:
    """Return music21's kind of a quality; for a chord without its fifth, the kind of the complete chord."""
    complete = quality.suffix.removesuffix(_WITHOUT_FIFTH)
    if complete == quality.suffix:
        return quality.name
    return next(other.name for other in CHORD_QUALITIES if other.suffix == complete)


def lacks_fifth(quality: ChordQuality) -> bool:
    """Return whether a quality is a chord without its fifth."""
    return quality.suffix.endswith(_WITHOUT_FIFTH)


def name_chord(pitches: Sequence[int]) -> NamedChord | None:
    """Return the name of a chord of MIDI pitches, or None if it has none."""
    return name_chords([pitches])[0]


def name_chords(versions: Sequence[Sequence[int]]) -> list[NamedChord | None]:
    """Return the names of several versions of one chord.

    Some chords have two names, C6 and Am7/C for example. Versions are named from the same member, as far as
    they can be, so that a name changes as little as the chord does. Among several such members the bass
    comes first.

    Parameters
    ----------
    versions : sequence of sequence of int
        The MIDI pitches of each version; versions may be transposed.

    Returns
    -------
    list of NamedChord or None
        One for each version; None where a chord has no name.
    """
    candidates = [_candidates(pitches) for pitches in versions]
    inversions = [{chord.inversion for chord in chords} for chords in candidates if chords]
    common = set.intersection(*inversions) if inversions else set()

    def rank(chord: NamedChord) -> tuple[bool, int]:
        return chord.inversion not in common, chord.inversion

    return [min(chords, key=rank, default=None) for chords in candidates]


def note_name(pitch: int, spelling: Mapping[int, str] | None = None) -> str:
    """Return the name of a MIDI pitch with its octave.

    Parameters
    ----------
    pitch : int
        MIDI note number.
    spelling : mapping of int to str, optional
        Names of pitch classes; those left out are named as in `PITCH_CLASSES`.
    """
    name = (spelling or {}).get(pitch % 12, PITCH_CLASSES[pitch % 12])
    # The octave goes by the letter: B#3 sounds as C4, Cb4 as B3.
    letter_pitch = pitch - name.count("#") + name.count("b")
    return f"{name}{letter_pitch // 12 - 1}"


def instrument_name(instrument: Instrument) -> str:
    """Return the name of an instrument, or 'percussion'."""
    if instrument.is_percussion:
        return "percussion"
    if instrument.program in INSTRUMENTS:
        return INSTRUMENTS[instrument.program].name
    import pretty_midi

    return str(pretty_midi.program_to_instrument_name(instrument.program)).lower()


def percussion_name(pitch: int) -> str:
    """Return the name of a sound of the General MIDI percussion key map."""
    for sound in PERCUSSION.values():
        if sound.pitch == pitch:
            return sound.name
    import pretty_midi

    return str(pretty_midi.note_number_to_drum_name(pitch)).lower() or f"percussion sound {pitch}"


def _candidates(pitches: Sequence[int]) -> list[NamedChord]:
    tones = {pitch % 12 for pitch in pitches}
    return [
        NamedChord(root, min(pitches) % 12, quality)
        for quality in CHORD_QUALITIES
        for root in sorted(tones)
        if {(tone - root) % 12 for tone in tones} == set(quality.members)
    ]


@cache
def _spelling(root: int, kind: str) -> Mapping[int, str]:
    from music21 import harmony

    chord = harmony.ChordSymbol(root=PITCH_CLASSES[root].replace("b", "-"), kind=kind)
    return {pitch.pitchClass: str(pitch.name).replace("-", "b") for pitch in chord.pitches}
