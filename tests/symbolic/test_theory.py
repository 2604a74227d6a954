"""The tables of scales and chords against music21 and against textbook facts."""

import pytest
from music21 import chord, harmony, roman

from listenbench.theory import chord_pairs, chord_qualities, scales


def test_scales_have_textbook_steps():
    assert scales()["major"] == (0, 2, 4, 5, 7, 9, 11)
    assert scales()["dorian"] == (0, 2, 3, 5, 7, 9, 10)
    assert scales()["harmonic minor"] == (0, 2, 3, 5, 7, 8, 11)
    assert scales()["minor pentatonic"] == (0, 3, 5, 7, 10)


def test_modes_are_rotations_of_the_major_scale():
    major = scales()["major"]
    for name, degree in (("dorian", 1), ("phrygian", 2), ("lydian", 3), ("mixolydian", 4)):
        rotated = tuple((p - major[degree]) % 12 for p in major[degree:] + major[:degree])
        assert scales()[name] == rotated


@pytest.mark.parametrize("quality", chord_qualities(), ids=lambda quality: quality.name)
def test_music21_reads_each_chord_symbol_back(quality):
    if "no5" in quality.suffix:
        assert chord.Chord([60 + m for m in quality.members]).commonName == quality.name
        return
    symbol = harmony.ChordSymbol("C" + quality.suffix)
    assert {p.midi % 12 for p in symbol.pitches} == set(quality.members)


def test_a_dominant_seventh_is_what_music21_calls_one():
    (seventh,) = (q for q in chord_qualities() if q.name == "dominant-seventh")
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
