"""The tables of scales and chords against music21 and against textbook facts."""

import pytest
from music21 import chord, harmony, roman, scale

from listenbench.theory import CHORD_QUALITIES, SCALES, chord_pairs

SCALE_CLASSES = {
    "major": scale.MajorScale,
    "natural minor": scale.MinorScale,
    "harmonic minor": scale.HarmonicMinorScale,
    "melodic minor": scale.MelodicMinorScale,
    "dorian": scale.DorianScale,
    "phrygian": scale.PhrygianScale,
    "lydian": scale.LydianScale,
    "mixolydian": scale.MixolydianScale,
}
PENTATONIC_DEGREES = {
    "major pentatonic": ("major", (1, 2, 3, 5, 6)),
    "minor pentatonic": ("natural minor", (1, 3, 4, 5, 7)),
}


@pytest.mark.parametrize("name", SCALES)
def test_scales_are_those_of_music21(name):
    seven, degrees = PENTATONIC_DEGREES.get(name, (name, range(1, 8)))
    concrete = SCALE_CLASSES[seven]("C4")
    pitches = concrete.getPitches("C4", "B4", direction=scale.Direction.ASCENDING)
    semitones = sorted({int(pitch.midi) - 60 for pitch in pitches})
    assert SCALES[name] == tuple(semitones[degree - 1] for degree in degrees)


def test_scales_have_textbook_steps():
    assert SCALES["major"] == (0, 2, 4, 5, 7, 9, 11)
    assert SCALES["dorian"] == (0, 2, 3, 5, 7, 9, 10)
    assert SCALES["harmonic minor"] == (0, 2, 3, 5, 7, 8, 11)
    assert SCALES["minor pentatonic"] == (0, 3, 5, 7, 10)


def test_modes_are_rotations_of_the_major_scale():
    major = SCALES["major"]
    for name, degree in (("dorian", 1), ("phrygian", 2), ("lydian", 3), ("mixolydian", 4)):
        rotated = tuple((p - major[degree]) % 12 for p in major[degree:] + major[:degree])
        assert SCALES[name] == rotated


@pytest.mark.parametrize("quality", CHORD_QUALITIES, ids=lambda quality: quality.name)
def test_chord_qualities_are_those_of_music21(quality):
    if "no5" in quality.suffix:
        assert chord.Chord([60 + m for m in quality.members]).commonName == quality.name
        return
    assert harmony.CHORD_TYPES[quality.name][1][0] == quality.suffix
    for symbol in (
        harmony.ChordSymbol(root="C", kind=quality.name),
        harmony.ChordSymbol("C" + quality.suffix),
    ):
        assert {(p.midi - symbol.root().midi) % 12 for p in symbol.pitches} == set(quality.members)


def test_a_dominant_seventh_is_what_music21_calls_one():
    (seventh,) = (q for q in CHORD_QUALITIES if q.name == "dominant-seventh")
    assert {p.midi % 12 for p in roman.RomanNumeral("V7", "F").pitches} == set(seventh.members)


def test_pairs_differ_in_one_member_by_the_stated_distance():
    for semitones, pairs in chord_pairs().items():
        assert len(pairs) >= 3
        for pair in pairs:
            raised = {m + semitones if m == pair.member else m for m in pair.lower.members}
            assert raised == set(pair.upper.members)
            assert 0 in raised
            assert pair.member != 0


def test_no_pair_is_a_transposition_of_itself():
    for pairs in chord_pairs().values():
        for pair in pairs:
            sets = [chord.Chord([60 + m for m in q.members]).normalOrder for q in (pair.lower, pair.upper)]
            first, second = ([(p - s[0]) % 12 for p in s] for s in sets)
            assert first != second
