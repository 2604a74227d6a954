"""What the labels say, measured on the recordings themselves: both splits, several seeds."""

from itertools import pairwise

import numpy as np
import pytest
from acoustics import cookbook_shelf_db, decay_seconds
from measurements import (
    RATE,
    cents_near,
    energy_envelope,
    frequency,
    gain_db_at,
    lag,
    level_at,
    onset_times,
    oversampled_peak_dbfs,
    spectral_distance,
)
from recorded_items import SEED, TASKS, cases, held_part, in_tune, played
from scipy.signal import fftconvolve

from listenbench.audio import dequantised
from listenbench.compose.figures import FIGURES
from listenbench.effects import get_audio_effect
from listenbench.loudness import integrated_loudness
from listenbench.realise import FADE_SECONDS

CHAINED = cases("rhythm", splits=("chained",), seeds=(SEED,))
EVERYTHING = cases(*TASKS) + cases(*TASKS, splits=("accompanied",), seeds=(SEED,)) + CHAINED


@pytest.mark.parametrize("recorded", EVERYTHING, indirect=True)
def test_clip_a_is_unchanged_and_the_pause_is_silent(recorded):
    for take in recorded:
        first = take.files["clean"].clip_a
        for file in take.files.values():
            np.testing.assert_array_equal(file.clip_a, first)
            assert len(file.silence) == RATE
            assert not file.silence.any()
            assert len(file.clip_b) == len(first)
        assert len({samples.tobytes() for _, samples in take.clips}) == len(take.clips)


@pytest.mark.parametrize("recorded", EVERYTHING, indirect=True)
def test_every_clip_has_its_loudness_and_a_peak_below_the_limit(recorded):
    for take in recorded:
        for _, samples in take.clips:
            scaled = (samples / 32_768).astype(np.float32)
            assert integrated_loudness(scaled, RATE) == pytest.approx(-23, abs=0.1)
            assert sure_peak_dbtp(scaled) < -1
            assert abs(int(samples[-1])) <= 8  # faded out


def sure_peak_dbtp(samples):
    """Return the true peak, or -1.99 dBTP where the filter can't lift any sample above that."""
    # The magnitudes of the filter's taps sum up to 2.24 at most.
    return oversampled_peak_dbfs(samples) if np.abs(samples).max() > 0.35 else -1.99


@pytest.mark.parametrize("recorded", cases("melody"), indirect=True)
def test_every_melody_note_has_its_pitch(recorded, recorder):
    for take in recorded:
        for performance, samples in take.clips:
            clip = played(performance)
            for note in clip.lead.notes:
                own = recorder.own_tuning(performance.soundfont, clip.lead.instrument.program, note)
                measured = cents_near(held_part(note, samples), note.pitch + clip.tuning_cents / 100)
                assert measured == pytest.approx(own, abs=10), (take.item.name, note)
                assert abs(measured) < 30, (take.item.name, note)


@pytest.mark.parametrize("recorded", cases("melody", "harmony", splits=("test",)), indirect=True)
def test_transposed_clips_are_transposed_by_what_they_say(recorded, recorder):
    checked = 0
    for take in recorded:
        parameters = take.stay("transposition")
        if parameters is None:
            continue
        clean, stay = take.files["clean"].variant.clip_b, take.files["stay"]
        moved = played(stay.variant.clip_b)
        pairs = zip(played(clean).lead.notes, moved.lead.notes, strict=True)
        steps = {100 * (after.pitch - before.pitch) + moved.tuning_cents for before, after in pairs}
        assert steps == pytest.approx([parameters["cents"]])
        # The same keys in tune: each of them has a small deviation of its own.
        reference = recorder.play(in_tune(stay.variant.clip_b), stay.variant.clip_b.soundfont)
        for note in moved.lead.notes:
            before = cents_near(held_part(note, reference), note.pitch)
            after = cents_near(held_part(note, stay.clip_b), note.pitch + moved.tuning_cents / 100)
            assert after == pytest.approx(before, abs=3), (take.item.name, note)
            checked += 1
    assert checked >= 8


