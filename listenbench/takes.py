"""Takes: each clip is a performance of its own, with deviations too small to hear.

Without them two clips of the same music would be the same samples, and comparing bytes would answer the
question. Deviations of onset stay below the 10 ms or so that listeners need to notice one displaced onset in
a regular sequence (Friberg and Sundberg, JASA 98, 1995), and those of velocity within two steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from listenbench.errors import SpecError
from listenbench.music import Clip, part_of

MAXIMUM_ONSET_SECONDS: Final = 0.003
"""Largest deviation of an onset."""

MAXIMUM_VELOCITY_STEPS: Final = 2
"""Largest deviation of a velocity."""

_AUDIO_DIFFERS_SECONDS: Final = 0.002
_ATTEMPTS: Final = 100


@dataclass(frozen=True, slots=True)
class Take:
    """Deviations of one performance from its clip, note by note over all parts; empty for none.

    A shorter clip takes as many as it has notes. A clip with more notes goes through them again from the
    start; no planned item has one, which `listenbench audit` checks.

    Attributes
    ----------
    onset_seconds : tuple of float
        Added to the onsets.
    velocity_steps : tuple of int
        Added to the velocities.
    """

    onset_seconds: tuple[float, ...] = ()
    velocity_steps: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the take as plain data for JSON."""
        return {
            "onset_seconds": list(self.onset_seconds),
            "velocity_steps": list(self.velocity_steps),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Take:
        """Read the plain data that `to_dict` returns.

        Raises
        ------
        SpecError
            If a deviation is larger than any take has.
        """
        if not all(abs(onset) <= MAXIMUM_ONSET_SECONDS for onset in data["onset_seconds"]):
            raise SpecError(f"take: an onset deviates by more than {MAXIMUM_ONSET_SECONDS} s")
        if not all(abs(steps) <= MAXIMUM_VELOCITY_STEPS for steps in data["velocity_steps"]):
            raise SpecError(f"take: a velocity deviates by more than {MAXIMUM_VELOCITY_STEPS} steps")
        return cls(tuple(data["onset_seconds"]), tuple(data["velocity_steps"]))


def draw_takes(generator: np.random.Generator, notes: int) -> tuple[Take, Take]:
    """Draw the takes of clip A and clip B, with so many deviations each.

    One of the first three onsets differs enough for the samples to differ, whatever the instrument makes
    of velocity.
    """
    first = _draw(generator, notes)
    for _ in range(_ATTEMPTS):
        second = _draw(generator, notes)
        distances = np.abs(np.subtract(first.onset_seconds, second.onset_seconds))
        if distances[:3].max() >= _AUDIO_DIFFERS_SECONDS:
            return first, second
    raise SpecError("takes: two takes with different onsets could not be drawn")


def perform(clip: Clip, take: Take) -> Clip:
    """Return the clip as the take plays it."""
    if not take.onset_seconds:
        return clip
    parts, position = [], 0
    for part in clip.parts:
        notes = []
        for note in part.notes:
            turn = position % len(take.onset_seconds)
            onset = max(0.0, note.onset + take.onset_seconds[turn])
            velocity = min(127, max(1, note.velocity + take.velocity_steps[turn]))
            notes.append(replace(note, onset=onset, velocity=velocity))
            position += 1
        parts.append(part_of(part.instrument, notes))
    return replace(clip, parts=tuple(parts))


def _draw(generator: np.random.Generator, notes: int) -> Take:
    onsets = (2 * generator.random(notes) - 1) * MAXIMUM_ONSET_SECONDS
    steps = generator.integers(-MAXIMUM_VELOCITY_STEPS, MAXIMUM_VELOCITY_STEPS + 1, notes)
    return Take(tuple(round(float(o), 6) for o in onsets), tuple(int(s) for s in steps))
