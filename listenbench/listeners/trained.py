"""Listeners that learn from a train data set what little they are given: the question, or one clip.

They look for shortcuts. Each learns to tell, for one kind of question, whether clip B differs (or is
faster), from the answers of the train data set, and states it by the letter that the question gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from listenbench.dataset import Dataset, DatasetItem
from listenbench.errors import DataError, SpecError
from listenbench.listeners.features import clip_features
from listenbench.listeners.hearing import Array, clips_of, decibels, erb_bank, power_spectrogram
from listenbench.listeners.reading import Request, read
from listenbench.listeners.registry import Settings
from listenbench.listeners.simple import shown

Describe = Callable[[DatasetItem], Array]

_TEXT_WORDS = 512
_FRAME, _HOP = 2048, 512
_BANDS = (32, 80.0, 14_000.0)


def text_only(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer from the words of the question."""
    return _learned(dataset, settings, describe_text)


def clip_a(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer from the first clip alone."""
    return _learned(dataset, settings, lambda item: clip_features(clips_of(item)[0]))


def clip_b(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer from the second clip alone."""
    return _learned(dataset, settings, lambda item: clip_features(clips_of(item)[1]))


def spectrum(dataset: Dataset, settings: Settings) -> dict[str, str]:
    """Answer 'different' where the log spectrum differs by more than a threshold.

    This is the listener that only hears that something has changed: it takes a room for another melody.
    The threshold is the one that answers most of the train data set right.
    """
    return _learned(dataset, settings, lambda item: np.array([spectral_distance(item)]), threshold=True)


def spectral_distance(item: DatasetItem) -> float:
    """Return the mean absolute difference in decibels between the clips, moment by moment in 32 bands."""
    bands = erb_bank(_FRAME, *_BANDS)
    level_a, level_b = (
        np.maximum(decibels(power_spectrogram(clip, _FRAME, _HOP) @ bands), -90.0) for clip in clips_of(item)
    )
    count = min(len(level_a), len(level_b))
    return float(np.abs(level_a[:count] - level_b[:count]).mean())


def describe_text(item: DatasetItem) -> Array:
    """Return how often each word stands in the question, hashed to `_TEXT_WORDS` places."""
    import zlib

    counts = np.zeros(_TEXT_WORDS)
    for word in item.question.lower().split():
        counts[zlib.crc32(word.encode()) % _TEXT_WORDS] += 1
    return counts


def _learned(
    dataset: Dataset, settings: Settings, describe: Describe, *, threshold: bool = False
) -> dict[str, str]:
    if settings.train is None:
        raise SpecError("this listener learns from a train data set: give one with --train DIR")
    known, letters = _sorted_out(settings.train, settings.progress, describe), _letters(settings.train)
    asked = _sorted_out(dataset, settings.progress, describe)
    answers = {}
    for subject, group in asked.items():
        if subject not in known:
            raise DataError(f"{settings.train.folder}: nothing to learn from on {subject}")
        targets = [
            letters.get(item.id) == request.letter_for(changed=True) for item, request, _ in known[subject]
        ]
        model = _Threshold() if threshold else _classifier()
        model.fit(_matrix(known[subject]), np.array(targets))
        for (item, request, _), changed in zip(group, model.predict(_matrix(group)), strict=True):
            answers[item.id] = request.letter_for(changed=bool(changed))
    return {item.id: answers[item.id] for item in dataset}


Described = tuple[DatasetItem, Request, Array]


def _sorted_out(
    items: Iterable[DatasetItem], progress: bool, describe: Describe
) -> dict[str, list[Described]]:
    groups: dict[str, list[Described]] = {}
    for item in shown(items, progress):
        request = read(item)
        groups.setdefault(request.subject, []).append((item, request, describe(item)))
    return groups


def _letters(train: Dataset) -> dict[str, str]:
    return {identifier: str(row.get("answer")) for identifier, row in train.gold().items()}


def _matrix(group: Sequence[Described]) -> Array:
    return np.stack([features for _, _, features in group])


def _classifier() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(C=0.02, max_iter=500))


class _Threshold:
    """Predicts whether a single feature is above the threshold that fits the training data best."""

    def fit(self, features: Array, targets: Array) -> _Threshold:
        values = features[:, 0]
        places = np.sort(values)
        middles = (places[1:] + places[:-1]) / 2
        right = [np.mean((values > middle) == targets) for middle in middles]
        self.threshold = float(middles[int(np.argmax(right))]) if right else 0.0
        return self

    def predict(self, features: Array) -> npt.NDArray[np.bool_]:
        return features[:, 0] > self.threshold