@pytest.mark.parametrize("recorded", cases("harmony"), indirect=True)
def test_the_edited_chord_has_the_new_tone_and_lost_the_old_one(recorded):
    checked = 0
    for take in recorded:
        clean, flip = take.files["clean"], take.files["flip"]
        edit = clean.variant.difference or flip.variant.difference
        before, after = (file.variant.clip_b.clip.lead.notes for file in (clean, flip))
        old, new = (notes[edit.note_indices[0]] for notes in (before, after))
        start, end = old.onset + 0.05, min(old.onset + old.duration, old.onset + 0.6)
        sounds = [between(file.clip_b, start, end) for file in (clean, flip)]
        for notes, samples in zip((before, after), sounds, strict=True):
            assert are_present({n.pitch for n in notes if holds(n, start, end)}, samples), take.item.name
        others = {n.pitch for n in before if n.pitch != old.pitch and rings(n, start, end)}
        tones = [(p, q) for p in (old.pitch, new.pitch) for q in (*others, old.pitch, new.pitch) if p != q]
        if any(is_partial(p, q) or are_one_line(p, q, end - start) for p, q in tones):
            continue
        checked += 1
        assert level_at(sounds[0], old.pitch) - level_at(sounds[1], old.pitch) > 10, take.item.name
        assert level_at(sounds[1], new.pitch) - level_at(sounds[0], new.pitch) > 10, take.item.name
    assert checked >= len(recorded) / 2


def between(samples, start, end):
    return samples[round(start * RATE) : round(end * RATE)].astype(float)


def holds(note, start, end):
    """Whether a note is held all the time between two times."""
    return note.onset <= start and note.onset + note.duration >= end


def rings(note, start, end):
    """Whether a note is heard between two times; what was released less than 0.3 s before still rings."""
    return note.onset < end and note.onset + note.duration + 0.3 > start


def are_present(pitches, samples):
    """Whether each pitch has a line 10 dB above what lies 60 cents beside it, where that can be told."""
    resolved = [p for p in pitches if frequency(p + 0.6) - frequency(p) > 3 * RATE / len(samples)]
    return all(
        level_at(samples, p) > 10 + min(level_at(samples, p + side, width=10) for side in (-0.6, 0.6))
        for p in resolved
    )


def are_one_line(pitch, other, seconds):
    """Whether a spectrum of so many seconds can't tell two pitches apart: a Hann window's main lobe."""
    return abs(frequency(pitch) - frequency(other)) < 4 / seconds


def is_partial(pitch, fundamental):
    """Whether a pitch lies within a semitone of a low harmonic of another one."""
    harmonics = [fundamental + 12 * np.log2(number) for number in range(1, 7)]
    return any(abs(pitch - harmonic) < 1 for harmonic in harmonics)


def measured_rate(item, performance, samples):
    """Pulse rate by a line through the times at which the sounds start."""
    clip = performance.clip
    figure = FIGURES[item.material["figure"]]
    shortest = min(b - a for a, b in pairwise((*figure.onsets, float(figure.beats)))) * clip.beat
    found = onset_times(samples.astype(float), shortest)
    places = [figure.beats * cycle + onset for cycle in range(20) for onset in figure.onsets][
        : len(clip.lead.notes)
    ]
    assert len(found) == len(places), item.name
    slope, start = np.polyfit(places, found, 1)
    assert np.abs(found - (start + slope * np.array(places))).max() < 0.01, item.name
    return 60 / slope


@pytest.mark.parametrize("recorded", cases("rhythm"), indirect=True)
def test_the_pulse_rate_and_its_ratio(recorded):
    for take in recorded:
        rates = []
        for performance, samples in take.clips[:3]:
            rates.append(measured_rate(take.item, performance, samples))
            # Takes displace each stroke by up to 3 ms, which alone amounts to 0.2 %.
            assert rates[-1] == pytest.approx(60 / performance.clip.beat, rel=0.005), take.item.name
        for rate, condition in zip(rates[1:], ("clean", "flip"), strict=True):
            assert (rate > rates[0]) == (take.files[condition].variant.relation == "faster")
            assert max(rate / rates[0], rates[0] / rate) == pytest.approx(take.item.rung, rel=0.007)


@pytest.mark.parametrize("recorded", cases("timbre"), indirect=True)
def test_another_instrument_sounds_more_different_than_another_take(recorded):
    for take in recorded:
        distances = {
            take.files[condition].variant.relation: spectral_distance(
                take.files[condition].clip_a.astype(float), take.files[condition].clip_b.astype(float)
            )
            for condition in ("clean", "flip")
        }
        assert distances["different"] > 1.5 * distances["same"], take.item.name


