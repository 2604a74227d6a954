"""Codec: encoded and decoded again, as music on the web is; in memory, by libsndfile.

libsndfile takes a compression level from 0 to 1 in place of a bitrate. For Opus the rate of one channel falls
from 256 to 6 kbit/s, for MP3 of constant rate at 32 to 48 kHz (MPEG-1 layer III) from 320 to 32 kbit/s, both
linearly. It removes the delay of encoder and decoder itself: the pre-skip of RFC 7845 for Opus, the
encoder's tag for MP3. What Opus shifts beyond that, by a few samples, is put back here.
"""

from __future__ import annotations

import io
import math
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings, one_of
from listenbench.effects.filters import rounded
from listenbench.errors import SpecError

OPUS_SAMPLE_RATE: Final = 48_000
"""The rate at which Opus works (RFC 6716)."""

MP3_SAMPLE_RATES: Final = (32_000, 44_100, 48_000)
"""The rates of MPEG-1 layer III (ISO/IEC 11172-3)."""

_OPUS_DC_REJECT: Final = 6.3 * 3 / OPUS_SAMPLE_RATE
"""Coefficient of the high-pass at 3 Hz that libopus puts before its encoder (`dc_reject`, opus_encoder.c)."""

_ZERO_CROSSINGS: Final = 10
_KAISER_BETA: Final = 5.0
_COEFFICIENT_BITS: Final = 30

_LARGEST_LAG: Final = 8
"""Samples; where Opus takes music for speech, its lower band comes up to 2 samples early."""

Format: TypeAlias = Literal["opus", "mp3"]
OpusRate = Annotated[int, Field(ge=6, le=256)]
Mp3Rate: TypeAlias = Literal[40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]


class CodecOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    formats : tuple of 'opus' or 'mp3'
        Codecs, one of which is taken.
    opus_kbps, mp3_kbps : int
        Bitrates in kbit/s.
    """

    formats: Annotated[tuple[Format, ...], Field(min_length=1)] = ("opus", "mp3")
    opus_kbps: OpusRate = 48
    mp3_kbps: Mp3Rate = 128


class CodecParameters(Settings):
    """What was drawn: the codec and its bitrate in kbit/s."""

    format: Format
    kbps: Annotated[int, Field(ge=6, le=320)]

    @model_validator(mode="after")
    def _known_rate(self) -> CodecParameters:
        if self.format == "opus" and self.kbps > 256:
            raise ValueError(f"kbps: expected 6 to 256 for Opus, got {self.kbps}")
        if self.format == "mp3" and self.kbps not in get_args(Mp3Rate):
            raise ValueError(f"kbps: expected one of {get_args(Mp3Rate)} for MP3, got {self.kbps}")
        return self


class Codec(AudioEffect[CodecOptions, CodecParameters]):
    """Encodes and decodes; what comes out is aligned to the sample."""

    name = "codec"
    title = "lossy coding"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = CodecOptions
    Parameters: ClassVar[type[Settings]] = CodecParameters

    def _draw(self, rng: np.random.Generator, options: CodecOptions) -> CodecParameters:
        chosen = one_of(rng, options.formats)
        kbps = options.opus_kbps if chosen == "opus" else options.mp3_kbps
        return CodecParameters(format=chosen, kbps=kbps)

    def _apply(self, samples: FloatArray, sample_rate: int, parameters: CodecParameters) -> FloatArray:
        if parameters.format == "mp3":
            return _fitted(decode(encode(samples, sample_rate, parameters)), samples.size)
        resampled = _resampled(samples, sample_rate, OPUS_SAMPLE_RATE)
        decoded = _without_phase_lead(decode(encode(resampled, OPUS_SAMPLE_RATE, parameters)))
        fitted = _fitted(_resampled(decoded, OPUS_SAMPLE_RATE, sample_rate), samples.size)
        return _shifted(fitted, _lag(samples, fitted))


def encode(samples: FloatArray, sample_rate: int, parameters: CodecParameters) -> bytes:
    """Return an Ogg Opus or an MP3 file.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel.
    sample_rate : int
        `OPUS_SAMPLE_RATE` for Opus, one of `MP3_SAMPLE_RATES` for MP3.
    parameters : CodecParameters
        Codec and bitrate.

    Raises
    ------
    SpecError
        If the codec doesn't take the sample rate.
    """
    import soundfile

    rates = (OPUS_SAMPLE_RATE,) if parameters.format == "opus" else MP3_SAMPLE_RATES
    if sample_rate not in rates:
        raise SpecError(f"effect codec: {parameters.format} takes {rates} Hz, got {sample_rate}")
    memory = io.BytesIO()
    soundfile.write(memory, samples, sample_rate, **_settings(parameters))
    return memory.getvalue()


def decode(data: bytes) -> FloatArray:
    """Return the samples of an Ogg Opus or MP3 file."""
    import soundfile

    decoded: FloatArray = soundfile.read(io.BytesIO(data), dtype="float32")[0]
    return decoded


def _settings(parameters: CodecParameters) -> dict[str, Any]:
    """Return soundfile's arguments."""
    if parameters.format == "opus":
        level = (256 - parameters.kbps) / (256 - 6)
        return {"format": "OGG", "subtype": "OPUS", "compression_level": level}
    level = (320 - parameters.kbps) / (320 - 32)
    mode = {"compression_level": level, "bitrate_mode": "CONSTANT"}
    return {"format": "MP3", "subtype": "MPEG_LAYER_III", **mode}


