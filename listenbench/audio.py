"""Recordings as files: 16-bit PCM WAV, one channel, 44.1 kHz, without tags."""

from __future__ import annotations

import wave
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.errors import DataError

SAMPLE_RATE: Final = 44_100
"""Samples per second of everything that listenbench renders."""

_CHANNELS: Final = 1
_BYTES_PER_SAMPLE: Final = 2
_SCALE: Final = np.float32(32_768)
_FULL_SCALE: Final = np.float32(32_767)

Samples = npt.NDArray[np.int16]
FloatArray = npt.NDArray[np.float32]


def quantised(samples: FloatArray) -> Samples:
    """Return the samples as 16-bit integers, rounded and without dither, so that zeros stay zeros."""
    rounded: Samples = np.rint(samples * _FULL_SCALE).astype(np.int16)
    return rounded


def dequantised(samples: Samples) -> FloatArray:
    """Return 16-bit integers as float32 from -1 to 1, full scale at 32,768."""
    return samples.astype(np.float32) / _SCALE


def encoded(samples: Samples) -> bytes:
    """Return a WAV file: 16-bit PCM, one channel, 44.1 kHz, a header of 44 bytes and no tags."""
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(_CHANNELS)
        file.setsampwidth(_BYTES_PER_SAMPLE)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


def read_audio(path: Path) -> FloatArray:
    """Read a recording as float32 from -1 to 1, shape (n,).

    Raises
    ------
    DataError
        If the file is missing or not 16-bit PCM with one channel at 44.1 kHz.
    """
    return dequantised(read_samples(path))


def read_samples(path: Path) -> Samples:
    """Read a recording as the 16-bit integers that it holds, shape (n,).

    Raises
    ------
    DataError
        If the file is missing or not 16-bit PCM with one channel at 44.1 kHz.
    """
    try:
        with wave.open(str(path), "rb") as file:
            layout = (file.getnchannels(), file.getsampwidth(), file.getframerate())
            frames = file.readframes(file.getnframes())
    except OSError as error:
        raise DataError(f"{path}: can't read this recording: {error.strerror}") from None
    except (wave.Error, EOFError):
        raise DataError(f"{path}: not a WAV file: the data set is damaged") from None
    if layout != (_CHANNELS, _BYTES_PER_SAMPLE, SAMPLE_RATE):
        raise DataError(f"{path}: not 16-bit PCM with one channel at {SAMPLE_RATE} Hz")
    return np.frombuffer(frames, dtype="<i2").astype(np.int16, copy=False)
