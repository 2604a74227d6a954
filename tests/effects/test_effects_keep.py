"""What an effect says that it keeps, measured on the audio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effect_clips import (
    MELODY,
    ONSET_SECONDS,
    PULSE_SECONDS,
    Samples,
    hertz,
    note_frequencies,
    pulse_period,
    spectrum_db,
)

from listenbench.audio import SAMPLE_RATE
from listenbench.effects import EFFECTS, AudioEffect, get_audio_effect

SEEDS = range(2)


def keepers(task: str) -> list[str]:
    return [e.name for e in EFFECTS.values() if isinstance(e, AudioEffect) and task in e.keeps]


def changed(name: str, clean: Samples, seed: int, **settings: Any) -> Samples:
    effect = get_audio_effect(name)
    parameters = effect.draw(np.random.Generator(np.random.PCG64(seed)))
    result: Samples = effect.apply(clean, SAMPLE_RATE, {**parameters, **settings})
    return result


def pitch_shifts(before: Samples, after: Samples) -> Samples:
    """Return by how many cents each note of a melody has moved: the median of its first three partials.

    One partial alone can fall on a frequency that the room cancels.
    """
    partials = [[pitch + 12 * np.log2(number) for pitch in MELODY] for number in (1, 2, 3)]
    first, second = ([note_frequencies(s, partial) for partial in partials] for s in (before, after))
    shifts: Samples = np.median(1200 * np.log2(np.divide(second, first)), axis=0)
    return shifts


@pytest.mark.parametrize("name", keepers("melody"))
def test_melody(name: str, music: dict[str, Samples]) -> None:
    # Without the violin, whose vibrato spreads each partial into several lines.
    for instrument in ("piano", "guitar", "flute"):
        for seed in SEEDS:
            after = changed(name, music[instrument], seed)
            assert np.max(np.abs(pitch_shifts(music[instrument], after))) < 10


def test_wow_does_not_keep_the_melody(music: dict[str, Samples]) -> None:
    after = changed("wow", music["flute"], 0, depth_cents=50.0, rate_hz=0.5)
    assert np.ptp(pitch_shifts(music["flute"], after)) > 20


@pytest.mark.parametrize("name", keepers("harmony"))
def test_harmony(name: str, music: dict[str, Samples]) -> None:
    # C major with a low C: the third is an E, not the E flat of C minor.
    for instrument in ("piano chord", "organ chord", "strings chord"):
        for seed in SEEDS:
            after = changed(name, music[instrument], seed)
            held = after[round((ONSET_SECONDS + 0.1) * SAMPLE_RATE) : round(1.5 * SAMPLE_RATE)]
            _, major = spectrum_db(held, hertz(64), cents=35)
            _, minor = spectrum_db(held, hertz(63), cents=35)
            assert major - minor > 12


@pytest.mark.parametrize("name", keepers("rhythm"))
def test_rhythm(name: str, music: dict[str, Samples]) -> None:
    for drum in ("hi-hat", "claves"):
        assert pulse_period(music[drum]) == pytest.approx(PULSE_SECONDS, rel=0.001)
        for seed in SEEDS:
            after = changed(name, music[drum], seed)
            assert pulse_period(after) == pytest.approx(PULSE_SECONDS, rel=0.005)


@pytest.mark.parametrize("phase", [0.0, 0.25, 0.6])
def test_wow_wavers_by_its_depth(phase: float) -> None:
    seconds = np.arange(4 * SAMPLE_RATE) / SAMPLE_RATE
    tone = (0.1 * np.sin(2 * np.pi * 1000 * seconds)).astype(np.float32)
    parameters = {"depth_cents": 30.0, "rate_hz": 0.5, "phase": phase}
    wavering = get_audio_effect("wow").apply(tone, SAMPLE_RATE, parameters)
    # One waver lasts 2 s; 50 ms are short enough to follow it.
    step = round(0.05 * SAMPLE_RATE)
    starts = range(0, tone.size - 2 * step, step)
    cents = [1200 * np.log2(spectrum_db(wavering[s : s + step], 1000)[0] / 1000) for s in starts]
    assert max(cents) == pytest.approx(30, abs=1.5)
    assert min(cents) == pytest.approx(-30, abs=1.5)
    assert np.mean(cents[:40]) == pytest.approx(0, abs=1.5)
    assert wavering[0] == pytest.approx(tone[0], abs=1e-6)
