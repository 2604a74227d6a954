"""Recordings as files: 16-bit samples in WAV or FLAC, one channel, 44.1 kHz, without tags."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from listenbench.errors import DataError

if TYPE_CHECKING:
    from soundfile import SoundFile

SAMPLE_RATE: Final = 44_100
"""Samples per second of everything that listenbench renders."""

WAV: Final = "wav"
FLAC: Final = "flac"

FORMATS: Final = (WAV, FLAC)
"""How a recording may be stored; each name is the suffix of the files, too."""

MEDIA_TYPES: Final = MappingProxyType({WAV: "audio/wav", FLAC: "audio/flac"})
"""The media type of each format."""

FLAC_HEADER_BYTES: Final = 42
"""The marker 'fLaC', and one block of metadata: 4 bytes of header and the 34 of STREAMINFO (RFC 9639)."""

_CHANNELS: Final = 1
_BYTES_PER_SAMPLE: Final = 2
_SCALE: Final = np.float32(32_768)
_FULL_SCALE: Final = np.float32(32_767)
# Levels 0 to 2 of libFLAC predict by fixed polynomials, in whole numbers. Higher levels fit their predictors
# in floating point, so that their bytes could differ from one processor to the next.
_COMPRESSION: Final = 0.0
_LAST_BLOCK: Final = 0x80
_SAMPLES_A_READ: Final = 65_536

Samples = npt.NDArray[np.int16]
FloatArray = npt.NDArray[np.float32]


def quantised(samples: FloatArray) -> Samples:
    """Return the samples as 16-bit integers, rounded and without dither, so that zeros stay zeros."""
    scaled = samples * _FULL_SCALE
    rounded: Samples = np.rint(scaled, out=scaled).astype(np.int16)
    return rounded


def dequantised(samples: Samples) -> FloatArray:
    """Return 16-bit integers as float32 from -1 to 1, full scale at 32,768."""
    return samples.astype(np.float32) / _SCALE


def encoded(samples: Samples, audio_format: str = WAV) -> bytes:
    """Return a file: 16-bit samples, one channel, 44.1 kHz, no tags.

    Parameters
    ----------
    samples : ndarray of int16, shape (n,)
        The recording.
    audio_format : {"wav", "flac"}
        WAV has a header of 44 bytes, FLAC one of 42.
    """
    return _flac(samples) if audio_format == FLAC else _wav(samples)


def wav_header(samples: int) -> bytes:
    """Return the 44 bytes that precede so many samples in a WAV file."""
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(_CHANNELS)
        file.setsampwidth(_BYTES_PER_SAMPLE)
        file.setframerate(SAMPLE_RATE)
        file.setnframes(samples)
        file.writeframesraw(b"")
        # Closing the file corrects the number to that of the samples written, which is none.
        return buffer.getvalue()


def stored(samples: Samples) -> bytes:
    """Return samples as they stand in a WAV file after its header."""
    return samples.astype("<i2", copy=False).tobytes()


def from_stored(data: bytes) -> Samples:
    """Return samples that `stored` gave; the array is not to be written to."""
    return np.frombuffer(data, dtype="<i2").astype(np.int16, copy=False)


def _wav(samples: Samples) -> bytes:
    return wav_header(len(samples)) + stored(samples)


def _flac(samples: Samples) -> bytes:
    import soundfile

    buffer = BytesIO()
    with soundfile.SoundFile(
        buffer, "w", SAMPLE_RATE, _CHANNELS, "PCM_16", format="FLAC", compression_level=_COMPRESSION
    ) as file:
        file.write(samples)
    return _without_tags(buffer.getvalue())


def _without_tags(flac: bytes) -> bytes:
    """Return a FLAC file with no metadata but STREAMINFO, which comes first (RFC 9639, section 8)."""
    position, last = len(b"fLaC"), False
    while not last:
        last = bool(flac[position] & _LAST_BLOCK)
        position += 4 + int.from_bytes(flac[position + 1 : position + 4], "big")
    info = flac[len(b"fLaC") + 1 : FLAC_HEADER_BYTES]
    return b"fLaC" + bytes([_LAST_BLOCK]) + info + flac[position:]


def encoder_versions(audio_format: str) -> dict[str, str]:
    """Return the versions of what a format's bytes come from beside the samples, by name."""
    if audio_format != FLAC:
        return {}
    import soundfile

    return {"libsndfile": soundfile.__libsndfile_version__}


def read_audio(path: Path) -> FloatArray:
    """Read a recording as float32 from -1 to 1, shape (n,).

    Raises
    ------
    DataError
        If the file is missing, damaged, or not 16-bit samples with one channel at 44.1 kHz.
    """
    return dequantised(read_samples(path))


def read_samples(path: Path) -> Samples:
    """Read a recording as the 16-bit integers that it holds, shape (n,); errors are those of `read_audio`."""
    return _read_flac(path) if path.suffix == f".{FLAC}" else _read_wav(path)


def wav_file(path: Path) -> bytes:
    """Return a recording as a WAV file, whose size tells its length and nothing else.

    WAV comes as it is stored, FLAC decoded, sample by sample the same.

    Raises
    ------
    DataError
        If the file can't be read, or is FLAC that is damaged.
    """
    if path.suffix == f".{FLAC}":
        return _wav(_read_flac(path))
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: can't read this recording: {error.strerror}") from None


def _read_wav(path: Path) -> Samples:
    try:
        with wave.open(str(path), "rb") as file:
            layout = (file.getnchannels(), file.getsampwidth(), file.getframerate())
            frames = file.readframes(file.getnframes())
    except OSError as error:
        raise DataError(f"{path}: can't read this recording: {error.strerror}") from None
    except (wave.Error, EOFError, RuntimeError):  # the last one where chunks promise more than there is
        raise DataError(f"{path}: not a WAV file: the data set is damaged") from None
    if layout != (_CHANNELS, _BYTES_PER_SAMPLE, SAMPLE_RATE):
        raise DataError(f"{path}: not 16-bit PCM with one channel at {SAMPLE_RATE} Hz")
    return from_stored(frames)


def _read_flac(path: Path) -> Samples:
    import soundfile

    try:
        with path.open("rb") as raw, soundfile.SoundFile(raw) as file:
            layout = (file.format, file.subtype, file.channels, file.samplerate)
            if layout != ("FLAC", "PCM_16", _CHANNELS, SAMPLE_RATE):
                raise DataError(f"{path}: not 16-bit FLAC with one channel at {SAMPLE_RATE} Hz")
            # In pieces, since a damaged header may promise more samples than memory holds.
            pieces = list(_pieces(file))
            whole = sum(map(len, pieces)) == file.frames
    except OSError as error:
        raise DataError(f"{path}: can't read this recording: {error.strerror}") from None
    except soundfile.SoundFileError:
        whole = False
    if not whole:
        raise DataError(f"{path}: not a whole FLAC file: the data set is damaged")
    samples: Samples = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int16)
    return samples


def _pieces(file: SoundFile) -> Iterator[Samples]:
    while len(piece := file.read(_SAMPLES_A_READ, dtype="int16")):
        yield piece
