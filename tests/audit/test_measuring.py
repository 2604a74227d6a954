"""Measuring: what is kept from one recording to the next, and what is left out, alters no figure."""

import dataclasses

import numpy as np

from listenbench.audit.sound import Identity, identify, identify_all, measure, measure_all


def as_data(sound):
    names = [field.name for field in dataclasses.fields(sound) if field.name != "fingerprint"]
    return {name: getattr(sound, name) for name in names}


def assert_same(first, second):
    for field in ("signs", "rises"):
        np.testing.assert_array_equal(getattr(first.fingerprint, field), getattr(second.fingerprint, field))
    np.testing.assert_equal(as_data(first), as_data(second))


def test_recordings_measured_together_are_measured_as_each_alone(evidence, sounds):
    for record in evidence.records:
        assert_same(sounds[record.id], measure(record.item.path, evidence.split.silence_seconds))


def test_what_identifies_a_recording_is_as_measured(evidence, sounds):
    paths = {record.id: record.item.path for record in evidence.records}
    found, problems = identify_all(paths, evidence.split.silence_seconds, 1, progress=False)
    assert not problems
    assert list(found) == list(paths)
    names = [field.name for field in dataclasses.fields(Identity)]
    for identifier, sound in sounds.items():
        assert_same(found[identifier], Identity(**{name: getattr(sound, name) for name in names}))


def test_processes_change_nothing(evidence, sounds):
    records = evidence.records[:3]
    paths = {record.id: record.item.path for record in records}
    found, _ = measure_all(paths, evidence.split.silence_seconds, 2, progress=False)
    for identifier, sound in found.items():
        assert_same(sound, sounds[identifier])


def test_clip_b_decides_nothing_about_the_fingerprint(evidence):
    clean = next(r for r in evidence.records if r.condition == "clean")
    flip = next(r for r in evidence.records if r.condition == "flip" and r.name == clean.name)
    first, second = (identify(r.item.path, evidence.split.silence_seconds) for r in (clean, flip))
    assert first.sha256 != second.sha256
    assert first.sha256_a == second.sha256_a
    np.testing.assert_array_equal(first.fingerprint.signs, second.fingerprint.signs)
