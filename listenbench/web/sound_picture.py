"""A recording as a picture: its waveform above its spectrogram, on one time axis.

The spectrogram has a row for every semitone of eight octaves from A1 (55 Hz), so that an octave is as high
anywhere in it. The picture has one colour whose opacity is the level, so that a page can show it on light
and, inverted, on dark ground.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE, FloatArray

WIDTH: Final = 720
"""Columns of the picture."""

WAVEFORM_ROWS: Final = 45
"""Rows of the waveform, an odd number: the middle one is the zero line."""

LOWEST_HZ: Final = 55.0
"""Centre of the spectrogram's lowest row: A1."""

SPECTROGRAM_ROWS: Final = 97
"""Rows of the spectrogram: eight octaves of semitones, and the upper end (A9, 14,080 Hz)."""

RANGE_DB: Final = 72.0
"""Levels this far below the loudest one of a recording, and further, are not drawn."""

_FRAME: Final = 4096
_LEVELS: Final = 32
_INK: Final = (16, 52, 110)


def sound_picture(samples: FloatArray) -> bytes:
    """Return the picture of a recording as a PNG file.

    Parameters
    ----------
    samples : array of float32, shape (n,)
        From -1 to 1, at 44.1 kHz, n at least 1.

    Returns
    -------
    bytes
        A PNG of `WIDTH` times `WAVEFORM_ROWS + SPECTROGRAM_ROWS` pixels, with transparency.
    """
    from PIL import Image

    levels = np.vstack([waveform(samples, WIDTH), spectrogram(samples, WIDTH)])
    image = Image.fromarray(np.rint(levels * (_LEVELS - 1)).astype(np.uint8), mode="P")
    image.putpalette(_INK * _LEVELS)
    opacities = bytes(round(255 * level / (_LEVELS - 1)) for level in range(_LEVELS))
    buffer = BytesIO()
    image.save(buffer, "PNG", transparency=opacities)
    return buffer.getvalue()


def waveform(samples: FloatArray, columns: int) -> npt.NDArray[np.float64]:
    """Return the waveform as a picture, scaled to its peak.

    Parameters
    ----------
    samples : array of float32, shape (n,)
        From -1 to 1.
    columns : int
        How many columns the n samples are divided into.

    Returns
    -------
    array of float64, shape (`WAVEFORM_ROWS`, columns)
        1 between the lowest and the highest sample of a column, 0 elsewhere. The zero line is always drawn.
    """
    starts = np.minimum(np.arange(columns) * len(samples) // columns, len(samples) - 1)
    scale = (WAVEFORM_ROWS // 2) / max(float(np.abs(samples).max()), 1e-9)
    highest = np.maximum.reduceat(samples, starts) * scale
    lowest = np.minimum.reduceat(samples, starts) * scale
    heights = WAVEFORM_ROWS // 2 - np.arange(WAVEFORM_ROWS)[:, np.newaxis]
    drawn: npt.NDArray[np.float64] = ((heights <= highest + 0.5) & (heights >= lowest - 0.5)).astype(float)
    return drawn


def spectrogram(samples: FloatArray, columns: int) -> npt.NDArray[np.float64]:
    """Return the spectrogram as a picture, high notes on top.

    Hann windows of 4096 samples (93 ms), one a column, centred there; the power of the bins around each
    semitone, in dB.

    Parameters
    ----------
    samples : array of float32, shape (n,)
        At 44.1 kHz.
    columns : int
        Spectra, evenly spaced over the n samples.

    Returns
    -------
    array of float64, shape (`SPECTROGRAM_ROWS`, columns)
        1 for the loudest level, 0 for everything that is `RANGE_DB` or more below it.
    """
    from scipy.fft import rfft

    padded = np.pad(samples, _FRAME // 2)
    centres = ((np.arange(columns) + 0.5) * len(samples) / columns).astype(int)
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[centres]
    power = np.abs(rfft(frames * np.hanning(_FRAME).astype(np.float32), axis=1)) ** 2
    rows = _semitone_bands() @ power.T
    loudest = max(float(rows.max()), 1e-12)
    level_db = 10 * np.log10(np.maximum(rows / loudest, 1e-12))
    scaled: npt.NDArray[np.float64] = np.clip(1 + level_db / RANGE_DB, 0, 1)
    return scaled[::-1]


@cache
def _semitone_bands() -> FloatArray:
    """Return the weight of each bin in each row, from the lowest row up; a row's weights add up to 1."""
    bins_hz = np.fft.rfftfreq(_FRAME, 1 / SAMPLE_RATE)
    centres_hz = LOWEST_HZ * 2 ** (np.arange(SPECTROGRAM_ROWS) / 12)
    widths_hz = np.maximum(centres_hz * (2 ** (1 / 12) - 1), bins_hz[1])
    weights = np.maximum(0, 1 - np.abs(bins_hz - centres_hz[:, np.newaxis]) / widths_hz[:, np.newaxis])
    bands: FloatArray = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return bands
