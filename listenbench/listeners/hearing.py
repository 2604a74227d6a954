"""What all listening starts with: the two clips, where sound begins, and spectra."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE, FloatArray, dequantised
from listenbench.dataset import DatasetItem
from listenbench.errors import DataError

Array = npt.NDArray[np.floating[Any]]

Precision = type[np.float64] | type[np.float32]

CENTS_A_BIN = 20
"""Width of a bin of `log_spectrogram`."""

BINS_AN_OCTAVE = 1200 // CENTS_A_BIN

_ENVELOPE_SECONDS = 0.005
_ONSET_SHARE = 0.1


def two_clips(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Cut a recording at its pause: the run of zeros around its middle, both clips being equally long.

    Zeros at the end of the first clip and the start of the second one go with the pause.

    Raises
    ------
    DataError
        If there is no pause in the middle, or no sound on one side of it.
    """
    middle = len(samples) // 2
    sounding = np.flatnonzero(samples)
    after = int(np.searchsorted(sounding, middle))
    if after in (0, len(sounding)) or sounding[after] == middle:
        raise DataError("a recording has no pause in its middle, or no sound on one side of it")
    return samples[: sounding[after - 1] + 1], samples[sounding[after] :]


def clips_of(item: DatasetItem) -> tuple[FloatArray, FloatArray]:
    """Return the two clips of an item.

    The recording is read anew and not kept, as `item.audio` would keep it: a data set is larger than memory.

    Raises
    ------
    DataError
        Naming the recording that can't be read or cut.
    """
    samples = dequantised(item.samples())
    try:
        return two_clips(samples)
    except DataError as error:
        raise DataError(f"{item.path}: {error}") from None


def first_onset(clip: FloatArray) -> int:
    """Return the sample shortly before the level first reaches a tenth (-20 dB) of its maximum."""
    width = round(_ENVELOPE_SECONDS * SAMPLE_RATE)
    power = np.convolve(np.square(clip, dtype=np.float64), np.ones(width) / width, "same")
    level = np.sqrt(np.maximum(power, 0.0))
    return max(0, int(np.argmax(level > _ONSET_SHARE * level.max())) - width)


def frames(clip: Array, length: int, hop: int, precision: Precision = np.float64) -> Array:
    """Return overlapping frames, shape (count, length), the first of which is centred on the start."""
    padded = np.zeros(length // 2 + len(clip) + length, precision)
    padded[length // 2 : length // 2 + len(clip)] = clip
    view = np.lib.stride_tricks.sliding_window_view(padded, length)
    result: Array = view[::hop][: len(clip) // hop + 1]
    return result


def power_spectrogram(
    clip: Array, length: int, hop: int, padding: int = 1, precision: Precision = np.float64
) -> Array:
    """Return the power of Hann-windowed frames, shape (frames, length * padding // 2 + 1).

    A sine of amplitude 1 has a power of 1 at its frequency. Single precision takes a third of the time, and
    its amplitudes err by some 130 dB below the loudest: less than rounding to 16 bits does.
    """
    from scipy.fft import rfft

    window: Array = np.hanning(length).astype(precision)
    spectrum = rfft(frames(clip, length, hop, precision) * window, length * padding, axis=1)
    power: Array = np.abs(spectrum) ** 2 / precision((window.sum(dtype=np.float64) / 2) ** 2)
    return power


def log_spectrogram(clip: Array, length: int, hop: int, lowest_hz: float, highest_hz: float) -> Array:
    """Return the power on a logarithmic frequency axis, `CENTS_A_BIN` a bin, shape (frames, bins)."""
    size = 2 * length
    power = np.log(power_spectrogram(clip, length, hop, padding=2) + 1e-12)
    bins = int(np.log2(highest_hz / lowest_hz) * BINS_AN_OCTAVE) + 1
    places = lowest_hz * 2 ** (np.arange(bins) / BINS_AN_OCTAVE) * size / SAMPLE_RATE
    below = places.astype(int)
    share = places - below
    result: Array = np.exp((1 - share) * power[:, below] + share * power[:, below + 1])
    return result


def decibels(power: Array, floor: float = 1e-11) -> Array:
    """Return a power in decibels."""
    result: Array = 10 * np.log10(power + floor)
    return result


def lines_of(power: Array, half_width: int, range_db: float = 60.0) -> Array:
    """Return by how many decibels each bin stands above its neighbourhood, 0 where it doesn't.

    Spectral lines are left and the spectral envelope is removed. Bins more than `range_db` below the
    maximum count as silent.
    """
    from scipy.ndimage import uniform_filter1d

    level = decibels(np.maximum(power, power.max() * 10 ** (-range_db / 10)))
    result: Array = np.maximum(0.0, level - uniform_filter1d(level, 2 * half_width + 1, axis=1))
    return result


def correlation_over_shifts(first: Array, second: Array, largest: int) -> Array:
    """Return for each frame the correlation of two spectra at shifts of -largest to largest bins.

    Returns
    -------
    ndarray of float, shape (frames, 2 * largest + 1)
        Not normalised; a positive shift means that `second` lies higher.
    """
    size = 2 * first.shape[1]
    spectrum = np.conj(np.fft.rfft(first, size, axis=1)) * np.fft.rfft(second, size, axis=1)
    full = np.fft.irfft(spectrum, size, axis=1)
    result: Array = np.concatenate([full[:, -largest:], full[:, : largest + 1]], axis=1)
    return result


@cache
def erb_bank(
    size: int, bands: int, lowest_hz: float, highest_hz: float, precision: Precision = np.float64
) -> Array:
    """Return triangular bands, evenly spaced on the ERB-rate scale, shape (size // 2 + 1, bands).

    The scale is that of Glasberg and Moore, Hearing Research 47 (1990): 21.4 log10(1 + 0.00437 f).
    """
    rate = 21.4 * np.log10(1 + 0.00437 * np.fft.rfftfreq(size, 1 / SAMPLE_RATE))
    low, high = (21.4 * np.log10(1 + 0.00437 * f) for f in (lowest_hz, highest_hz))
    centres = np.linspace(low, high, bands)
    width = centres[1] - centres[0]
    result: Array = np.maximum(0.0, 1 - np.abs(rate[:, None] - centres) / width).astype(precision)
    return result
