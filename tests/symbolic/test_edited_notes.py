"""The notes that an edit is about are found in both clips, whatever was done to the sound."""

import pytest

from listenbench.edits import edited_notes
from listenbench.plan import plan
from listenbench.splits import CONDITIONS, load_split

SEED = 5


@pytest.fixture(scope="module")
def pairs():
    """Return clip A, clip B and the edit of every recording of some items."""
    split = load_split("test").model_copy(update={"texture": ("solo", "accompanied")})
    items = plan(split, SEED, items=16, variants=CONDITIONS)
    return [(item.clip_a.clip, v.clip_b.clip, v.difference) for item in items for v in item.variants]


def test_moving_the_found_notes_back_gives_clip_a(pairs):
    found = 0
    for clip_a, clip_b, edit in pairs:
        in_a, in_b = edited_notes(clip_a, clip_b, edit)
        if edit is None or not edit.note_indices:
            continue
        found += 1
        assert in_a == frozenset(edit.note_indices)
        assert len(in_b) == len(in_a)
        semitones = round(edit.magnitude / (100 if edit.unit == "cents" else 1))
        shift = min(n.pitch for n in clip_b.lead.notes) - min(n.pitch for n in clip_a.lead.notes)
        back = sorted(
            (round(note.onset, 4), note.pitch - shift - semitones * (place in in_b))
            for place, note in enumerate(clip_b.lead.notes)
        )
        assert back == sorted((round(note.onset, 4), note.pitch) for note in clip_a.lead.notes)
    assert found > 20


def test_other_edits_are_of_the_whole_lead_of_clip_b(pairs):
    kinds = set()
    for clip_a, clip_b, edit in pairs:
        if edit is not None and edit.note_indices:
            continue
        whole = frozenset() if edit is None else frozenset(range(len(clip_b.lead.notes)))
        assert edited_notes(clip_a, clip_b, edit) == (frozenset(), whole)
        kinds.add(edit and edit.name)
    assert kinds == {None, "instrument", "pulse_rate"}
