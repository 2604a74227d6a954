"""Names of notes and chords, against music21's own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from music21 import chord, harmony, pitch

from listenbench.compose.chords import editable_shapes, plain_shapes
from listenbench.music import PERCUSSION_BANK, Instrument
from listenbench.names import (
    PITCH_CLASSES,
    instrument_name,
    lacks_fifth,
    name_chord,
    name_chords,
    note_name,
    percussion_name,
)
from listenbench.theory import CHORD_QUALITIES


@given(st.integers(24, 127))
def test_a_note_name_is_the_pitch_for_music21(midi):
    assert pitch.Pitch(note_name(midi).replace("b", "-")).midi == midi


@given(st.integers(24, 115), st.sampled_from(["B#", "Cb", "G##", "Bbb", "E#"]))
def test_a_spelling_keeps_the_pitch(midi, name):
    pitch_class = pitch.Pitch(name.replace("b", "-")).pitchClass
    spelled = note_name(midi, {pitch_class: name})
    assert pitch.Pitch(spelled.replace("b", "-")).midi == midi
    assert spelled.startswith(name) or midi % 12 != pitch_class


@pytest.mark.parametrize("quality", CHORD_QUALITIES, ids=lambda quality: quality.name)
@pytest.mark.parametrize("root", range(12))
def test_a_chord_symbol_has_the_tones_that_music21_gives_it(quality, root):
    pitches = [48 + root + member for member in quality.members]
    named = name_chord(pitches)
    symbol = named.symbol.removesuffix("no5")
    symbol = re.sub(r"(?<=[A-G])b", "-", symbol)
    tones = {p.pitchClass for p in harmony.ChordSymbol(symbol).pitches}
    if lacks_fifth(named.quality):
        assert chord.Chord(pitches).commonName == named.quality.name
        tones -= {(named.root + 7) % 12}
    assert tones == {p % 12 for p in pitches}
    spelling = named.spelling()
    assert {pitch.Pitch(spelling[p % 12].replace("b", "-")).pitchClass for p in pitches} == tones


@pytest.mark.parametrize(
    ("pitches", "symbol", "notes"),
    [
        ((60, 64, 67), "C", "C4 E4 G4"),
        ((53, 56, 60), "Fm", "F3 Ab3 C4"),
        ((52, 56, 59), "E", "E3 G#3 B3"),
        ((63, 67, 70, 73), "Eb7", "Eb4 G4 Bb4 Db5"),
        ((60, 64, 69), "Am/C", "C4 E4 A4"),
        ((60, 64, 67, 69), "C6", "C4 E4 G4 A4"),
        ((57, 60, 64, 67), "Am7", "A3 C4 E4 G4"),
        ((66, 69, 73), "F#m", "F#4 A4 C#5"),
        ((61, 65, 70), "Bbm/Db", "Db4 F4 Bb4"),
    ],
)
def test_chords_that_every_musician_knows(pitches, symbol, notes):
    named = name_chord(pitches)
    assert named.symbol == symbol
    assert " ".join(note_name(p, named.spelling()) for p in pitches) == notes


def test_chords_without_a_name_have_none():
    assert name_chord([60, 61, 62]) is None
    assert name_chord([60, 64]) is None


def test_versions_are_named_from_the_same_member():
    """C6 is Am7/C too, and Cm6 is a half-diminished chord on A."""
    c6, cm6, d6 = [60, 64, 67, 69], [60, 63, 67, 69], [62, 66, 69, 71]
    assert [c.symbol for c in name_chords([c6, cm6])] == ["C6", "Cm6"]
    assert [c.symbol for c in name_chords([c6, d6])] == ["C6", "D6"]
    # Of this pair's common names, C6/E and C7/E have the root that both can have; Am7/E has not.
    assert [c.symbol for c in name_chords([[64, 67, 69, 72], [64, 67, 70, 72]])] == ["C6/E", "C7/E"]


@pytest.mark.parametrize("semitones", [1, 2, 3])
def test_both_versions_of_every_editable_chord_are_named_on_one_root(semitones):
    for shape, distance in editable_shapes(semitones):
        before = shape.pitches(60)
        after = [p + distance * (place == shape.moved) for place, p in enumerate(before)]
        named = name_chords([before, after])
        assert named[0].root == named[1].root
        assert named[0].bass == named[1].bass == 0


def test_every_chord_that_is_composed_has_a_name():
    for shape in plain_shapes():
        for bass in (48, 49, 51):
            assert name_chord(shape.pitches(bass)) is not None


def test_names_of_sounds():
    assert instrument_name(Instrument(40)) == "violin"
    assert instrument_name(Instrument(127)) == "gunshot"
    assert instrument_name(Instrument(0, PERCUSSION_BANK)) == "percussion"
    assert percussion_name(54) == "tambourine"
    assert percussion_name(42) == "closed hi hat"
    assert percussion_name(20) == "percussion sound 20"
    assert [note_name(p)[:-1] for p in range(60, 72)] == list(PITCH_CLASSES)
