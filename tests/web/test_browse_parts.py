"""What the item browser draws is what the plan says and what the samples hold."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from listenbench.audio import SAMPLE_RATE
from listenbench.items import Item
from listenbench.plan import plan
from listenbench.splits import load_split
from listenbench.tasks import TASKS
from listenbench.web.piano_roll import HEIGHT, piano_rolls
from listenbench.web.sound_picture import (
    LOWEST_HZ,
    SPECTROGRAM_ROWS,
    WAVEFORM_ROWS,
    WIDTH,
    sound_picture,
    spectrogram,
    waveform,
)

SILENCE = 1.0


@pytest.fixture(scope="module")
def items() -> list[Item]:
    split = load_split("test").model_copy(update={"texture": ("solo", "accompanied")})
    return [*plan(split, 3, items=24, variants=["clean", "flip", "stay", "both"])]


def seconds_of(item: Item) -> float:
    return 2 * item.clip_a.clip.window + SILENCE


def test_every_note_is_drawn_where_it_sounds(items: list[Item]) -> None:
    for item in items:
        seconds = seconds_of(item)
        start_b = seconds - item.clip_a.clip.window
        for variant, roll in zip(item.variants, piano_rolls(item, seconds), strict=True):
            drawn = sorted((bar.x, bar.width) for bar in roll.bars if bar.kind != "ghost")
            played = sorted(
                (100 * (start + note.onset) / seconds, 100 * note.duration / seconds)
                for start, clip in ((0.0, item.clip_a.clip), (start_b, variant.clip_b.clip))
                for part in clip.parts
                for note in part.notes
            )
            np.testing.assert_allclose(drawn, played, atol=1e-6)
            for bar in roll.bars:
                assert 0 <= bar.x <= bar.x + bar.width <= 100 + 1e-6
                assert 0 <= bar.y < bar.y + bar.height <= HEIGHT


def test_a_semitone_is_as_high_everywhere_in_an_item(items: list[Item]) -> None:
    """The middle of a pitched bar is a linear function of its pitch, the same one in all rolls of an item."""
    for item in items:
        middles = []
        for variant, roll in zip(item.variants, piano_rolls(item, seconds_of(item)), strict=True):
            clip = variant.clip_b.clip
            if clip.lead.instrument.is_percussion:
                continue
            bars = [bar for bar in roll.bars if bar.kind == "lead"][-len(clip.lead.notes) :]
            pitches = [note.pitch + clip.tuning_cents / 100 for note in clip.lead.notes]
            middles += [(p, bar.y + bar.height / 2) for p, bar in zip(pitches, bars, strict=True)]
        if middles:
            x, y = np.array(middles).T
            slope = np.polyfit(x, y, 1)
            assert slope[0] < 0
            np.testing.assert_allclose(np.polyval(slope, x), y, atol=1e-6)


def test_only_what_is_edited_is_marked(items: list[Item]) -> None:
    for item in items:
        for variant, roll in zip(item.variants, piano_rolls(item, seconds_of(item)), strict=True):
            marked = [bar for bar in roll.bars if bar.edited]
            assert bool(marked) == (variant.difference is not None)
            assert all(bar.kind in ("lead", "ghost") for bar in marked)


def test_chord_symbols_and_words_name_the_music(items: list[Item]) -> None:
    for item in items:
        for roll in piano_rolls(item, seconds_of(item)):
            assert bool(roll.chords) == (item.task == "harmony")
            assert roll.text.startswith("Clip A: ")
            assert "Clip B: " in roll.text
    assert {item.task for item in items} == set(TASKS)


def tone(hz: float, seconds: float = 1.0) -> np.ndarray:
    return np.sin(2 * np.pi * hz * np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE).astype(np.float32)


@given(st.integers(12, SPECTROGRAM_ROWS - 2))
def test_a_tone_lies_in_the_row_of_its_semitone(semitone: int) -> None:
    levels = spectrogram(tone(LOWEST_HZ * 2 ** (semitone / 12), 0.3), 5)
    assert SPECTROGRAM_ROWS - 1 - int(levels[:, 2].argmax()) == semitone


def test_a_tone_lies_in_the_columns_of_its_time() -> None:
    samples = np.concatenate([np.zeros(SAMPLE_RATE), tone(440), np.zeros(2 * SAMPLE_RATE)]).astype(np.float32)
    sounding = spectrogram(samples, 400).max(axis=0)
    assert sounding[110:190].min() > 0.9
    assert max(sounding[:90].max(), sounding[210:].max()) == 0


def test_levels_are_in_decibels() -> None:
    """A tone 36 dB below the loudest is half as opaque where the range is 72 dB."""
    quiet = tone(1760) * np.float32(10 ** (-36 / 20))
    levels = spectrogram(np.concatenate([tone(1760), quiet]), 20)
    assert levels[:, 5].max() == pytest.approx(1)
    assert levels[:, 15].max() == pytest.approx(0.5, abs=0.01)


def test_the_waveform_reaches_from_the_lowest_to_the_highest_sample() -> None:
    samples = np.zeros(1000, np.float32)
    samples[250:500] = 0.5
    samples[500:750] = -0.25
    drawn = waveform(samples, 4) > 0
    middle, quarter = WAVEFORM_ROWS // 2, WAVEFORM_ROWS // 4
    assert [*drawn.sum(axis=0)] == [1, 1, 1, 1]
    assert [*drawn.argmax(axis=0)] == [middle, 0, middle + quarter, middle]
    whole = waveform(samples, 1) > 0
    assert whole[: middle + quarter + 1].all()
    assert not whole[middle + quarter + 1 :].any()


@pytest.mark.parametrize("length", [1, 7, WIDTH, 50_000])
def test_the_picture_is_a_transparent_png(length: int) -> None:
    samples = np.linspace(-1, 1, length, dtype=np.float32)
    with Image.open(BytesIO(sound_picture(samples))) as image:
        assert image.format == "PNG"
        assert image.size == (WIDTH, WAVEFORM_ROWS + SPECTROGRAM_ROWS)
        opacity = np.array(image.convert("RGBA"))[..., 3]
    assert opacity.max() == 255


def test_silence_is_a_line_and_nothing_else() -> None:
    with Image.open(BytesIO(sound_picture(np.zeros(SAMPLE_RATE, np.float32)))) as image:
        opacity = np.array(image.convert("RGBA"))[..., 3]
    assert (opacity > 0).sum() == WIDTH
