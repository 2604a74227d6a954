"""EQ and low-pass against their formulas; compressor, clipping and gain against arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from acoustics import cookbook_shelf_db

from listenbench.audio import SAMPLE_RATE
from listenbench.effects import get_audio_effect
from listenbench.errors import SpecError
from listenbench.loudness import normalised

FREQUENCIES = (50, 200, 1000, 4000, 12_000)


def response_db(effect: str, parameters: dict[str, Any], frequency: float) -> float:
    """Measure the gain of a filter at one frequency, by its response to a click."""
    click = np.zeros(SAMPLE_RATE, dtype=np.float32)
    click[SAMPLE_RATE // 2] = 0.5
    output = get_audio_effect(effect).apply(click, SAMPLE_RATE, parameters)
    tone = np.exp(-2j * np.pi * frequency * np.arange(click.size) / SAMPLE_RATE)
    return 20 * math.log10(abs(np.dot(output, tone)) / abs(np.dot(click, tone)))


@pytest.mark.parametrize("low", [-3.0, 3.0])
@pytest.mark.parametrize("high", [-3.0, 3.0])
def test_eq_follows_the_cookbook(low: float, high: float) -> None:
    parameters = {"low_gain_db": low, "high_gain_db": high, "low_hz": 200.0, "high_hz": 4000.0}
    for frequency in FREQUENCIES:
        expected = cookbook_shelf_db("low", low, 200, frequency)
        expected += cookbook_shelf_db("high", high, 4000, frequency)
        assert response_db("eq", parameters, frequency) == pytest.approx(expected, abs=0.05)


def test_the_shelves_reach_their_gains() -> None:
    # Half of the gain at the midpoint, all of it far beyond, none at the other end.
    assert cookbook_shelf_db("low", 3, 200, 200) == pytest.approx(1.5, abs=1e-6)
    parameters = {"low_gain_db": 3.0, "high_gain_db": -3.0, "low_hz": 200.0, "high_hz": 4000.0}
    assert response_db("eq", parameters, 25) == pytest.approx(3, abs=0.1)
    assert response_db("eq", parameters, 900) == pytest.approx(0, abs=0.1)
    assert response_db("eq", parameters, 18_000) == pytest.approx(-3, abs=0.1)


def test_eq_draws_every_combination_and_never_a_flat_one() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    eq = get_audio_effect("eq")
    draws = [eq.draw(rng) for _ in range(60)]
    pairs = {(draw["low_gain_db"], draw["high_gain_db"]) for draw in draws}
    assert pairs == {(-3, -3), (-3, 3), (3, -3), (3, 3)}
    with pytest.raises(SpecError, match=r"gains_db\[1\]: a shelf must change the sound.*, got 0\.0"):
        eq.options({"gains_db": [3.0, 0.0]})


def test_lowpass_falls_by_6_db_at_its_cutoff_without_delay() -> None:
    parameters = {"cutoff_hz": 3400.0}
    assert response_db("lowpass", parameters, 1000) == pytest.approx(0, abs=0.01)
    assert response_db("lowpass", parameters, 3400) == pytest.approx(-6.02, abs=0.05)
    # Two passes of a fourth-order Butterworth: 8 poles, 48 dB an octave, a little more near half the rate.
    assert -54 < response_db("lowpass", parameters, 6800) < -48
    click = np.zeros(2001, dtype=np.float32)
    click[1000] = 1
    output = get_audio_effect("lowpass").apply(click, SAMPLE_RATE, parameters)
    assert np.argmax(output) == 1000
    np.testing.assert_allclose(output, output[::-1], atol=1e-6)


def test_lowpass_needs_room_below_half_the_sample_rate() -> None:
    with pytest.raises(SpecError, match="cutoff_hz: expected less than half the sample rate of 8000"):
        get_audio_effect("lowpass").apply(np.zeros(10, dtype=np.float32), 8000, {"cutoff_hz": 4000.0})


def sine(frequency: float, level_dbfs: float, seconds: float = 2.0) -> npt.NDArray[np.float32]:
    """Return a sine whose peak is at a level."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    wave: npt.NDArray[np.float32] = (10 ** (level_dbfs / 20) * np.sin(2 * np.pi * frequency * time)).astype(
        np.float32
    )
    return wave


def held_level_dbfs(samples: npt.NDArray[np.float32]) -> float:
    """Return the peak level of the last half second."""
    return 20 * math.log10(np.max(np.abs(samples[-SAMPLE_RATE // 2 :])))


@pytest.mark.parametrize("ratio", [2.0, 4.0])
def test_compressor_s_static_curve(ratio: float) -> None:
    parameters = {"threshold_dbfs": -30.0, "ratio": ratio, "attack_ms": 0.1, "release_ms": 1000.0}
    compressor = get_audio_effect("compressor")
    for level in (-40.0, -20.0, -10.0):
        output = compressor.apply(sine(1000, level), SAMPLE_RATE, parameters)
        expected = level if level < -30 else -30 + (level + 30) / ratio
        assert held_level_dbfs(output) == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize("depth", [3.0, 6.0, 12.0])
def test_clipping_cuts_the_peak_and_nothing_below(depth: float, music: dict[str, Any]) -> None:
    clean = music["piano"]
    clipped = get_audio_effect("clipping").apply(clean, SAMPLE_RATE, {"depth_db": depth})
    limit = np.max(np.abs(clean)) * 10 ** (-depth / 20)
    assert np.max(np.abs(clipped)) == pytest.approx(limit, rel=1e-5)
    below = np.abs(clean) < 0.999 * limit
    np.testing.assert_array_equal(clipped[below], clean[below])
    assert np.count_nonzero(~below) > 10


def test_gain_is_exact(music: dict[str, Any]) -> None:
    softer = get_audio_effect("gain").apply(music["violin"], SAMPLE_RATE, {"gain_db": -6.0})
    np.testing.assert_allclose(softer, music["violin"] * 10 ** (-6 / 20), rtol=1e-6)


@pytest.mark.parametrize("name", ["room", "eq", "hiss"])
def test_the_test_split_s_effects_leave_headroom(name: str, music: dict[str, Any]) -> None:
    # `normalised` refuses a clip that would pass -1 dBFS.
    effect = get_audio_effect(name)
    rng = np.random.Generator(np.random.PCG64(12))
    for clean in music.values():
        for _ in range(2):
            changed = effect.apply(clean, SAMPLE_RATE, effect.draw(rng))
            normalised(changed, SAMPLE_RATE, -23.0)
