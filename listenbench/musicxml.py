"""Clips as scores: a music21 stream, and MusicXML to open in a notation program.

A quarter note is the clip's beat. Note values are those that a musician would write: up to the next onset,
without the shortening of an articulation. A broken chord is written note by note. Every part starts on a
beat. The clips stand one after the other, with a bar of rest between them for the silence, each with its
tempo and tuning.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from listenbench.attributes import chords_of
from listenbench.music import Clip, Instrument, Note, Part
from listenbench.names import (
    PITCH_CLASSES,
    NamedChord,
    instrument_name,
    kind_of,
    lacks_fifth,
    name_chords,
    note_name,
    percussion_name,
)

if TYPE_CHECKING:
    import music21

BEATS_IN_A_BAR: Final = 4
"""Bars are there for the eye; the music has no metre beyond its beat."""

_STEPS_IN_A_BEAT: Final = 2
_DRUM_CHANNEL: Final = 9
_FIFTH: Final = 5
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Sound:
    """What one part starts at one moment, as written.

    Attributes
    ----------
    start, length : float
        In beats from the part's first onset; multiples of half a beat, the shortest value of the composers.
    pitches : tuple of int
        MIDI pitches, ascending.
    """

    start: float
    length: float
    pitches: tuple[int, ...]


def musicxml_bytes(clips: Sequence[Clip], title: str) -> bytes:
    """Return clips, one after the other, as a MusicXML file; the same clips give the same bytes.

    Parameters
    ----------
    clips : sequence of Clip
        One or more.
    title : str
        Title of the score.
    """
    from music21.musicxml.m21ToXml import GeneralObjectExporter

    written = GeneralObjectExporter(score_of(clips, title)).parse()
    # music21 writes today's date, which would make each file another one.
    return re.sub(rb"\s*<encoding-date>[^<]*</encoding-date>", b"", written)


def score_of(clips: Sequence[Clip], title: str = "") -> music21.stream.Score:
    """Return clips, one after the other, as a music21 score with one part for each part of a clip."""
    from music21 import metadata, meter, stream

    score = stream.Score(id="score")
    score.insert(0, metadata.Metadata(title=title, composer="listenbench"))
    names, starts = _chord_names(clips), _starts(clips)
    for number, instrument in _staves(clips):
        part = stream.Part(id=f"part{len(score.parts) + 1}")
        for clip, start, chords, letter in zip(clips, starts[:-1], names, _LETTERS, strict=False):
            if number < len(clip.parts) and clip.parts[number].instrument == instrument:
                _write_clip(part, clip, number, start, chords if number == 0 else [], letter)
        part.insert(0, meter.TimeSignature(f"{BEATS_IN_A_BAR}/4"))
        part.makeRests(refStreamOrTimeRange=[0, starts[-1]], fillGaps=True, inPlace=True)
        score.insert(0, part.makeNotation())
    return score


def _staves(clips: Sequence[Clip]) -> list[tuple[int, Instrument]]:
    """Return the staves from top to bottom: the number of a part, and one of the instruments that play it.

    An instrument that only one clip has gets a staff of its own: few programs read a change of instruments
    within a staff.
    """
    most = max(len(clip.parts) for clip in clips)
    return list(
        dict.fromkeys(
            (number, clip.parts[number].instrument)
            for number in range(most)
            for clip in clips
            if number < len(clip.parts)
        )
    )


def written(part: Part, beat: float) -> list[Sound]:
    """Return the notes of a part with the values that a musician would write; the first starts on a beat.

    Parameters
    ----------
    part : Part
        Any part.
    beat : float
        Seconds in a beat.

    Returns
    -------
    list of Sound
        In order, without overlaps.
    """
    groups: dict[float, list[Note]] = {}
    for note in part.notes:
        start = _place(note.onset - part.notes[0].onset, beat)
        groups.setdefault(start, []).append(note)
    starts = sorted(groups)
    sounds = []
    for start, following in pairwise([*starts, math.inf]):
        notes = groups[start]
        sounding = max(note.duration for note in notes) / beat
        length = max(1, math.ceil(sounding * _STEPS_IN_A_BEAT - 0.1)) / _STEPS_IN_A_BEAT
        pitches = tuple(sorted({note.pitch for note in notes}))
        sounds.append(Sound(start, min(length, following - start), pitches))
    return sounds


def _starts(clips: Sequence[Clip]) -> list[int]:
    """Return the beat at which each clip starts, on a bar line after a bar of rest, and where all ends."""
    starts: list[int] = []
    end = 0
    for clip in clips:
        starts.append(end + BEATS_IN_A_BAR if starts else 0)
        length = max(sound.start + sound.length for part in clip.parts for sound in written(part, clip.beat))
        end = starts[-1] + math.ceil(length / BEATS_IN_A_BAR) * BEATS_IN_A_BAR
    return [*starts, end]


def _place(seconds: float, beat: float) -> float:
    """Return a time in beats, on the grid."""
    return round(seconds / beat * _STEPS_IN_A_BEAT) / _STEPS_IN_A_BEAT


def _chord_names(clips: Sequence[Clip]) -> list[list[tuple[float, NamedChord]]]:
    """Return the chords of each clip's lead that have a name, with the onset of each in seconds."""
    chords = [chords_of(clip) if not clip.lead.instrument.is_percussion else [] for clip in clips]
    named: list[list[tuple[float, NamedChord]]] = [[] for _ in clips]
    for place in range(max(map(len, chords), default=0)):
        there = [(number, clip[place]) for number, clip in enumerate(chords) if place < len(clip)]
        names = name_chords([[note.pitch for note in chord] for _, chord in there])
        for (number, chord), name in zip(there, names, strict=True):
            if name is not None:
                named[number].append((min(note.onset for note in chord), name))
    return named


