"""Measuring one rendered note: pitch, attack, decay.

The pitch of a sampled instrument is no single number: partials of strings and bars are stretched, a chorus
of voices beats, a low fundamental can be weaker than its harmonics. What counts here is the frequency of the
fundamental's spectral line, averaged over the held part of the note; where there is hardly a fundamental, the
harmonics stand in for it. A second, independent estimate from the autocorrelation says how far to trust it.

References
----------
.. [1] Boersma, P. (1993). Accurate short-term analysis of the fundamental frequency and the
   harmonics-to-noise ratio of a sampled sound. Proc. Institute of Phonetic Sciences 17, 97-110. (The
   autocorrelation of the windowed sound divided by that of the window.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

ENVELOPE_SECONDS: Final = 0.005
"""Length of the window over which the envelope's level is averaged."""

_HARMONICS: Final = 6
_WEAK_FUNDAMENTAL_DB: Final = -20.0
_LINE_HALF_WIDTH_CENTS: Final = 40.0
_SEARCH_CENTS: Final = 150.0
_HELD_LEVEL: Final = 10 ** (-35 / 20)
_LAG_STEPS: Final = 61
_NEGLIGIBLE: Final = 1e-9

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tone:
    """What was measured on one note.

    Attributes
    ----------
    peak : float
        Largest absolute sample; full scale is 1.
    attack_seconds : float
        From the start of the samples until the envelope reaches half of its maximum.
    drop_db : float
        How far the envelope at the end lies below its maximum: near 0 for a sustained sound.
    cents : float
        Deviation from the expected pitch, at the fundamental; NaN where nothing sounds.
    periodic_cents : float
        Deviation of the period, by autocorrelation. It differs from `cents` where partials are no
        multiples of the fundamental, or where voices beat.
    clarity : float
        The autocorrelation at that period: 1 for a perfectly periodic sound, 0 for noise.
    """

    peak: float
    attack_seconds: float
    drop_db: float
    cents: float
    periodic_cents: float
    clarity: float


def measure(samples: npt.NDArray[np.floating[Any]], sample_rate: int, expected_hz: float) -> Tone:
    """Measure a note that starts at the first sample and is held to the last one.

    Parameters
    ----------
    samples : ndarray, shape (n,)
        The note, at least 0.3 s.
    sample_rate : int
        Samples per second.
    expected_hz : float
        The frequency that it should have.
    """
    signal = np.asarray(samples, dtype=np.float64)
    level = envelope(signal, sample_rate)
    top = float(level.max())
    if top == 0.0:
        return Tone(0.0, 0.0, 0.0, math.nan, math.nan, 0.0)
    onset = int(np.argmax(level >= top / 2))
    end = float(level[-round(0.15 * sample_rate) :].mean())
    held = _held_part(signal, level, onset, sample_rate)
    cents = _line_cents(held, sample_rate, expected_hz)
    periodic_cents, clarity = _period_cents(held, sample_rate, expected_hz)
    return Tone(
        peak=float(np.abs(signal).max()),
        attack_seconds=onset / sample_rate + ENVELOPE_SECONDS / 2,
        drop_db=20 * math.log10(top / max(end, 1e-6 * top)),
        cents=cents,
        periodic_cents=periodic_cents,
        clarity=clarity,
    )


def envelope(signal: Array, sample_rate: int) -> Array:
    """Return the root mean square over each window of `ENVELOPE_SECONDS`, by its first sample."""
    width = round(ENVELOPE_SECONDS * sample_rate)
    energy = np.concatenate(([0.0], np.cumsum(np.square(signal))))
    means: Array = np.sqrt(np.maximum(0.0, energy[width:] - energy[:-width]) / width)
    return means


def _held_part(signal: Array, level: Array, onset: int, sample_rate: int) -> Array:
    """Return the note from after its attack to its end, or to where it has died away by 35 dB."""
    shortest = round(0.15 * sample_rate)
    start = max(round(0.06 * sample_rate), onset + round(0.02 * sample_rate))
    audible = int(np.flatnonzero(level > _HELD_LEVEL * level.max())[-1])
    end = min(len(signal), max(audible, start + shortest))
    return signal[min(start, max(0, end - shortest)) : end]