@pytest.mark.parametrize("recorded", cases(*TASKS), indirect=True)
def test_takes_of_one_clip_are_closer_than_a_perturbed_one(recorded):
    takes, changed = [], []
    for take in recorded:
        for condition in ("clean", "flip"):
            file = take.files[condition]
            if file.variant.difference is None and take.item.task != "rhythm":
                takes.append(spectral_distance(file.clip_a.astype(float), file.clip_b.astype(float)))
        changed.append(spectral_distance(*(take.files[c].clip_b.astype(float) for c in ("clean", "stay"))))
    if takes:
        assert np.median(takes) < 0.5 * np.median(changed)


@pytest.mark.parametrize("recorded", cases(*TASKS, splits=("test",)), indirect=True)
def test_rooms_have_their_reverberation_time(recorded):
    room = get_audio_effect("room")
    for _, clean, stay, parameters in stays(recorded, "room"):
        click = np.zeros(2 * RATE, np.float32)
        click[0] = 1
        response = room.apply(click, RATE, parameters)
        assert decay_seconds(response) == pytest.approx(parameters["rt60_s"], rel=0.15)
        echoed = fftconvolve(clean, response)[: len(clean)]
        assert np.corrcoef(echoed, stay)[0, 1] > 0.999


@pytest.mark.parametrize("recorded", cases(*TASKS, splits=("test",)), indirect=True)
def test_the_equaliser_follows_its_formula(recorded):
    for _, clean, stay, parameters in stays(recorded, "eq"):
        off = []
        for hertz in (50, 200, 1000, 4000, 12_000):
            measured = gain_db_at(clean, stay, hertz)
            if measured is not None:
                low = cookbook_shelf_db("low", parameters["low_gain_db"], parameters["low_hz"], hertz)
                high = cookbook_shelf_db("high", parameters["high_gain_db"], parameters["high_hz"], hertz)
                off.append(measured - low - high)
        # Levelling moves all of them by the same unknown gain.
        assert len(off) >= 2
        assert np.ptp(off) < 0.3


@pytest.mark.parametrize("recorded", cases(*TASKS, splits=("test",)), indirect=True)
def test_hiss_has_its_level(recorded):
    for _, clean, stay, parameters in stays(recorded, "hiss"):
        gain = np.dot(stay, clean) / np.dot(clean, clean)
        level = 10 * np.log10(np.mean((stay / gain - clean) ** 2) / 32_768**2)
        assert level == pytest.approx(parameters["level_dbfs"], abs=0.5)


@pytest.mark.parametrize("recorded", cases(*TASKS, splits=("train",)), indirect=True)
def test_codecs_keep_the_place_of_every_sample(recorded):
    for take, clean, stay, _parameters in stays(recorded, "codec"):
        assert lag(clean, stay) == 0
        energies = [energy_envelope(samples) for samples in (clean, stay)]
        assert np.corrcoef(*energies)[0, 1] > 0.95
        assert np.corrcoef(clean, stay)[0, 1] > 0.9, take.item.name


@pytest.mark.parametrize("recorded", CHAINED, indirect=True)
def test_a_chain_is_one_effect_after_the_other(recorded):
    for take in recorded:
        clean, stay = (take.files[condition].clip_b for condition in ("clean", "stay"))
        changes = take.files["stay"].variant.clip_b.changes
        assert len(changes) == 2
        expected = dequantised(clean)
        for change in changes:
            expected = get_audio_effect(change.effect).apply(expected, RATE, change.parameters)
        before_fade = slice(-round(FADE_SECONDS * RATE))
        stay, expected = (samples[before_fade].astype(float) for samples in (stay, expected))
        gain = np.dot(stay, expected) / np.dot(expected, expected)
        # The product starts from the clip before it was rounded to 16 bits.
        assert np.abs(stay - gain * expected).max() < 8, take.item.name


def stays(recorded, effect):
    """Return (item, clean clip B, STAY clip B, parameters) of all items with this effect in the latter."""
    found = [
        (take, *(take.files[c].clip_b.astype(float) for c in ("clean", "stay")), parameters)
        for take in recorded
        if (parameters := take.stay(effect)) is not None
    ]
    assert found
    return found
