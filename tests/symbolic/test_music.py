"""Notes and clips: ranges, transposition and plain data."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.errors import SpecError
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of

NOTES = st.builds(
    Note,
    pitch=st.integers(30, 90),
    onset=st.floats(0, 2, allow_nan=False),
    duration=st.floats(0.05, 0.5, allow_nan=False),
    velocity=st.integers(1, 127),
)
CLIPS = st.builds(
    lambda notes, tuning: Clip((part_of(Instrument(40), notes),), 2.5, 0.5, tuning),
    st.lists(NOTES, min_size=1, max_size=8),
    st.floats(-50, 50),
)


@pytest.mark.parametrize(
    "arguments", [(128, 0, 1, 64), (-1, 0, 1, 64), (60, -0.1, 1, 64), (60, 0, 0, 64), (60, 0, 1, 0)]
)
def test_impossible_notes_are_refused(arguments):
    with pytest.raises(SpecError, match="note"):
        Note(*arguments)


def test_a_note_beyond_the_window_is_refused():
    with pytest.raises(SpecError, match="window"):
        Clip((Part(Instrument(0), (Note(60, 0.9, 0.2, 64),)),), 1.0, 0.5)


@given(CLIPS)
def test_clips_survive_json(clip):
    assert Clip.from_dict(json.loads(json.dumps(clip.to_dict()))) == clip


@given(CLIPS, st.integers(-400, 400))
def test_transposition_moves_every_sounding_pitch_by_the_stated_cents(clip, cents):
    moved = clip.transposed(cents)
    assert abs(moved.tuning_cents) <= 50
    for before, after in zip(clip.lead.notes, moved.lead.notes, strict=True):
        distance = 100 * (after.pitch - before.pitch) + moved.tuning_cents - clip.tuning_cents
        assert distance == pytest.approx(cents, abs=1e-6)


@given(CLIPS, st.integers(-400, 400))
def test_transposing_back_restores_the_pitches(clip, cents):
    back = clip.transposed(cents).transposed(-cents)
    for before, after in zip(clip.lead.notes, back.lead.notes, strict=True):
        distance = 100 * (after.pitch - before.pitch) + back.tuning_cents - clip.tuning_cents
        assert distance == pytest.approx(0, abs=1e-6)


def test_percussion_is_not_transposed():
    clip = Clip((Part(Instrument(0, PERCUSSION_BANK), (Note(42, 0, 0.1, 90),)),), 1.0, 0.5)
    assert clip.transposed(300).lead == clip.lead
    assert clip.sounding_pitches() == frozenset()


def test_detuned_notes_count_for_both_neighbours():
    clip = Clip((Part(Instrument(0), (Note(60, 0, 0.1, 90),)),), 1.0, 0.5)
    assert clip.sounding_pitches() == {60}
    assert clip.transposed(30).sounding_pitches() == {60, 61}
    assert clip.transposed(-130).sounding_pitches() == {58, 59}
