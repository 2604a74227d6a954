"""The sounds of the listening test that are no part of a data set.

The headphone check is that of Woods, Siegel, Traer and McDermott, "Headphone screening to facilitate
web-based auditory experiments", Attention, Perception, & Psychophysics 79 (2017), 2064-2072: three tones of
200 Hz, one second each, with ramps of 100 ms and pauses of 500 ms. One is 6 dB quieter. One of the other two
has opposite phase in the left and the right channel: over headphones it is as loud as the third, over
loudspeakers the channels cancel each other and it seems the quietest. The question is which tone is the
quietest; six trials, one for each order of the three kinds of tone; five right answers pass.

The tones here are made by these figures; no file of the authors is used.
"""

from __future__ import annotations

import wave
from io import BytesIO
from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE, FloatArray, encoded, quantised
from listenbench.randomness import shuffled, stream

TRIALS: Final = 6
"""Trials of one headphone check."""

RIGHT_TO_PASS: Final = 5
"""Right answers that pass."""

TONES: Final = 3
"""Tones in a trial."""

QUIET, OPPOSITE, PLAIN = "q", "o", "p"

_FREQUENCY_HZ: Final = 200.0
_TONE_SECONDS: Final = 1.0
_RAMP_SECONDS: Final = 0.1
_PAUSE_SECONDS: Final = 0.5
_AMPLITUDE: Final = 0.1
_QUIET_DB: Final = -6.0

_MELODY: Final = (60, 64, 67, 72, 71, 67, 69, 65, 67, 64, 62, 60)
_NOTE_SECONDS: Final = 0.4
_PARTIALS: Final = (1.0, 0.5, 0.25, 0.12)
_MELODY_LUFS: Final = -8.436
"""Loudness of the melody as it is added up, measured once: so that no filter library has to be loaded."""
_DECAY_PER_SECOND: Final = 4.0
_RING_SECONDS: Final = 1.2


def headphone_orders(listener: int, attempt: int, seed: int) -> list[str]:
    """Return the orders of the tones in one headphone check, such as 'qop', in the order of its trials.

    Parameters
    ----------
    listener, attempt : int
        Whose check it is, and which one.
    seed : int
        0 to 2**64 - 1.
    """
    orders = ["".join(order) for order in permutations((QUIET, OPPOSITE, PLAIN))]
    return shuffled(stream(seed, "listening test", "headphones", listener, attempt), orders)


def quietest(order: str) -> str:
    """Return the right answer to a trial: '1', '2' or '3'."""
    return str(1 + order.index(QUIET))


def tones(order: str) -> bytes:
    """Return a trial of the headphone check as a WAV file with two channels.

    Parameters
    ----------
    order : str
        Kinds of its tones, in order.
    """
    pause = np.zeros((round(_PAUSE_SECONDS * SAMPLE_RATE), 2), np.float32)
    parts = [part for kind in order for part in (_tone(kind), pause)]
    return _stereo(np.concatenate(parts[:-1]))


def _tone(kind: str) -> FloatArray:
    time = np.arange(round(_TONE_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    ramp = np.clip(np.minimum(time, _TONE_SECONDS - time) / _RAMP_SECONDS, 0, 1)
    wave_form = _AMPLITUDE * np.sin(2 * np.pi * _FREQUENCY_HZ * time) * np.sin(np.pi / 2 * ramp) ** 2
    if kind == QUIET:
        wave_form = wave_form * 10 ** (_QUIET_DB / 20)
    right = -wave_form if kind == OPPOSITE else wave_form
    return np.stack([wave_form, right], axis=1).astype(np.float32)


def _stereo(samples: FloatArray) -> bytes:
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(quantised(samples).astype("<i2").tobytes())
    return buffer.getvalue()


def volume_music(loudness_lufs: float) -> bytes:
    """Return some bars of plain music, as loud as the recordings, as a WAV file.

    Parameters
    ----------
    loudness_lufs : float
        Loudness of the recordings (ITU-R BS.1770).
    """
    length = round((len(_MELODY) * _NOTE_SECONDS + _RING_SECONDS) * SAMPLE_RATE)
    samples = np.zeros(length, np.float64)
    for place, pitch in enumerate(_MELODY):
        note = _note(pitch)
        start = round(place * _NOTE_SECONDS * SAMPLE_RATE)
        samples[start : start + len(note)] += note
    gain_db = loudness_lufs - _MELODY_LUFS
    return encoded(quantised((samples * 10 ** (gain_db / 20)).astype(np.float32)))


def _note(pitch: int) -> npt.NDArray[np.float64]:
    """Return a struck note: partials that die away, with a short attack and an end at zero."""
    time = np.arange(round(_RING_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    frequency = 440.0 * 2 ** ((pitch - 69) / 12)
    tone = sum(
        level * np.exp(-_DECAY_PER_SECOND * number * time) * np.sin(2 * np.pi * frequency * number * time)
        for number, level in enumerate(_PARTIALS, start=1)
    )
    fade = np.clip(time / 0.005, 0, 1) * np.clip((_RING_SECONDS - time) / 0.05, 0, 1)
    return np.asarray(tone * fade, np.float64)
