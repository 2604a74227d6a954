"""Clips written to MIDI files and read back: what can be heard about them stays."""

import io
from itertools import islice

import mido
import pretty_midi
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from listenbench.attributes import differing
from listenbench.compose.accompaniment import TEXTURES
from listenbench.errors import DataError, SpecError
from listenbench.export import clip_from_midi, clip_to_midi, clips_from_midi, clips_to_midi, midi_bytes
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of
from listenbench.plan import TaskPlanner
from listenbench.splits import CONDITIONS, load_split, split_names
from listenbench.tasks import TASKS

SPLITS = {name: load_split(name) for name in split_names()}
CASES = [
    (split, texture, task)
    for split in SPLITS
    for texture in (("solo",) if split.startswith("paper-") else TEXTURES)
    for task in SPLITS[split].tasks
]
PIANO = Instrument(0)


def planned(split, texture, task, seed, number):
    chosen = SPLITS[split].model_copy(update={"texture": (texture,)})
    return islice(TaskPlanner(chosen, seed, task, CONDITIONS), number)


def written_and_read(*clips):
    """Write a file with PrettyMIDI, as a user would, and read it from its bytes."""
    buffer = io.BytesIO()
    clips_to_midi(clips).write(buffer)
    buffer.seek(0)
    return clips_from_midi(pretty_midi.PrettyMIDI(buffer))


def distance(first, second):
    """Return the largest difference of times in seconds; everything else has to be equal."""
    assert (first.window, first.tuning_cents) == (second.window, second.tuning_cents)
    assert first.beat == pytest.approx(second.beat, abs=1.5e-6)
    worst = 0.0
    for a, b in zip(first.parts, second.parts, strict=True):
        assert a.instrument == b.instrument
        for x, y in zip(a.notes, b.notes, strict=True):
            assert (x.pitch, x.velocity) == (y.pitch, y.velocity)
            worst = max(worst, abs(x.onset - y.onset), abs(x.duration - y.duration))
    return worst


@pytest.mark.parametrize(("split", "texture", "task"), CASES)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**64 - 1))
def test_attributes_survive_and_flips_still_change_exactly_one(split, texture, task, seed):
    attribute = TASKS[task].attribute
    for item in planned(split, texture, task, seed, 2):
        read = {}
        for variant in item.variants:
            written = (item.clip_a.clip, variant.clip_b.clip)
            pair = written_and_read(*written)
            for before, after in zip(written, pair, strict=True):
                assert differing(before, after) == set()
                assert distance(before, after) < 1.5e-6
            assert differing(*pair) == differing(*written)
            read[variant.condition] = pair
        assert read["clean"][0] == read["flip"][0] == read["stay"][0]
        assert differing(read["clean"][1], read["flip"][1]) == {attribute}
        assert attribute not in differing(read["clean"][1], read["stay"][1])


