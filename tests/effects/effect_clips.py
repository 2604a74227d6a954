"""Music for the tests of effects, and how its pitch, chord and pulse are measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, part_of

MELODY = (60, 64, 62, 67)
CHORD = (48, 60, 64, 67)
ONSET_SECONDS = 0.1
NOTE_SECONDS = 0.55
PULSE_SECONDS = 0.3
PULSES = 12

Samples = npt.NDArray[np.floating[Any]]


def melody_clip(program: int) -> Clip:
    """Return four notes of 0.5 s each, from 0.1 s on."""
    notes = [Note(pitch, ONSET_SECONDS + NOTE_SECONDS * index, 0.5, 90) for index, pitch in enumerate(MELODY)]
    return Clip((part_of(Instrument(program), notes),), 2.5, NOTE_SECONDS)


def chord_clip(program: int) -> Clip:
    """Return one chord of 1.5 s."""
    return Clip((part_of(Instrument(program), [Note(p, ONSET_SECONDS, 1.5, 90) for p in CHORD]),), 2.0, 1.5)


def pulse_clip(drum: int) -> Clip:
    """Return a drum that is hit every `PULSE_SECONDS`, from 0.1 s on."""
    notes = [Note(drum, ONSET_SECONDS + PULSE_SECONDS * index, 0.1, 100) for index in range(PULSES)]
    return Clip((part_of(Instrument(0, PERCUSSION_BANK), notes),), 4.0, PULSE_SECONDS)


CLIPS = {
    "piano": melody_clip(0),
    "guitar": melody_clip(24),
    "violin": melody_clip(40),
    "flute": melody_clip(73),
    "piano chord": chord_clip(0),
    "organ chord": chord_clip(19),
    "strings chord": chord_clip(48),
    "hi-hat": pulse_clip(42),
    "claves": pulse_clip(75),
}


def hertz(pitch: float) -> float:
    """Return the frequency of a MIDI note number, with A4 at 440 Hz."""
    return 440 * 2 ** ((pitch - 69) / 12)


def spectrum_db(samples: Samples, frequency: float, cents: float = 60) -> tuple[float, float]:
    """Return (Hz, dB) of the strongest spectral line within some cents of a frequency."""
    size = 2**17
    power = np.abs(np.fft.rfft(samples * np.hanning(samples.size), size)) ** 2
    low, high = (round(frequency * 2 ** (c / 1200) * size / SAMPLE_RATE) for c in (-cents, cents))
    peak = low + int(np.argmax(power[low : high + 1]))
    left, middle, right = (10 * math.log10(max(power[peak + step], 1e-30)) for step in (-1, 0, 1))
    curvature = left - 2 * middle + right
    offset = 0.5 * (left - right) / curvature if curvature else 0.0
    return (peak + offset) * SAMPLE_RATE / size, middle


def note_frequencies(samples: Samples, pitches: Sequence[float]) -> list[float]:
    """Measure the spectral line near each of four pitches, during the notes of a `melody_clip`."""
    measured = []
    for index, pitch in enumerate(pitches):
        start = round((ONSET_SECONDS + NOTE_SECONDS * index + 0.12) * SAMPLE_RATE)
        note = samples[start : start + round(0.36 * SAMPLE_RATE)]
        measured.append(spectrum_db(note, hertz(pitch))[0])
    return measured


def pulse_period(samples: Samples) -> float:
    """Measure the period of a `pulse_clip` in seconds, by a line through the times of its onsets."""
    width = round(0.004 * SAMPLE_RATE)
    level = np.convolve(np.square(samples, dtype=np.float64), np.ones(width), mode="full")[: samples.size]
    rise = np.log10(level[width:] + 1e-7) - np.log10(level[:-width] + 1e-7)
    times = []
    for index in range(PULSES):
        middle = (ONSET_SECONDS + PULSE_SECONDS * index) * SAMPLE_RATE
        start = max(0, round(middle - 0.05 * SAMPLE_RATE))
        window = rise[start : round(middle + 0.05 * SAMPLE_RATE)]
        times.append((start + int(np.argmax(window))) / SAMPLE_RATE)
    slope, _ = np.polyfit(np.arange(PULSES), times, 1)
    return float(slope)
