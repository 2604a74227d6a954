"""Clips as scores: what music21 and any XML reader find in them."""

import warnings
from collections import Counter
from itertools import islice
from xml.etree import ElementTree

import music21
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from listenbench.edits import move_notes
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of
from listenbench.musicxml import musicxml_bytes, score_of, written
from listenbench.plan import TaskPlanner
from listenbench.splits import CONDITIONS, load_split
from listenbench.tasks import TASKS

SPLIT = load_split("train").model_copy(update={"texture": ("solo", "accompanied")})


def line(program=66, tuning=0.0):
    """Return a line of 4 notes of 1, 0.5, 1.5 and 2 beats, detached, at 120 a minute."""
    values, notes, position = (1, 0.5, 1.5, 2), [], 0.0
    for pitch, value in zip((60, 63, 66, 70), values, strict=True):
        notes.append(Note(pitch, 0.03 + position * 0.5, value * 0.5 * 0.8, 80))
        position += value
    return Clip((Part(Instrument(program), tuple(notes)),), 3.0, 0.5, tuning)


def parsed(clips):
    with warnings.catch_warnings():
        # music21's reader knows fewer drum sounds than General MIDI has.
        warnings.simplefilter("ignore", music21.musicxml.xmlObjects.MusicXMLWarning)
        return music21.converter.parse(musicxml_bytes(clips, "title").decode(), format="musicxml")


def test_note_values_are_those_of_the_line_and_clips_follow_after_a_bar_of_rest():
    clip = line()
    edited = move_notes(clip, [2], 2)
    (part,) = parsed((clip, edited)).parts
    sounds = list(part.stripTies().flatten().notes)
    # The line fills a bar and a quarter; then come its rests, a bar of silence, and the second clip.
    assert [(n.offset, n.quarterLength, n.pitch.midi) for n in sounds] == [
        *[(0, 1, 60), (1, 0.5, 63), (1.5, 1.5, 66), (3, 2, 70)],
        *[(12, 1, 60), (13, 0.5, 63), (13.5, 1.5, 68), (15, 2, 70)],
    ]
    rests = [measure for measure in part.getElementsByClass("Measure") if not measure.flatten().notes]
    assert [measure.offset for measure in rests] == [8]
    marks = part.flatten().getElementsByClass("MetronomeMark")
    assert [mark.number for mark in marks] == [120, 120]
    assert [mark.content for mark in part.flatten().getElementsByClass("RehearsalMark")] == ["A", "B"]


def test_transposing_instruments_are_written_as_they_sound():
    root = ElementTree.fromstring(musicxml_bytes((line(66), line(71)), "title"))
    assert [e.text for e in root.iter("instrument-name")] == ["tenor sax", "clarinet"]
    assert [e.text for e in root.iter("midi-program")] == ["67", "72"]
    assert not list(root.iter("transpose"))
    # Each has a staff of its own, on which the other clip is rests.
    notes = [[note.find("pitch") is not None for note in part.iter("note")] for part in root.iter("part")]
    assert [sum(staff) for staff in notes] == [5, 5]
    assert [staff[0] for staff in notes] == [True, False]


def test_a_tuning_is_written_above_the_clip():
    root = ElementTree.fromstring(musicxml_bytes((line(), line(tuning=-25.0)), "title"))
    assert [e.text for e in root.iter("words")] == ["tuned -25 cents"]


def test_chords_have_symbols_and_their_spelling():
    fm = part_of(Instrument(0), [Note(pitch, 0.03, 0.8, 80) for pitch in (56, 60, 65)])
    seventh = part_of(Instrument(0), [Note(pitch, 0.03, 0.8, 80) for pitch in (57, 60, 65)])
    (part,) = score_of((Clip((fm,), 2.0, 0.8), Clip((seventh,), 2.0, 0.8))).parts
    symbols = list(part.flatten().getElementsByClass("ChordSymbol"))
    assert [symbol.figure for symbol in symbols] == ["Fm/A-", "F/A"]
    chords = [c for c in part.flatten().getElementsByClass("Chord") if c not in symbols]
    assert [[p.nameWithOctave for p in c.pitches] for c in chords] == [
        ["A-3", "C4", "F4"],
        ["A3", "C4", "F4"],
    ]


def test_a_broken_chord_is_written_note_by_note_and_held_at_its_end():
    end = 1.53
    notes = [
        Note(pitch, 0.03 + step * 0.2, end - 0.03 - step * 0.2, 80) for step, pitch in enumerate((60, 64, 67))
    ]
    sounds = written(part_of(Instrument(0), notes), 0.2)
    assert [(s.start, s.length, s.pitches) for s in sounds] == [
        (0, 1, (60,)),
        (1, 1, (64,)),
        (2, 5.5, (67,)),
    ]


def test_percussion_is_written_without_pitch():
    kit = part_of(Instrument(0, PERCUSSION_BANK), [Note(54, 0.1 + k * 0.4, 0.08, 90) for k in range(8)])
    root = ElementTree.fromstring(musicxml_bytes((Clip((kit,), 4.0, 0.4),), "title"))
    assert len(list(root.iter("unpitched"))) == 8
    assert not list(root.iter("pitch"))
    assert [e.text for e in root.iter("instrument-name")] == ["tambourine"]
    # MusicXML counts the percussion key map from 1.
    assert [e.text for e in root.iter("midi-unpitched")] == ["55"]
    assert [e.text for e in root.iter("per-minute")] == ["150"]


@pytest.mark.parametrize("task", sorted(TASKS))
@settings(max_examples=6)
@given(seed=st.integers(0, 2**64 - 1))
def test_every_drawn_item_has_all_its_pitches_in_the_score(task, seed):
    for item in islice(TaskPlanner(SPLIT, seed, task, CONDITIONS), 2):
        pair = (item.clip_a.clip, item.variants[1].clip_b.clip)
        written_pitches, strokes = Counter(), 0
        for part in parsed(pair).parts:
            for element in part.stripTies().flatten().notes.getElementsNotOfClass("ChordSymbol"):
                strokes += isinstance(element, music21.note.Unpitched)
                written_pitches.update(p.midi for p in element.pitches)
        parts = [part for clip in pair for part in clip.parts]
        drums = [part for part in parts if part.instrument.is_percussion]
        assert strokes == sum(len({note.onset for note in part.notes}) for part in drums)
        composed = (n.pitch for part in parts if part not in drums for n in part.notes)
        assert written_pitches == Counter(composed)


def test_the_same_clips_give_the_same_bytes():
    first, second = (musicxml_bytes((line(), line(73)), "title") for _ in range(2))
    assert first == second
    assert b"encoding-date" not in first