def _write_clip(
    stream: Any, clip: Clip, number: int, start: int, chords: list[tuple[float, NamedChord]], letter: str
) -> None:
    """Insert one part of a clip into a music21 part."""
    part = clip.parts[number]
    _write_headings(stream, clip, number, start, letter)
    spellings: list[tuple[float, Mapping[int, str]]] = []
    for onset, chord in chords:
        beat = _place(onset - part.notes[0].onset, clip.beat)
        stream.insert(start + beat, _chord_symbol(chord))
        spellings.append((beat, chord.spelling()))
    for sound in written(part, clip.beat):
        spelling = next((names for beat, names in reversed(spellings) if beat <= sound.start), {})
        stream.insert(start + sound.start, _element(sound, part, spelling))


def _write_headings(stream: Any, clip: Clip, number: int, start: int, letter: str) -> None:
    """Insert what stands at the start of a clip, and the staff's instrument at the start of the staff."""
    from music21 import clef, expressions, note, tempo

    part = clip.parts[number]
    if not stream.getInstruments(returnDefault=False):
        stream.insert(0, _instrument(part, stream.id))
        if part.instrument.is_percussion:
            stream.insert(0, clef.PercussionClef())
    if number == 0:
        stream.insert(start, expressions.RehearsalMark(letter))
        rate = round(60 / clip.beat, 2)
        stream.insert(start, tempo.MetronomeMark(number=rate, referent=note.Note(type="quarter")))
        if clip.tuning_cents:
            stream.insert(start, expressions.TextExpression(f"tuned {clip.tuning_cents:+g} cents"))


def _instrument(part: Part, identifier: str) -> Any:
    """Return an instrument that sounds as written: music21's own clarinets and saxophones transpose."""
    from music21 import instrument

    if part.instrument.is_percussion:
        result = instrument.UnpitchedPercussion()
        result.instrumentName = percussion_name(part.notes[0].pitch)
        result.percMapPitch = part.notes[0].pitch
        result.midiChannel = _DRUM_CHANNEL
    else:
        result = instrument.Instrument(instrument_name(part.instrument))
        result.midiProgram = part.instrument.program
    result.instrumentId, result.partId = f"instrument-{identifier}", identifier
    result.partName = result.instrumentName
    return result


def _chord_symbol(chord: NamedChord) -> Any:
    from music21 import harmony

    root, bass = (name.replace("b", "-") for name in (PITCH_CLASSES[chord.root], chord.bass_name))
    symbol = harmony.ChordSymbol(root=root, bass=bass, kind=kind_of(chord.quality))
    if lacks_fifth(chord.quality):
        symbol.addChordStepModification(
            harmony.ChordStepModification("subtract", _FIFTH, 0), updatePitches=False
        )
    symbol.writeAsChord = False
    return symbol


def _element(sound: Sound, part: Part, spelling: Mapping[int, str]) -> Any:
    """Return a music21 note, chord or percussion stroke."""
    from music21 import chord, note

    if part.instrument.is_percussion:
        return note.Unpitched(displayName="B4", quarterLength=sound.length)
    names = [note_name(pitch, spelling).replace("b", "-") for pitch in sound.pitches]
    if len(names) == 1:
        return note.Note(names[0], quarterLength=sound.length)
    return chord.Chord(names, quarterLength=sound.length)
