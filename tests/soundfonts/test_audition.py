"""Auditions find what was put into a soundfont, and the soundfonts in use pass them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from crafted_soundfont import SHARP_CENTS, PresetSpec, ZoneSpec, soundfont_bytes

from listenbench.errors import RenderError
from listenbench.instruments import INSTRUMENTS, PERCUSSION
from listenbench.music import PERCUSSION_BANK, Instrument
from listenbench.soundfonts import find, read_soundfont
from listenbench.soundfonts.check import Sound, audition, problem_runs, velocities_to_hear

SINE = Sound(Instrument(0), "sine", tuple(range(56, 80)))


@pytest.fixture
def faulty(tmp_path):
    """Keys 60 to 62 are tuned up by 30 cents, 70 and 71 down by 15, 65 and 66 are missing."""
    zones = [
        ZoneSpec((0, 59)),
        ZoneSpec((60, 62), fine_tune=30),
        ZoneSpec((63, 64)),
        ZoneSpec((67, 69)),
        ZoneSpec((70, 71), fine_tune=-15),
        ZoneSpec((72, 127)),
    ]
    path = tmp_path / "faulty.sf2"
    path.write_bytes(soundfont_bytes([PresetSpec(0, 0, "sine"), PresetSpec(128, 0, "kit")], [zones]))
    return path


def test_exactly_the_planted_faults_are_found(faulty):
    result = audition(faulty, [SINE])
    assert [note.pitch for note in result.notes] == list(SINE.pitches)
    assert {note.pitch: note.problem for note in result.problems} == {
        60: "off pitch",
        61: "off pitch",
        62: "off pitch",
        65: "silent",
        66: "silent",
    }
    cents = {note.pitch: note.cents for note in result.notes if note.cents is not None}
    tuned = {60: 30, 61: 30, 62: 30, 70: -15, 71: -15}
    expected = {pitch: SHARP_CENTS + tuned.get(pitch, 0) for pitch in cents}
    assert cents == pytest.approx(expected, abs=0.3)


def test_adjacent_notes_with_one_problem_make_a_run(faulty):
    runs = problem_runs(audition(faulty, [SINE]).notes)
    assert [[note.pitch for note in run] for run in runs] == [[60, 61, 62], [65, 66]]


def test_a_note_beyond_full_scale_is_clipped(tmp_path):
    path = tmp_path / "loud.sf2"
    stacked = [ZoneSpec() for _ in range(40)]
    path.write_bytes(soundfont_bytes([PresetSpec(0, 0, "loud")], [stacked], amplitude=1.0))
    (note,) = audition(path, [replace(SINE, pitches=(69,))]).notes
    assert note.problem == "clipped"
    assert note.peak_dbfs > 0


def test_a_note_70_db_down_is_silent(tmp_path):
    path = tmp_path / "faint.sf2"
    path.write_bytes(soundfont_bytes([PresetSpec(0, 0, "faint")], amplitude=0.0003))
    (note,) = audition(path, [replace(SINE, pitches=(69,))]).notes
    assert note.problem == "silent"


def test_every_sample_that_a_velocity_may_select_is_heard(large_musescore):
    """The grand piano plays FF samples from velocity 108 on; FluidR3's layers share their samples."""
    piano = read_soundfont(large_musescore).preset(0, 0)
    assert velocities_to_hear(piano, 60) == (80, 108)
    violin = read_soundfont(find("fluidr3-gm").path).preset(0, 40)
    assert len(violin.velocity_layers(60)) > 1
    assert velocities_to_hear(violin, 60) == (80,)


def test_percussion_has_no_pitch_to_miss(faulty):
    kit = Sound(Instrument(0, PERCUSSION_BANK), "kit", (61, 66))
    sounding, silent = audition(faulty, [kit]).notes
    assert (sounding.problem, sounding.cents) == (None, None)
    assert silent.problem == "silent"


def test_a_missing_preset_is_an_error_before_anything_is_rendered(faulty):
    heard = []
    absent = Sound(Instrument(5), "absent", (60,))
    with pytest.raises(RenderError, match="no preset with bank 0, program 5"):
        audition(faulty, [SINE, absent], lambda: heard.append(1))
    assert heard == []


@pytest.mark.parametrize("name", ["musescore-general", "fluidr3-gm", "timgm6mb"])
def test_the_table_of_instruments_keeps_clear_of_bad_notes(name):
    """Every fifth note of each range; `listenbench soundfonts --check` renders them all."""
    sounds = [
        Sound(Instrument(player.program), player.name, tuple(range(player.lowest, player.highest + 1, 5)))
        for player in INSTRUMENTS.values()
    ]
    kit = Instrument(0, PERCUSSION_BANK)
    sounds += [Sound(kit, sound.name, (sound.pitch,)) for sound in PERCUSSION.values()]
    assert audition(find(name).path, sounds).problems == ()