@pytest.mark.slow
@pytest.mark.parametrize(("split", "texture", "task"), CASES)
def test_the_contract_holds_in_files_of_two_thousand_items(split, texture, task):
    """One file an item, with clip A and the clips B of the clean and the FLIP variant."""
    for item in planned(split, texture, task, 1, 2000 // len(CASES) + 1):
        clips = (item.clip_a.clip, *(variant.clip_b.clip for variant in item.variants[:2]))
        read = clips_from_midi(clips_to_midi(clips))
        assert [differing(a, b) for a, b in zip(clips, read, strict=True)] == [set()] * 3
        assert differing(*read[1:]) == {TASKS[task].attribute}


@given(st.integers(-50, 50), st.integers(0, 127), st.integers(0, 127), st.integers(1, 127))
def test_any_clip_of_one_note_survives(cents, pitch, program, velocity):
    note = Note(pitch, 0.03, 0.7, velocity)
    clip = Clip((Part(Instrument(program), (note,)),), 2.5, 0.3333, float(cents))
    assert clip_from_midi(clip_to_midi(clip)) == clip


@given(
    st.lists(
        st.tuples(st.integers(40, 80), st.integers(0, 40), st.integers(1, 8), st.integers(1, 127)),
        min_size=1,
        max_size=12,
        unique_by=lambda note: note[1],
    ),
    st.integers(120, 900),
)
def test_any_rhythm_on_a_grid_of_sixteenths_survives(drawn, milliseconds):
    """The grid needn't be that of the composers, as long as the resolution has its places."""
    beat = milliseconds / 1000
    notes = [
        Note(pitch, round(0.03 + place * beat / 4, 6), round(length * beat / 4 * 0.9, 6), velocity)
        for pitch, place, length, velocity in drawn
    ]
    # The first onset of a clip stands on the grid of 0.1 ms; see the module.
    notes.append(Note(90, 0.03, round(beat, 6), 64))
    # Two sounding notes of one pitch are one key pressed twice: MIDI can't tell which is released.
    notes = [n for i, n in enumerate(notes) if n.pitch not in {m.pitch for m in notes[:i]}]
    clip = Clip((part_of(PIANO, notes),), 20.0, beat)
    read = clip_from_midi(clip_to_midi(clip))
    assert differing(clip, read) == set()
    assert distance(clip, read) < 1.5e-6


def test_what_the_file_says():
    lead = part_of(Instrument(73), [Note(72, 0.03, 0.4, 90), Note(74, 0.53, 0.4, 80)])
    chords = part_of(Instrument(4), [Note(60, 0.03, 0.9, 70), Note(64, 0.03, 0.9, 70)])
    kit = part_of(Instrument(0, PERCUSSION_BANK), [Note(42, 0.03, 0.08, 60)])
    clip = Clip((lead, chords, kit), 2.0, 0.5, 25.0)
    file = mido.MidiFile(file=io.BytesIO(midi_bytes((clip, clip))))
    assert [m.tempo for m in file.tracks[0] if m.type == "set_tempo"] == [500_000, 500_000]
    assert [m.program for m in file.tracks[1] if m.type == "program_change"] == [73, 73]
    # 25 cents are an eighth of the 2 semitones that 8192 steps span.
    assert [m.pitch for m in file.tracks[2] if m.type == "pitchwheel"] == [1024, 1024]
    assert {m.channel for m in file.tracks[3] if not m.is_meta} == {9}
    assert not [m for m in file.tracks[3] if m.type == "pitchwheel"]
    midi = clips_to_midi((clip, clip))
    starts = sorted(note.start for note in midi.instruments[0].notes)
    assert starts == pytest.approx([0.03, 0.53, 3.03, 3.53], abs=2e-5)
    assert clips_from_midi(midi) == (clip, clip)


def test_a_clip_from_elsewhere_is_read_at_its_tempo():
    midi = pretty_midi.PrettyMIDI(initial_tempo=120)
    violin = pretty_midi.Instrument(40)
    violin.notes = [pretty_midi.Note(100, 62, 0.5, 1.0), pretty_midi.Note(100, 64, 1.0, 1.75)]
    midi.instruments.append(violin)
    clip = clip_from_midi(midi)
    assert clip.beat == pytest.approx(0.5)
    assert clip.window == pytest.approx(1.75)
    assert [(n.pitch, n.onset, n.duration) for n in clip.lead.notes] == [(62, 0.5, 0.5), (64, 1.0, 0.75)]


def test_a_changed_tempo_overrules_the_stated_beat():
    clip = Clip((Part(PIANO, (Note(60, 0.5, 0.5, 90),)),), 4.0, 0.5)
    file = mido.MidiFile(file=io.BytesIO(midi_bytes((clip,))))
    for message in file.tracks[0]:
        if message.type == "set_tempo":
            message.tempo = 750_000
    buffer = io.BytesIO()
    file.save(file=buffer)
    buffer.seek(0)
    read = clip_from_midi(pretty_midi.PrettyMIDI(buffer))
    assert read.beat == pytest.approx(0.75)
    assert read.lead.notes[0].duration == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("clips", "words"),
    [
        ((), "1 to 26 clips, got 0"),
        ((Clip((Part(Instrument(0, 8), (Note(60, 0, 1, 9),)),), 2.0, 0.5),), "bank 8 is not part"),
        ((Clip((Part(PIANO, (Note(60, 0, 1, 9),)),), 2.0, 0.5, 200.0),), "more than 199"),
        ((Clip((Part(PIANO, (Note(60, 0, 1, 9),)),), 2.0, 17.0),), "a beat of 17.0 s"),
        ((Clip((Part(PIANO, (Note(60, 0, 1, 9),)),) * 16, 2.0, 0.5),), "15 pitched parts"),
    ],
)
def test_what_midi_has_no_place_for_is_refused(clips, words):
    with pytest.raises(SpecError, match=words):
        clips_to_midi(clips)


def test_files_without_the_expected_clips_are_refused():
    clip = Clip((Part(PIANO, (Note(60, 0, 1, 9),)),), 2.0, 0.5)
    with pytest.raises(DataError, match="expected one clip, found 2"):
        clip_from_midi(clips_to_midi((clip, clip)))
    with pytest.raises(DataError, match="without notes"):
        clip_from_midi(pretty_midi.PrettyMIDI())
