"""Items of several splits, recorded in memory, and the single notes to which theirs are compared."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
import pytest
from measurements import RATE, cents_near

from listenbench.items import Item, Performance, Variant
from listenbench.music import Clip, Instrument, Note, Part
from listenbench.plan import TaskPlanner
from listenbench.realise import Studio
from listenbench.render import Renderer
from listenbench.soundfonts import find
from listenbench.splits import CONDITIONS, Split, load_split
from listenbench.takes import perform

SPLITS = {name: load_split(name) for name in ("test", "train")}
SPLITS["accompanied"] = Split.model_validate({**SPLITS["test"].model_dump(), "texture": "accompanied"})
SPLITS["chained"] = Split.model_validate(
    {
        **SPLITS["test"].model_dump(),
        "tasks": {
            "rhythm": {**SPLITS["test"].tasks["rhythm"].model_dump(), "stay": ["room+hiss", "eq+hiss"]}
        },
    }
)
TASKS = ("melody", "harmony", "timbre", "rhythm")
SEED = 7
MORE_SEEDS = (8, 9)
ITEMS = {"melody": 8, "harmony": 12, "timbre": 8, "rhythm": 9}


def cases(*tasks, splits=("test", "train"), seeds=(SEED, *MORE_SEEDS)):
    """Return (split, task, seed) for tests that take the fixture `recorded`; seeds but the first are slow."""
    return [
        pytest.param(
            (split, task, seed),
            marks=() if seed == SEED else pytest.mark.slow,
            id=f"{split}-{task}-{seed}",
        )
        for split in splits
        for task in tasks
        for seed in seeds
    ]


@dataclass(frozen=True)
class Recorded:
    """One file, taken apart: 16-bit samples."""

    variant: Variant
    clip_a: np.ndarray
    silence: np.ndarray
    clip_b: np.ndarray


@dataclass(frozen=True)
class RecordedItem:
    """An item with its files by condition."""

    item: Item
    files: dict[str, Recorded]

    @cached_property
    def clips(self) -> list[tuple[Performance, np.ndarray]]:
        """What sounds in clip A and in every clip B, as 16-bit samples."""
        first = (self.item.clip_a, self.files["clean"].clip_a)
        return [first, *((file.variant.clip_b, file.clip_b) for file in self.files.values())]

    def stay(self, effect: str) -> dict | None:
        """Return the parameters of the effect, if it alone makes the STAY variant."""
        changes = self.files["stay"].variant.clip_b.changes
        return dict(changes[0].parameters) if [c.effect for c in changes] == [effect] else None


class Recorder:
    """Records items as the generator does, and plays single notes."""

    def __init__(self):
        self._renderer = Renderer()
        self._tunings = {}

    def close(self):
        self._renderer.close()

    def items(self, split, task, seed):
        """Return the first items of a split's task for a seed."""
        count = ITEMS[task] if split in ("test", "train") else 4
        names = SPLITS[split].soundfonts
        studio = Studio(SPLITS[split], {name: find(name).path for name in names})
        items = islice(TaskPlanner(SPLITS[split], seed, task, CONDITIONS), count)
        result = [RecordedItem(item, dict(map(_taken_apart, studio.realise(item)))) for item in items]
        studio.close()
        return result

    def play(self, clip, soundfont):
        """Return a clip as the soundfont plays it, before levelling and effects."""
        return self._renderer.render(clip, find(soundfont).path).astype(float)

    def own_tuning(self, soundfont, program, note):
        """Return by how many cents a note deviates when the soundfont plays it alone.

        Its length matters: brass slides into its notes, plucked strings are sharp at first. It is the same to
        10 ms. The velocity isn't the same: it changes no samples of a preset within the range that is used.
        """
        length = round(note.duration, 2)
        key = soundfont, program, note.pitch, length
        if key not in self._tunings:
            alone = Note(note.pitch, 0.0, length, 85)
            clip = Clip((Part(Instrument(program), (alone,)),), length + 0.1, 1.0)
            self._tunings[key] = cents_near(held_part(alone, self.play(clip, soundfont)), note.pitch)
        return self._tunings[key]


def _taken_apart(recording):
    window = round(recording.variant.clip_b.clip.window * RATE)
    clip_a, silence, clip_b = np.split(recording.samples, [window, len(recording.samples) - window])
    return recording.variant.condition, Recorded(recording.variant, clip_a, silence, clip_b)


def played(performance):
    """Return the clip with the deviations of its take."""
    return perform(performance.clip, performance.take)


def in_tune(performance):
    """Return the clip as it is played, at A4 = 440 Hz."""
    return replace(played(performance), tuning_cents=0.0)


def held_part(note, samples):
    """Return the samples of a note from after its attack to its end."""
    start = note.onset + min(0.06, 0.3 * note.duration)
    return samples[round(start * RATE) : round((note.onset + note.duration) * RATE)].astype(float)
