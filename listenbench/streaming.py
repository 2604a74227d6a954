"""Endless items rendered on the fly, for training loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE, dequantised
from listenbench.generation import make_request
from listenbench.items import Item
from listenbench.plan import TaskPlanner
from listenbench.realise import Recording, Studio
from listenbench.soundfonts import find
from listenbench.splits import Split


@dataclass(frozen=True)
class Sample:
    """One recording with its question and its answer, for training.

    Attributes
    ----------
    id : str
        Opaque name.
    audio : ndarray of float32, shape (n,)
        Clip A, silence, clip B, from -1 to 1.
    sample_rate : int
        Samples per second of `audio`.
    question : str
        The whole text for the model.
    choices : tuple of str
        What the letters mean.
    answer : str
        The right letter.
    task, item, condition : str
        Which task and item it belongs to, and which variant it is.
    factor : str or None
        Edit of a FLIP, effects of a STAY variant.
    rung : int, float or str
        Magnitude of the edit.
    """

    id: str
    audio: npt.NDArray[np.float32]
    sample_rate: int
    question: str
    choices: tuple[str, ...]
    answer: str
    task: str
    item: str
    condition: str
    factor: str | None
    rung: int | float | str


def stream(
    split: str | Path | Split,
    seed: int = 0,
    *,
    tasks: Sequence[str] | None = None,
    variants: Sequence[str] | None = None,
) -> Iterator[Sample]:
    """Yield samples without end, one item of each task in turn, with all its variants.

    The items are those that `generate` writes for the same split and seed, in the order of their index.
    What is wrong with the arguments is told at once, not at the first sample.

    Parameters
    ----------
    split : str, Path or Split
        Name of a split, path of a TOML file, or the split itself.
    seed : int
        0 to 2**64 - 1.
    tasks, variants : sequence of str, optional
        Where not as the split says.

    Raises
    ------
    SpecError
        If an argument is wrong, or when the split has no new content left.
    RenderError
        If a soundfont is missing or an item can't be rendered.
    """
    request = make_request(split, seed, tasks, None, variants)
    paths = {name: find(name).path for name in request.split.soundfonts}
    return _samples(request.split, request.seed, Studio(request.split, paths))


def _samples(split: Split, seed: int, studio: Studio) -> Iterator[Sample]:
    planners = [TaskPlanner(split, seed, name, tuple(split.variants)) for name in split.tasks]
    try:
        while True:
            for planner in planners:
                item = next(planner)
                for recording in studio.realise(item):
                    yield _sample(item, recording)
    finally:
        studio.close()


def _sample(item: Item, recording: Recording) -> Sample:
    variant = recording.variant
    return Sample(
        id=variant.id,
        audio=dequantised(recording.samples),
        sample_rate=SAMPLE_RATE,
        question=item.question,
        choices=item.choices,
        answer=variant.answer,
        task=item.task,
        item=item.name,
        condition=variant.condition,
        factor=variant.factor,
        rung=item.rung,
    )
