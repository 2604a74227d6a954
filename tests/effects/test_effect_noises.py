"""Hiss, pink noise and hum: level, spectrum, independence of the clip."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.signal import welch

from listenbench.audio import SAMPLE_RATE
from listenbench.effects import get_audio_effect

Samples = npt.NDArray[np.float32]


def added(name: str, clean: Samples, parameters: dict[str, Any]) -> npt.NDArray[np.float64]:
    """Return what an effect adds to a clip."""
    changed = get_audio_effect(name).apply(clean, SAMPLE_RATE, parameters)
    return changed.astype(np.float64) - clean


def rms_db(samples: npt.NDArray[Any]) -> float:
    return 10 * math.log10(float(np.mean(np.square(samples, dtype=np.float64))))


def octave_levels_db(noise: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean power density of the octaves from 62.5 Hz to 16 kHz."""
    frequencies, density = welch(noise, SAMPLE_RATE, nperseg=8192)
    edges = 62.5 * 2.0 ** np.arange(9)
    return np.array(
        [
            10 * math.log10(density[(frequencies >= low) & (frequencies < high)].mean())
            for low, high in pairwise(edges)
        ]
    )


@pytest.mark.parametrize("level", [-50.0, -40.0])
def test_hiss_has_its_level_on_every_clip(level: float, music: dict[str, Any]) -> None:
    for seed, clean in enumerate(music.values()):
        noise = added("hiss", clean, {"level_dbfs": level, "seed": seed})
        assert rms_db(noise) == pytest.approx(level, abs=0.1)
        # It is as loud in every tenth of a second as over the whole clip.
        for part in np.array_split(noise, 20):
            assert rms_db(part) == pytest.approx(level, abs=0.5)


def test_hiss_is_white() -> None:
    noise = added("hiss", np.zeros(20 * SAMPLE_RATE, np.float32), {"level_dbfs": -50.0, "seed": 1})
    levels = octave_levels_db(noise)
    assert np.ptp(levels) < 1
    correlation = np.correlate(noise, noise[:-100], mode="valid") / np.dot(noise, noise)
    assert np.max(np.abs(correlation[1:])) < 0.01


def test_hiss_depends_on_its_seed_alone(music: dict[str, Any]) -> None:
    first = {"level_dbfs": -50.0, "seed": 1}
    on_piano, on_flute = (added("hiss", music[name], first) for name in ("piano", "flute"))
    # Apart from the rounding of the sum to float32.
    np.testing.assert_allclose(on_piano, on_flute, atol=1e-7)
    other = added("hiss", music["piano"], {**first, "seed": 2})
    assert abs(np.corrcoef(on_piano, other)[0, 1]) < 0.02


@pytest.mark.parametrize("snr", [10.0, 30.0])
def test_pink_noise_has_its_ratio_and_slope(snr: float, music: dict[str, Any]) -> None:
    for name in ("piano", "claves"):
        noise = added("pink_noise", music[name], {"snr_db": snr, "seed": 3})
        assert rms_db(music[name]) - rms_db(noise) == pytest.approx(snr, abs=0.01)
    long = np.tile(music["organ chord"], 10)
    levels = octave_levels_db(added("pink_noise", long, {"snr_db": snr, "seed": 4}))
    np.testing.assert_allclose(np.diff(levels), -3.01, atol=0.8)


@pytest.mark.parametrize("mains", [50, 60])
def test_hum_has_its_ratio_and_its_lines(mains: int, music: dict[str, Any]) -> None:
    rng = np.random.Generator(np.random.PCG64(5))
    parameters = {**get_audio_effect("hum").draw(rng), "mains_hz": mains, "snr_db": 25.0}
    clean = music["organ chord"]
    hum = added("hum", clean, parameters)
    assert rms_db(clean) - rms_db(hum) == pytest.approx(25, abs=0.01)
    # Over one second each line falls on a bin of 1 Hz.
    power = np.abs(np.fft.rfft(hum[:SAMPLE_RATE])) ** 2
    lines = power[mains * np.arange(1, 9)]
    assert lines.sum() / power.sum() > 0.9999
    np.testing.assert_allclose(lines / lines[0], 1 / np.arange(1, 9) ** 2, rtol=0.01)


@pytest.mark.parametrize("name", ["pink_noise", "hum"])
def test_a_silent_clip_stays_silent(name: str) -> None:
    silence = np.zeros(1000, dtype=np.float32)
    parameters = get_audio_effect(name).draw(np.random.Generator(np.random.PCG64(6)))
    assert not get_audio_effect(name).apply(silence, SAMPLE_RATE, parameters).any()
