"""Measurements on samples, independent of how listenbench makes them."""

from itertools import pairwise

import numpy as np
from scipy.signal import correlate, find_peaks, resample_poly

RATE = 44_100


def frequency(pitch):
    return 440.0 * 2 ** ((pitch - 69) / 12)


def cents_near(samples, pitch, width=70.0, harmonics=6):
    """Return the deviation in cents of a sounding note from a MIDI pitch.

    That is the median over the first six harmonics of where the spectral line lies, by parabolic
    interpolation of the logarithm of a Hann window's transform.
    """
    window = np.hanning(len(samples) + 2)[1:-1]
    size = 2 ** int(np.ceil(np.log2(len(samples)))) * 16
    spectrum = np.abs(np.fft.rfft(samples * window, size))
    step = RATE / size
    lines = []
    for number in range(1, harmonics + 1):
        target = number * frequency(pitch)
        low, high = (round(target * 2 ** (sign * width / 1200) / step) for sign in (-1, 1))
        peak = low + int(np.argmax(spectrum[low : high + 1]))
        before, here, after = np.log(spectrum[peak - 1 : peak + 2] + 1e-12)
        curvature = before - 2 * here + after
        offset = np.clip(0.5 * (before - after) / curvature, -1, 1) if curvature < 0 else 0.0
        lines.append((1200 * np.log2((peak + offset) * step / target), spectrum[peak]))
    strongest = max(strength for _, strength in lines)
    return float(np.median([cents for cents, strength in lines if strength > 0.1 * strongest]))


def level_at(samples, pitch, width=40.0):
    """Return the level in decibels of the strongest spectral line within `width` cents of a MIDI pitch."""
    window = np.hanning(len(samples) + 2)[1:-1]
    spectrum = np.abs(np.fft.rfft(samples * window, 2 ** int(np.ceil(np.log2(len(samples)))) * 4))
    step = RATE / (2 * (len(spectrum) - 1))
    low, high = (round(frequency(pitch) * 2 ** (sign * width / 1200) / step) for sign in (-1, 1))
    return float(20 * np.log10(spectrum[low : high + 2].max() / window.sum() + 1e-12))


def onset_times(samples, shortest_interval):
    """Return the times in seconds at which the level jumps up, at least `shortest_interval` apart."""
    hop = 22
    emphasised = np.diff(samples, prepend=samples[:1])
    frames = emphasised[: len(emphasised) // hop * hop].reshape(-1, hop)
    power = (frames**2).mean(axis=1)
    level = 10 * np.log10(power + 1e-3 * power.max())
    smooth = np.convolve(level, np.hanning(11) / np.hanning(11).sum(), mode="same")
    lag = round(0.006 * RATE / hop)
    rise = np.maximum(smooth[lag:] - smooth[:-lag], 0)
    peaks, _ = find_peaks(
        rise, height=0.3 * rise.max(), distance=max(1, int(0.7 * shortest_interval * RATE / hop))
    )
    return (peaks + lag / 2) * hop / RATE


def log_spectra(samples, bands=40, frame=2048):
    """Return the mean spectrum in dB over bands spaced evenly in pitch, from 60 Hz to 12 kHz."""
    count = len(samples) // frame
    frames = samples[: count * frame].reshape(count, frame) * np.hanning(frame)
    power = (np.abs(np.fft.rfft(frames, axis=1)) ** 2).mean(axis=0)
    edges = np.geomspace(60, 12_000, bands + 1) / (RATE / frame)
    return np.array(
        [
            10 * np.log10(power[int(low) : max(int(low) + 1, int(high))].mean() + 1e-9)
            for low, high in pairwise(edges)
        ]
    )


def spectral_distance(first, second):
    """Return the root mean square difference of two mean spectra in dB."""
    return float(np.sqrt(np.mean((log_spectra(first) - log_spectra(second)) ** 2)))


def oversampled_peak_dbfs(samples):
    """Return the true peak in dBTP: of the signal at four times the rate, through a filter of 81 taps."""
    return float(20 * np.log10(np.abs(resample_poly(samples.astype(float), 4, 1)).max() + 1e-12))


def gain_db_at(before, after, hertz):
    """Return a filter's gain in dB around a frequency, between two clips of 16-bit samples.

    None where the first clip has so little there that rounding to integers counts.
    """
    size = 2 ** int(np.ceil(np.log2(2 * len(before))))
    low, high = (round(hertz * factor * size / RATE) for factor in (0.97, 1.03))
    first, second = (np.fft.rfft(samples, size)[low : high + 1] for samples in (before, after))
    power = np.abs(first) ** 2
    if power.mean() < 1e4 * len(before) / 12:
        return None
    return float(20 * np.log10(abs(np.vdot(first, second)) / power.sum()))


def lag(reference, other):
    """Return by how many samples a clip is late, at the maximum of the cross-correlation."""
    products = correlate(other.astype(float), reference.astype(float), method="fft")
    return int(np.argmax(products)) - (len(reference) - 1)


def energy_envelope(samples, milliseconds=2):
    """Return the energy in steps of some milliseconds."""
    step = round(milliseconds * RATE / 1000)
    return (samples[: len(samples) // step * step].reshape(-1, step) ** 2).sum(axis=1)