def _line_cents(held: Array, sample_rate: int, expected_hz: float) -> float:
    """Return the deviation at the fundamental, or over the harmonics where it is 20 dB weaker than one."""
    size = 1 << 17
    power = np.square(np.abs(np.fft.rfft(held * np.hanning(len(held)), size)))
    lobe = 2.0 * sample_rate / len(held)
    last = max(1, min(_HARMONICS, int(0.45 * sample_rate / expected_hz)))
    lines = [
        _line(power, sample_rate / size, number * expected_hz, expected_hz, lobe)
        for number in range(1, last + 1)
    ]
    cents = np.array([line[0] for line in lines])
    energy = np.array([line[1] for line in lines])
    if energy[0] >= energy.max() * 10 ** (_WEAK_FUNDAMENTAL_DB / 10):
        return float(cents[0])
    order = np.argsort(cents)
    shares = np.cumsum(np.sqrt(energy)[order])
    return float(cents[order][np.searchsorted(shares, shares[-1] / 2)])


def _line(
    power: Array, bin_hz: float, centre_hz: float, spacing_hz: float, lobe_hz: float
) -> tuple[float, float]:
    """Return a spectral line's deviation from `centre_hz` in cents, and its energy.

    The line is the strongest one nearby. Its place is the centroid of a window as wide as the main lobe or
    40 cents to either side, moved until it rests: with vibrato, that is the mean frequency.
    """
    reach = min(_SEARCH_CENTS, 1200 * math.log2((centre_hz + spacing_hz / 2.2) / centre_hz))
    low = max(1, math.floor(centre_hz * 2 ** (-reach / 1200) / bin_hz))
    high = min(len(power), math.ceil(centre_hz * 2 ** (reach / 1200) / bin_hz) + 1)
    place = (low + int(np.argmax(power[low:high]))) * bin_hz
    for _ in range(8):
        half = max(place * (2 ** (_LINE_HALF_WIDTH_CENTS / 1200) - 1), lobe_hz)
        first = max(1, int((place - half) / bin_hz))
        bins = np.arange(first, min(len(power), int((place + half) / bin_hz) + 2))
        weights = power[bins]
        total = float(weights.sum())
        if total == 0.0:
            return 0.0, 0.0
        place = float((bins * weights).sum()) / total * bin_hz
    return 1200 * math.log2(place / centre_hz), float(power[low:high].sum())


def _period_cents(held: Array, sample_rate: int, expected_hz: float) -> tuple[float, float]:
    """Return the deviation of the period within 75 cents, and the autocorrelation there.

    The autocorrelation is computed from the power spectrum at lags around the expected period, so that it
    is not bound to whole samples, and weighs the lowest harmonics most.
    """
    window = np.hanning(len(held))
    size = 2 ** math.ceil(math.log2(2 * len(held)))
    power = np.square(np.abs(np.fft.rfft(held * window, size)))
    frequencies = np.fft.rfftfreq(size, 1 / sample_rate)
    used = (frequencies > 0.3 * expected_hz) & (frequencies < 10 * expected_hz)
    power, frequencies = power[used], frequencies[used]
    power = power / (1 + (frequencies / (_HARMONICS * expected_hz)) ** 4)
    heard = power > _NEGLIGIBLE * power.max()
    power, frequencies = power[heard], frequencies[heard]
    cents = np.linspace(-75.0, 75.0, _LAG_STEPS)
    lags = 2 ** (-cents / 1200) / expected_hz
    similarity = np.cos(2 * np.pi * np.outer(lags, frequencies)) @ power / power.sum()
    similarity /= _window_autocorrelation(window, lags * sample_rate)
    best = int(np.argmax(similarity[1:-1])) + 1
    before, here, after = similarity[best - 1 : best + 2]
    bend = before - 2 * here + after
    shift = 0.0 if bend >= 0 else 0.5 * (before - after) / bend
    return float(cents[best] + shift * (cents[1] - cents[0])), float(here)


def _window_autocorrelation(window: Array, lags: Array) -> Array:
    """Return the window's own autocorrelation at lags in samples, relative to lag 0."""
    size = 2 ** math.ceil(math.log2(2 * len(window)))
    whole = np.fft.irfft(np.square(np.abs(np.fft.rfft(window, size))), size)
    values: Array = np.interp(lags, np.arange(size // 2), whole[: size // 2]) / whole[0]
    return values
