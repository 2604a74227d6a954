"""What the labels say, measured on the recordings themselves."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
from measurements import RATE, cents_near, frequency, level_at, onset_times, spectral_distance

from listenbench.compose.rhythm import FIGURES
from listenbench.loudness import integrated_loudness
from listenbench.music import Clip, Instrument, Note, Part
from listenbench.plan import TaskPlanner
from listenbench.realise import Studio
from listenbench.render import Renderer
from listenbench.soundfonts import find
from listenbench.splits import CONDITIONS, Split, load_split
from listenbench.takes import perform

SPLITS = {name: load_split(name) for name in ("test", "train")}
SPLITS["accompanied"] = Split.model_validate({**SPLITS["test"].model_dump(), "texture": "accompanied"})
WINDOWS = {"melody": 2.5, "harmony": 2.0, "timbre": 2.5, "rhythm": 4.0}
ITEMS = {"melody": 16, "harmony": 24, "timbre": 16, "rhythm": 16}
CASES = [(split, task) for split in ("test", "train") for task in WINDOWS]
ALL_CASES = [(split, task) for split in SPLITS for task in WINDOWS]


@cache
def recorded(split, task):
    """Items with their recordings by condition: (item, {condition: (variant, clip A, silence, clip B)})."""
    names = SPLITS[split].soundfonts
    studio = Studio(SPLITS[split], {name: find(name).path for name in names})
    items = islice(TaskPlanner(SPLITS[split], 7, task, CONDITIONS), ITEMS[task])
    result = [(item, {r.variant.condition: parted(task, r) for r in studio.realise(item)}) for item in items]
    studio.close()
    return result


def parted(task, recording):
    window = round(WINDOWS[task] * RATE)
    samples = recording.samples
    assert len(samples) == 2 * window + RATE
    clip_a, silence, clip_b = samples[:window], samples[window:-window], samples[-window:]
    return recording.variant, clip_a, silence, clip_b


@cache
def renderer():
    return Renderer()


@cache
def own_tuning(soundfont, program, pitch, milliseconds):
    """Deviation in cents of the same note of the soundfont, of about the same length, played alone."""
    duration = milliseconds / 1000
    clip = Clip((Part(Instrument(program), (Note(pitch, 0.0, duration, 85),)),), 2.5, 1.0)
    samples = renderer().render(clip, find(soundfont).path)
    return cents_near(samples[round(attack(duration) * RATE) : round(duration * RATE)], pitch)


def attack(duration):
    return min(0.06, 0.3 * duration)


def sounding(performance, samples):
    """Yield (note, its samples without attack) of a clip as performed."""
    for note in perform(performance.clip, performance.take).lead.notes:
        start = note.onset + attack(note.duration)
        yield note, samples[round(start * RATE) : round((note.onset + note.duration) * RATE)].astype(float)


@pytest.mark.parametrize(("split", "task"), ALL_CASES)
def test_the_frame_of_every_recording(split, task):
    for _, recordings in recorded(split, task):
        _, first, _, _ = recordings["clean"]
        for _variant, clip_a, silence, clip_b in recordings.values():
            assert clip_a.tobytes() == first.tobytes()
            assert len(silence) == 44_100
            assert not silence.any()
            for clip in (clip_a, clip_b):
                scaled = (clip / 32_768).astype(np.float32)
                assert integrated_loudness(scaled, RATE) == pytest.approx(-23, abs=0.1)
                assert np.abs(scaled).max() < 10 ** (-1 / 20) + 1e-4
                assert abs(int(clip[-1])) <= 8
        clips_b = [clip_b.tobytes() for _, _, _, clip_b in recordings.values()]
        assert len({first.tobytes(), *clips_b}) == 1 + len(clips_b)


@pytest.mark.parametrize(("split", "task"), [c for c in CASES if c[1] == "melody"])
def test_every_melody_note_has_its_pitch(split, task):
    for item, recordings in recorded(split, task):
        performances = [(item.clip_a, recordings["clean"][1])]
        performances += [(recordings[c][0].clip_b, recordings[c][3]) for c in ("clean", "flip")]
        for performance, samples in performances:
            program = performance.clip.lead.instrument.program
            for note, segment in sounding(performance, samples):
                length = 10 * round(100 * note.duration)
                expected = own_tuning(performance.soundfont, program, note.pitch, length)
                measured = cents_near(segment, note.pitch)
                assert measured == pytest.approx(expected, abs=10), (item.name, note)
                assert abs(measured) < 30, (item.name, note)


@pytest.mark.parametrize("task", ["melody", "harmony"])
def test_transposed_clips_are_transposed_by_what_they_say(task):
    checked = 0
    for item, recordings in recorded("test", task):
        variant, _, _, samples = recordings["stay"]
        if variant.factor != "transposition":
            continue
        (change,) = variant.clip_b.changes
        clean = recordings["clean"][0].clip_b.clip
        program = clean.lead.instrument.program
        before = {n.pitch for n in clean.lead.notes}
        for note, segment in sounding(variant.clip_b, samples):
            measured = 100 * note.pitch + cents_near(segment, note.pitch + clip_tuning(variant))
            measured += variant.clip_b.clip.tuning_cents
            own = own_tuning("musescore-general", program, note.pitch, 10 * round(100 * note.duration))
            distances = [measured - own - 100 * p - change.parameters["cents"] for p in before]
            if task == "melody" or note.pitch == min(n.pitch for n in variant.clip_b.clip.lead.notes):
                assert min(map(abs, distances)) < 10, (item.name, note)
                checked += 1
    assert checked >= 4


def clip_tuning(variant):
    return variant.clip_b.clip.tuning_cents / 100


@pytest.mark.parametrize(("split", "task"), [c for c in CASES if c[1] == "harmony"])
def test_the_edited_chord_has_the_new_tone_and_lost_the_old_one(split, task):
    checked = 0
    for item, recordings in recorded(split, task):
        clean, flip = recordings["clean"], recordings["flip"]
        edits = [v.difference for v in (clean[0], flip[0]) if v.difference is not None]
        index = edits[0].note_indices[0]
        before, after = clean[0].clip_b.clip, flip[0].clip_b.clip
        old, new = before.lead.notes[index], after.lead.notes[index]
        others = [n.pitch for n in before.lead.notes if n.pitch != old.pitch]
        start, end = old.onset + 0.05, min(old.onset + old.duration, old.onset + 0.6)
        tones = [(p, q) for p in (old.pitch, new.pitch) for q in (*others, old.pitch, new.pitch) if p != q]
        if any(is_partial(p, q) or are_one_line(p, q, end - start) for p, q in tones):
            continue
        checked += 1
        segments = [c[3][round(start * RATE) : round(end * RATE)].astype(float) for c in (clean, flip)]
        old_levels = [level_at(s, old.pitch) for s in segments]
        new_levels = [level_at(s, new.pitch) for s in segments]
        assert old_levels[0] - old_levels[1] > 8, item.name
        assert new_levels[1] - new_levels[0] > 8, item.name
    assert checked >= 5


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
    offsets = FIGURES[item.material["figure"]]
    shortest = min(b - a for a, b in zip(offsets, (*offsets[1:], 2.0), strict=True)) * clip.beat
    found = onset_times(samples.astype(float) / 32_768, shortest)
    places = [2 * cycle + offset for cycle in range(20) for offset in offsets][: len(clip.lead.notes)]
    expected = [clip.lead.notes[0].onset + place * clip.beat for place in places]
    pairs = [(place, min(found, key=lambda t: abs(t - e))) for place, e in zip(places, expected, strict=True)]
    assert len(found) == pytest.approx(len(places), abs=2, rel=0.15), item.name
    slope = np.polyfit([place for place, _ in pairs], [time for _, time in pairs], 1)[0]
    return 60 / slope


@pytest.mark.parametrize(("split", "task"), [c for c in CASES if c[1] == "rhythm"])
def test_the_pulse_rate_and_its_ratio(split, task):
    for item, recordings in recorded(split, task):
        rate_a = measured_rate(item, item.clip_a, recordings["clean"][1])
        assert rate_a == pytest.approx(60 / item.clip_a.clip.beat, rel=0.01)
        for condition in ("clean", "flip"):
            variant, _, _, samples = recordings[condition]
            rate_b = measured_rate(item, variant.clip_b, samples)
            assert rate_b == pytest.approx(60 / variant.clip_b.clip.beat, rel=0.01)
            assert (rate_b > rate_a) == (variant.relation == "faster")
            assert max(rate_b / rate_a, rate_a / rate_b) == pytest.approx(item.rung, rel=0.015)


@pytest.mark.parametrize(("split", "task"), [c for c in CASES if c[1] == "timbre"])
def test_another_instrument_sounds_more_different_than_another_take(split, task):
    for item, recordings in recorded(split, task):
        distances = {}
        for condition in ("clean", "flip"):
            variant, clip_a, _, clip_b = recordings[condition]
            distances[variant.relation] = spectral_distance(clip_a.astype(float), clip_b.astype(float))
        assert distances["different"] > 1.5 * distances["same"], item.name


@pytest.mark.parametrize(("split", "task"), CASES)
def test_takes_of_one_clip_are_closer_than_a_perturbed_one(split, task):
    takes, changed = [], []
    for _, recordings in recorded(split, task):
        for condition in ("clean", "flip"):
            variant, clip_a, _, clip_b = recordings[condition]
            if variant.difference is None and task != "rhythm":
                takes.append(spectral_distance(clip_a.astype(float), clip_b.astype(float)))
        changed.append(spectral_distance(*(recordings[c][3].astype(float) for c in ("clean", "stay"))))
    if takes:
        assert np.median(takes) < 0.5 * np.median(changed)
