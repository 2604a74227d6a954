"""What a model is given: recordings or stand-ins for them, one kind a run.

The stand-ins say how much of a score comes without listening: from the question alone, from one clip, or
from the mere presence of sound.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from listenbench.audio import SAMPLE_RATE, FloatArray, Samples, encoded, quantised, wav_file
from listenbench.dataset import Dataset, DatasetItem, check_inside
from listenbench.errors import DataError
from listenbench.randomness import stream
from listenbench.scoring.conditions import AUDIO, NONE, SWAPPED

MIDI_TEXT: Final = "midi-text"

CONDITIONS: Final = (AUDIO, NONE, "silence", "noise", "clip-a", "clip-b", SWAPPED, MIDI_TEXT)
"""What may be shown: the recording, nothing, zeros, white noise, one clip, both clips in the other order, or
the notes as text."""

_LONGEST_PAUSE: Final = 60

WITHOUT_SOUND: Final = frozenset({NONE, MIDI_TEXT})
"""Conditions under which no recording is attached."""


def pause_samples(dataset: Dataset) -> int:
    """Return the length of the pause between the clips of a data set, in samples.

    Raises
    ------
    DataError
        If its description doesn't state one.
    """
    seconds = dataset.description.get("split", {}).get("silence_seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST_PAUSE:
        raise DataError(f"{dataset.folder}: dataset.json states no silence_seconds: the data set is damaged")
    return round(seconds * SAMPLE_RATE)


def shown_recording(item: DatasetItem, condition: str, pause: int) -> bytes:
    """Return a recording, or what stands for it, as a WAV file: 16-bit PCM, one channel, 44.1 kHz.

    See `shown_samples`; under 'audio' these are the samples of the file, whatever its format.

    Raises
    ------
    DataError
        If the recording can't be read, or is no two clips of one length around the pause.
    """
    if condition != AUDIO:
        return encoded(shown_samples(item, condition, pause))
    check_inside(item.path.parents[1], item.path)
    return wav_file(item.path)


def shown_samples(item: DatasetItem, condition: str, pause: int) -> Samples:
    """Return the samples that stand for a recording.

    Parameters
    ----------
    item : DatasetItem
        The item whose recording is read.
    condition : str
        'silence', 'noise', 'clip-a', 'clip-b' or 'swapped'.
    pause : int
        Samples between the two clips.

    Returns
    -------
    ndarray of int16, shape (n,)
        As long as the recording, except for a single clip. White noise has the RMS of the recording; it
        depends on the item's id alone.

    Raises
    ------
    DataError
        If the recording can't be read, or is no two clips of one length around the pause.
    """
    samples = quantised_again(item.audio)
    length, odd = divmod(len(samples) - pause, 2)
    if odd or length <= 0 or samples[length : length + pause].any():
        raise DataError(f"{item.path}: not two clips of one length around {pause} zeros")
    clip_a, silence, clip_b = samples[:length], samples[length : length + pause], samples[length + pause :]
    if condition == "clip-a":
        return clip_a
    if condition == "clip-b":
        return clip_b
    if condition == SWAPPED:
        return np.concatenate([clip_b, silence, clip_a])
    return _noise(item) if condition == "noise" else np.zeros_like(samples)


def quantised_again(samples: FloatArray) -> Samples:
    """Return the 16-bit integers from which float samples were read; nothing is lost."""
    integers: Samples = np.rint(samples * np.float32(32_768)).astype(np.int16)
    return integers


def _noise(item: DatasetItem) -> Samples:
    level = float(np.sqrt(np.mean(np.square(item.audio, dtype=np.float64))))
    noise = stream(0, "noise", item.id).standard_normal(len(item.audio)) * level
    return quantised(np.clip(noise, -1.0, 1.0).astype(np.float32))
