"""What one clip sounds like, as a vector of numbers: the material of classifiers that look for shortcuts."""

from __future__ import annotations

import numpy as np

from listenbench.audio import SAMPLE_RATE, FloatArray
from listenbench.listeners.hearing import Array, erb_bank, power_spectrogram

LEVELS = 8
"""How many of the features, the first ones, describe levels and durations alone."""

_FRAME, _HOP = 2048, 512
_BANDS = (32, 80.0, 14_000.0)
_LONG_FRAME, _LONG_HOP = 8192, 2048
_SEMITONES = (84, 110.0)
_LAGS = 40


def clip_features(clip: FloatArray) -> Array:
    """Return levels and durations, spectral envelope, pulse and pitch content of a clip.

    Returns
    -------
    ndarray of float, shape (n,)
        n is the same for every clip. The first `LEVELS` describe level and duration.
    """
    power = power_spectrogram(clip, _FRAME, _HOP, precision=np.float32)
    level = np.log((power @ erb_bank(_FRAME, *_BANDS, np.float32)).astype(np.float64) + 1e-12)
    return np.concatenate(
        [_levels(clip), level.mean(axis=0), level.std(axis=0), _pulse(level), _pitches(clip)]
    )


def _levels(clip: FloatArray) -> Array:
    """Return peak, level, crest, seconds, attack, sounding share, zeros and zero crossings."""
    magnitude = np.abs(clip.astype(np.float64))
    peak, rms = magnitude.max() + 1e-9, np.sqrt(np.mean(magnitude**2)) + 1e-9
    loud = magnitude > 0.1 * peak
    return np.array(
        [
            np.log(peak),
            np.log(rms),
            np.log(peak / rms),
            len(clip) / SAMPLE_RATE,
            np.argmax(loud) / SAMPLE_RATE,
            loud.mean(),
            (clip == 0).mean(),
            np.mean(np.diff(np.signbit(clip)) != 0),
        ]
    )


def _pulse(level: Array) -> Array:
    """Return the autocorrelation of the spectral flux at lags of 0.1 to 2.5 s."""
    flux = np.maximum(0.0, np.diff(level, axis=0)).mean(axis=1)
    flux = np.concatenate([flux - flux.mean(), np.zeros(max(0, 220 - len(flux)))])
    correlation = np.correlate(flux, flux, "full")[len(flux) - 1 :]
    lags = np.geomspace(8, 215, _LAGS)
    result: Array = np.interp(lags, np.arange(len(correlation)), correlation / (correlation[0] + 1e-9))
    return result


def _pitches(clip: FloatArray) -> Array:
    """Return the mean level at every semitone of seven octaves, less the overall mean."""
    count, lowest = _SEMITONES
    spectrogram = power_spectrogram(clip, _LONG_FRAME, _LONG_HOP, precision=np.float32)
    power = spectrogram.mean(axis=0, dtype=np.float64)
    centres = lowest * 2 ** (np.arange(count) / 12)
    level = np.log(np.interp(centres, np.fft.rfftfreq(_LONG_FRAME, 1 / SAMPLE_RATE), power) + 1e-12)
    result: Array = level - level.mean()
    return result
