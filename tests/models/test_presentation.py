"""What a model is shown under each condition, and the notes as text."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import serving

import listenbench.commands.run as command
from listenbench.audio import SAMPLE_RATE
from listenbench.dataset import DatasetItem
from listenbench.errors import DataError
from listenbench.models.note_table import (
    UNITS_A_SECOND,
    VELOCITY_LEVELS,
    item_table,
    notes_table,
    read_notes,
    velocity_level,
)
from listenbench.models.presentation import CONDITIONS, WITHOUT_SOUND, pause_samples, shown_recording
from listenbench.models.prompts import prompts, prompts_sha256
from listenbench.music import Clip, Note
from listenbench.scoring import score
from listenbench.takes import Take, perform

PAUSE = SAMPLE_RATE


def shown(item, condition):
    with wave.open(io.BytesIO(shown_recording(item, condition, PAUSE))) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (SAMPLE_RATE, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def test_the_recording_is_shown_as_it_is(dataset):
    assert pause_samples(dataset) == PAUSE
    item = dataset.items[0]
    assert shown_recording(item, "audio", PAUSE) == item.path.read_bytes()


@pytest.mark.parametrize("number", range(4))
def test_stand_ins(dataset, number):
    item = dataset.items[number]
    whole, clip_a, clip_b = (shown(item, condition) for condition in ("audio", "clip-a", "clip-b"))
    silence = np.zeros(PAUSE, np.int16)
    assert np.array_equal(whole, np.concatenate([clip_a, silence, clip_b]))
    assert np.array_equal(shown(item, "swapped"), np.concatenate([clip_b, silence, clip_a]))
    assert not shown(item, "silence").any()
    assert len(shown(item, "silence")) == len(whole)


def test_noise_has_the_level_of_the_recording_and_nothing_of_its_content(dataset):
    item = dataset.items[0]
    noise, whole = shown(item, "noise").astype(float), shown(item, "audio").astype(float)
    assert np.sqrt(np.mean(noise**2)) == pytest.approx(np.sqrt(np.mean(whole**2)), rel=0.02)
    assert abs(np.corrcoef(noise, whole)[0, 1]) < 0.01
    assert abs(np.corrcoef(noise[:-1], noise[1:])[0, 1]) < 0.01
    assert np.array_equal(noise, shown(item, "noise").astype(float))
    assert not np.array_equal(noise[:1000], shown(dataset.items[1], "noise")[:1000])


def test_a_recording_without_its_pause_is_refused(tmp_path):
    item = DatasetItem("x", "?", ("same", "different"), tmp_path / "x.wav")
    with wave.open(str(item.path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(np.ones(3 * SAMPLE_RATE, "<i2").tobytes())
    with pytest.raises(DataError, match="not two clips"):
        shown_recording(item, "swapped", PAUSE)


notes = st.builds(
    Note,
    pitch=st.integers(0, 127),
    onset=st.floats(0, 30),
    duration=st.floats(0.02, 10),
    velocity=st.integers(1, 127),
)


@given(st.lists(notes, min_size=1, max_size=20))
def test_a_table_reads_back_within_its_quantisation(played):
    ordered = sorted(played, key=lambda note: (note.onset, note.pitch))
    read = read_notes(notes_table(played))
    assert [note.pitch for note in read] == [note.pitch for note in ordered]
    for before, after in zip(ordered, read, strict=True):
        assert abs(after.onset - before.onset) <= 0.5 / UNITS_A_SECOND + 1e-9
        assert abs(after.duration - before.duration) <= 0.5 / UNITS_A_SECOND + 1e-9
        assert abs(after.velocity - before.velocity) <= 127 / VELOCITY_LEVELS / 2 + 0.5
        assert velocity_level(after.velocity) == velocity_level(before.velocity)


def test_a_table_by_hand():
    played = [
        Note(60, 0.0, 0.5, 1),
        Note(64, 4.994, 0.25, 127),
        Note(67, 4.996, 1.0, 64),
        Note(48, 12.3, 0.02, 80),
    ]
    assert notes_table(played) == "W1 60,1,0,50; 64,12,499,25; W2 67,7,0,100; W3 48,8,230,2;"


@pytest.mark.parametrize("table", ["W1 60,1,0", "W1 60,1,0,5", "60;1;0;5", "W1 60,1,0,5; x"])
def test_what_is_no_table(table):
    with pytest.raises(DataError, match="neither"):
        read_notes(table)


def test_the_text_holds_the_notes_that_sound(dataset):
    manifest = dataset.manifest()
    texts = prompts(dataset, dataset.items, "midi-text", as_json=False)
    for item in dataset:
        lines = texts[item.id].splitlines()
        assert texts[item.id].endswith(item.question)
        assert "unit 10 ms" in lines[0]
        assert "5 s" in lines[0]
        tables = [read_notes(line) for line in lines if line.startswith("W1 ")]
        for key, table in zip(("clip_a", "clip_b"), tables, strict=True):
            data = manifest[item.id][key]
            clip = perform(Clip.from_dict(data["clip"]), Take.from_dict(data["take"]))
            assert [note.pitch for note in table] == [note.pitch for note in clip.lead.notes]
        told = texts[item.id].removesuffix(item.question).lower()
        assert not any(
            word in told for word in ("condition", "flip", "stay", "room", "hiss", "soundfont", "answer")
        )


def test_instruments_are_named_in_words(dataset):
    manifest = dataset.manifest()
    timbre = [row for row in manifest.values() if row["task"] == "timbre" and row["relation"] == "different"]
    named = [line for line in item_table(timbre[0]).splitlines() if line.startswith("instrument: ")]
    assert len(set(named)) == 2


def test_the_hash_is_of_ids_and_texts():
    first = prompts_sha256({"a": "x", "b": "y"})
    assert first == prompts_sha256({"b": "y", "a": "x"})
    assert len({first, prompts_sha256({"a": "y", "b": "x"}), prompts_sha256({"a": "x"})}) == 3


@pytest.mark.parametrize("condition", ["none", "midi-text"])
def test_a_run_without_sound(ask, condition):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    with serving(lambda _request: "B") as server:
        outcome = ask(server, "--condition", condition, "--limit", "3")
    assert outcome.status == 0, outcome.stderr
    assert len(server.requests) == 1 + 3
    assert all(request.wav is None for request in server.requests)
    assert (outcome.meta["condition"], outcome.meta["audio"]) == (condition, None)


@pytest.mark.parametrize("condition", ["silence", "noise", "clip-a", "clip-b", "swapped"])
def test_a_run_with_a_stand_in_for_the_recording(ask, dataset, condition):
    pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed")
    with serving(lambda _request: "A") as server:
        outcome = ask(server, "--condition", condition, "--limit", "2", "--no-preflight")
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["condition"] == condition
    sent = {(request.text, request.wav) for request in server.requests}
    expected = {(item.question, shown_recording(item, condition, PAUSE)) for item in dataset.items[:2]}
    assert sent == expected


def test_the_command_offers_all_conditions():
    assert command.CONDITIONS == CONDITIONS
    assert set(CONDITIONS) > WITHOUT_SOUND


def test_letters_about_swapped_clips_are_scored_on_the_clips_of_the_data_set(dataset):
    truth = {row["id"]: row["answer"] for row in dataset.gold().values()}
    positional = {item.id for item in dataset if set(item.choices) == {"first", "second"}}
    assert 0 < len(positional) < len(dataset)
    other = {"A": "B", "B": "A"}
    seen = {name: other[letter] if name in positional else letter for name, letter in truth.items()}
    lines = [{"id": name, "answer": letter} for name, letter in seen.items()]
    swapped = score([{"meta": {"condition": "swapped"}}, *lines], dataset.folder, resamples=100)
    assert swapped.figures["acc_fs"].value == 1
    assert swapped.figures["clean_accuracy"].value == 1
    assert score(lines, dataset.folder, resamples=100).figures["acc_fs"].value < 1
    missing = score([{"meta": {"condition": "swapped"}}, *lines[:3]], dataset.folder, resamples=100)
    assert missing.predictions.missing == len(dataset) - 3
