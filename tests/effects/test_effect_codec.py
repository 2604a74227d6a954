"""Codecs: alignment and likeness on music, and the bitrate that was asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.signal import correlate

from listenbench.audio import SAMPLE_RATE
from listenbench.effects import get_audio_effect
from listenbench.effects.codec import CodecParameters, decode, encode
from listenbench.errors import SpecError

CODEC = get_audio_effect("codec")
PUBLISHED = [{"format": "opus", "kbps": 48}, {"format": "mp3", "kbps": 128}]
PITCHED = ["piano", "guitar", "violin", "flute", "piano chord", "organ chord", "strings chord"]


def lag(reference: npt.NDArray[Any], other: npt.NDArray[Any]) -> int:
    """Return by how many samples `other` is late."""
    products = correlate(other.astype(float), reference.astype(float), method="fft")
    return int(np.argmax(products)) - (reference.size - 1)


@pytest.mark.parametrize("parameters", PUBLISHED)
@pytest.mark.parametrize("name", PITCHED)
def test_music_comes_back_in_place(name: str, parameters: dict[str, Any], music: dict[str, Any]) -> None:
    clean = music[name]
    decoded = CODEC.apply(clean, SAMPLE_RATE, parameters)
    assert lag(clean, decoded) == 0
    assert np.corrcoef(clean, decoded)[0, 1] > 0.95
    assert not np.array_equal(clean, decoded)


@pytest.mark.parametrize("parameters", PUBLISHED)
@pytest.mark.parametrize("name", ["hi-hat", "claves"])
def test_percussion_comes_back_in_place(name: str, parameters: dict[str, Any], music: dict[str, Any]) -> None:
    clean = music[name]
    decoded = CODEC.apply(clean, SAMPLE_RATE, parameters)
    assert lag(clean, decoded) == 0
    # Opus replaces the treble of a hi-hat by noise of the same spectrum: less alike, as loud.
    assert np.corrcoef(clean, decoded)[0, 1] > (0.6 if name == "hi-hat" else 0.95)


@pytest.mark.parametrize("sample_rate", [32_000, 44_100, 48_000])
@pytest.mark.parametrize("parameters", PUBLISHED)
def test_every_sample_rate_is_aligned(
    sample_rate: int, parameters: dict[str, Any], music: dict[str, Any]
) -> None:
    clean = music["piano"]
    decoded = CODEC.apply(clean, sample_rate, parameters)
    assert lag(clean, decoded) == 0


@pytest.mark.parametrize("parameters", PUBLISHED)
@pytest.mark.parametrize("frequency", [50, 100, 250, 1000])
def test_every_frequency_is_aligned(frequency: int, parameters: dict[str, Any]) -> None:
    phases = 2 * np.pi * frequency * np.arange(2 * SAMPLE_RATE) / SAMPLE_RATE
    decoded = CODEC.apply((0.1 * np.sin(phases)).astype(np.float32), SAMPLE_RATE, parameters)
    middle = slice(SAMPLE_RATE // 2, -SAMPLE_RATE // 2)
    found = np.angle(np.dot(decoded[middle], np.exp(-1j * phases[middle]))) + np.pi / 2
    # One degree is 2.5 samples at 50 Hz and an eighth of one at 1 kHz.
    assert abs(np.degrees(found)) < 1


@pytest.mark.parametrize("kbps", [24, 48, 96])
def test_opus_has_its_bitrate(kbps: int, music: dict[str, Any]) -> None:
    # 20 s at 48 kHz, so that the pages of the Ogg container, below 3 %, are all that comes on top.
    long = np.tile(music["guitar"], 9)[: 20 * 48_000]
    data = encode(long, 48_000, CodecParameters(format="opus", kbps=kbps))
    assert data[:4] == b"OggS"
    assert 8 * len(data) / 20 / 1000 == pytest.approx(kbps, rel=0.08)


# ISO/IEC 11172-3, 2.4.2.3: the index of a bitrate in the header of a layer III frame.
@pytest.mark.parametrize(("kbps", "index"), [(64, 5), (128, 9), (192, 11), (320, 14)])
def test_mp3_has_its_bitrate(kbps: int, index: int, music: dict[str, Any]) -> None:
    data = encode(music["guitar"], SAMPLE_RATE, CodecParameters(format="mp3", kbps=kbps))
    assert data[0] == 0xFF
    assert data[1] & 0xFE == 0xFA  # MPEG-1, layer III
    assert data[2] >> 4 == index
    assert 8 * len(data) / 2.5 / 1000 == pytest.approx(kbps, rel=0.05)


def test_encoded_files_can_differ_where_what_they_decode_to_does_not(music: dict[str, Any]) -> None:
    opus = CodecParameters(format="opus", kbps=48)
    files = [encode(music["flute"], 48_000, opus) for _ in range(3)]
    # Every Ogg stream has a serial number of its own.
    assert len({decode(data).tobytes() for data in files}) == 1


def test_wrong_rates_are_refused() -> None:
    with pytest.raises(SpecError, match=r"kbps: expected one of .* for MP3, got 129"):
        CODEC.check({"format": "mp3", "kbps": 129})
    with pytest.raises(SpecError, match="kbps: expected 6 to 256 for Opus, got 320"):
        CODEC.check({"format": "opus", "kbps": 320})
    with pytest.raises(SpecError, match=r"mp3 takes \(32000, 44100, 48000\) Hz, got 22050"):
        CODEC.apply(np.zeros(100, dtype=np.float32), 22_050, {"format": "mp3", "kbps": 128})


def test_draws_take_both_codecs() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    draws = [CODEC.draw(rng) for _ in range(40)]
    assert {(draw["format"], draw["kbps"]) for draw in draws} == {("opus", 48), ("mp3", 128)}
    # With two equally likely codecs, fewer than 10 or more than 30 of 40 has a probability of 0.1 %.
    assert 10 <= sum(draw["format"] == "opus" for draw in draws) <= 30
