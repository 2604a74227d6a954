"""Listeners that need nothing but a rule: constant letters, coins, and comparing samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from tqdm import tqdm

from listenbench.dataset import Dataset, DatasetItem
from listenbench.listeners.hearing import clips_of
from listenbench.listeners.reading import DIFFERENT, SAME, read
from listenbench.listeners.registry import Settings
from listenbench.randomness import stream
from listenbench.scoring.answers import LETTERS, letters_of


def always_a(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer A to every question."""
    del settings
    return {item.id: "A" for item in dataset}


def always_b(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer B to every question."""
    del settings
    return {item.id: "B" for item in dataset}


def random(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Draw a letter for each question, which depends on the seed and the item's id alone."""
    answers = {}
    for item in dataset:
        letters = letters_of(item.choices)
        answers[item.id] = letters[int(stream(settings.seed, "random", item.id).integers(len(letters)))]
    return answers


def equality(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer 'same' where both clips have the same samples; which is faster gets the first choice."""
    answers = {}
    for item in shown(dataset, settings.progress):
        request = read(item)
        if request.is_comparison:
            clip_a, clip_b = clips_of(item)
            equal = len(clip_a) == len(clip_b) and bool(np.array_equal(clip_a, clip_b))
            answers[item.id] = request.letter(SAME if equal else DIFFERENT)
        else:
            answers[item.id] = LETTERS[0]
    return answers


def shown(items: Iterable[DatasetItem], progress: bool) -> Iterator[DatasetItem]:
    """Iterate with a progress bar, if one is wanted and standard error is a terminal."""
    yield from tqdm(items, unit="item", disable=None if progress else True)
