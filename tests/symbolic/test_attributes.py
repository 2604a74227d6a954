"""Attributes on small clips whose values are known by hand."""

import pytest

from listenbench.attributes import ATTRIBUTES, chords_of, differing, is_polyphonic
from listenbench.edits import change_instrument, change_rate, move_notes
from listenbench.errors import SpecError
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of


def line(pitches, beat=0.4):
    notes = tuple(Note(p, 0.1 + beat * i, beat * 0.9, 80) for i, p in enumerate(pitches))
    return Clip((Part(Instrument(0), notes),), 2.5, beat)


def block(*chords):
    notes = [Note(p, 0.1 + 0.6 * i, 0.6, 80) for i, chord in enumerate(chords) for p in chord]
    return Clip((part_of(Instrument(0), notes),), 2.5, 0.6)


def pulses(beat, count, window=4.0):
    notes = tuple(Note(44, 0.1 + beat * i, 0.05, 80) for i in range(count))
    return Clip((Part(Instrument(0, PERCUSSION_BANK), notes),), window, beat, cycle_beats=2)


def test_melody_is_the_intervals_and_the_rhythm():
    assert ATTRIBUTES["melody"](line([60, 64, 62])) == ((4, -2), (0.0, 1.0, 2.0))
    assert ATTRIBUTES["melody"](line([67, 71, 69], beat=0.5)) == ((4, -2), (0.0, 1.0, 2.0))
    assert ATTRIBUTES["melody"](block((60, 64, 67))) is None
    assert ATTRIBUTES["melody"](pulses(0.5, 7)) is None


def test_harmony_ignores_transposition_and_voicing_but_not_quality():
    harmony = ATTRIBUTES["harmony"]
    c_major, g_major, c_minor = block((60, 64, 67)), block((55, 59, 62)), block((60, 63, 67))
    assert harmony(c_major) == harmony(g_major) == harmony(block((52, 60, 67)))
    assert harmony(c_major) != harmony(c_minor)
    assert harmony(line([60, 64, 67])) is None


def test_harmony_hears_the_motion_of_roots():
    harmony = ATTRIBUTES["harmony"]
    one_four = block((60, 64, 67), (65, 69, 72))
    one_five = block((60, 64, 67), (67, 71, 74))
    assert harmony(one_four) != harmony(one_five)
    assert harmony(one_four) == harmony(block((62, 66, 69), (67, 71, 74)))


def test_a_broken_chord_is_one_chord():
    notes = [Note(p, 0.1 + 0.2 * i, 1.5 - 0.2 * i, 80) for i, p in enumerate((60, 64, 67))]
    clip = Clip((part_of(Instrument(0), notes),), 2.0, 0.2)
    assert is_polyphonic(clip)
    assert [[n.pitch for n in chord] for chord in chords_of(clip)] == [[60, 64, 67]]
    assert ATTRIBUTES["harmony"](clip) == ATTRIBUTES["harmony"](block((60, 64, 67)))


def test_rhythm_is_the_pulse_rate():
    assert ATTRIBUTES["rhythm"](pulses(0.5, 7)) == 120


def test_moving_one_note_changes_the_melody_alone():
    clip = line([60, 64, 62, 67])
    assert differing(clip, move_notes(clip, [1], 1)) == {"melody"}
    assert differing(clip, move_notes(clip, [3], -7)) == {"melody"}


@pytest.mark.parametrize(("index", "semitones"), [(0, 1), (0, -1), (1, -5), (1, 0)])
def test_a_move_that_changes_the_register_is_refused(index, semitones):
    with pytest.raises(SpecError, match="register"):
        move_notes(line([60, 64, 62, 67]), [index], semitones)


def test_moving_a_chord_member_changes_the_harmony_alone():
    clip = block((60, 64, 67), (65, 69, 72))
    assert differing(clip, move_notes(clip, [1], -1)) == {"harmony"}


def test_another_instrument_changes_the_timbre_alone():
    clip = line([60, 64, 62, 67])
    assert differing(clip, change_instrument(clip, Instrument(40))) == {"timbre"}


@pytest.mark.parametrize("ratio", [1.1, 1.5, 1 / 1.1, 1 / 1.5])
def test_another_rate_changes_the_rhythm_alone_and_fills_the_window(ratio):
    clip = pulses(0.5, 8)
    changed = change_rate(clip, ratio)
    assert differing(clip, changed) == {"rhythm"}
    assert ATTRIBUTES["rhythm"](changed) == pytest.approx(120 * ratio, abs=1e-3)
    last = changed.lead.notes[-1]
    assert changed.window - changed.beat - 0.2 < last.onset < changed.window


def test_transposition_changes_register_and_tuning_alone():
    clip = line([60, 64, 62, 67])
    assert differing(clip, clip.transposed(130)) == {"register", "tuning"}
    assert differing(clip, clip.transposed(30)) == {"tuning"}
    assert differing(clip, clip.transposed(200)) == {"register"}


def test_an_accompaniment_has_to_hold_still_too():
    clip = line([60, 64, 62, 67])
    with_bass = Clip((*clip.parts, Part(Instrument(32), (Note(40, 0, 1, 70),))), 2.5, 0.4)
    assert differing(clip, with_bass) == {"accompaniment"}
