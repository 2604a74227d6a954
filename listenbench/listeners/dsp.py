"""The listener that hears: signal processing alone, with nothing learned from the generator's answers."""

from __future__ import annotations

from listenbench.audio import FloatArray
from listenbench.dataset import Dataset
from listenbench.listeners import harmonies, melodies, pulses, timbres
from listenbench.listeners.hearing import clips_of
from listenbench.listeners.reading import read
from listenbench.listeners.registry import Settings
from listenbench.listeners.simple import shown


def dsp(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer by listening.

    Raises
    ------
    DataError
        Naming the recording that has no pause or no sound.
    """
    answers = {}
    for item in shown(dataset, settings.progress):
        request = read(item)
        answers[item.id] = request.letter_for(changed=hears_change(request.subject, *clips_of(item)))
    return answers


def hears_change(subject: str, clip_a: FloatArray, clip_b: FloatArray) -> bool:
    """Return whether clip B differs from clip A in a subject; for rhythm, whether it is faster."""
    if subject == "melody":
        return melodies.compare_melodies(clip_a, clip_b).advantage > melodies.THRESHOLD
    if subject == "harmony":
        return harmonies.harmonic_change(clip_a, clip_b) > harmonies.THRESHOLD
    if subject == "timbre":
        return timbres.envelope_difference(clip_a, clip_b) > timbres.THRESHOLD_DB
    return pulses.rate_ratio(clip_a, clip_b) > 1