def _resampled(samples: FloatArray, sample_rate: int, target: int) -> FloatArray:
    """Convert the sample rate with a linear-phase filter, which keeps the time of sample 0."""
    from scipy.signal import resample_poly

    if sample_rate == target:
        return samples
    divisor = math.gcd(sample_rate, target)
    up, down = target // divisor, sample_rate // divisor
    converted = resample_poly(samples.astype(np.float64), up, down, window=_anti_aliasing(max(up, down)))
    return np.asarray(converted, dtype=np.float32)


@cache
def _anti_aliasing(factor: int) -> npt.NDArray[np.float64]:
    """Return the low-pass that `resample_poly` makes by default, rounded: a codec may magnify differences."""
    from scipy.signal import firwin

    taps = firwin(2 * _ZERO_CROSSINGS * factor + 1, 1 / factor, window=("kaiser", _KAISER_BETA))
    return rounded(taps, _COEFFICIENT_BITS)


def _without_phase_lead(samples: FloatArray) -> FloatArray:
    """Undo the phase of libopus's high-pass, by the same filter run backwards in time.

    Left alone it advances a tone of 60 Hz by 6 samples and one of 130 Hz by 1.
    """
    from scipy.signal import lfilter

    numerator, denominator = (1.0, -1.0), (1.0, _OPUS_DC_REJECT - 1)
    backwards = lfilter(numerator, denominator, samples[::-1].astype(np.float64))
    return np.asarray(backwards[::-1], dtype=np.float32)


def _fitted(samples: FloatArray, count: int) -> FloatArray:
    """Cut or pad with silence to a number of samples."""
    return np.pad(samples[:count], (0, max(0, count - samples.size)))


def _lag(reference: FloatArray, late: FloatArray) -> int:
    """Return by how many samples one signal is late, at the maximum of their cross-correlation."""

    def likeness(lag: int) -> float:
        return float(np.sum(reference * _shifted(late, lag), dtype=np.float64))

    # The smallest shift comes first, so that it wins where all are alike, as in silence.
    return max(sorted(range(-_LARGEST_LAG, _LARGEST_LAG + 1), key=abs), key=likeness)


def _shifted(samples: FloatArray, lag: int) -> FloatArray:
    """Move samples to an earlier time by `lag`, and fill up with silence."""
    moved = np.zeros_like(samples)
    if abs(lag) < samples.size:
        moved[max(0, -lag) : samples.size - max(0, lag)] = samples[max(0, lag) : samples.size + min(0, lag)]
    return moved
