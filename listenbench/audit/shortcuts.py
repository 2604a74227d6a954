"""Shortcuts: what can be answered without comparing what both clips play.

Each shortcut is a classifier that is given part of an item: one clip's sound, one clip's notes, the
question, the id, levels. It is trained and tested by cross-validation in which all recordings of an item stay
together. A shortcut is there when it answers more often right than chance allows: when the interval of its
accuracy lies wholly above the limit. The limit is one half, except where the design can't do better and
says by how much (`listenbench.compose.rhythm.one_clip_bound`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from listenbench.audit.check import Check, listed, none_of, too_few
from listenbench.audit.evidence import Evidence, Record
from listenbench.audit.sound import Sound
from listenbench.compose.rhythm import RhythmOptions, one_clip_bound
from listenbench.listeners.features import LEVELS
from listenbench.listeners.hearing import Array
from listenbench.listeners.trained import describe_text
from listenbench.music import Clip

FAMILY_LEVEL = 0.01
"""Probability with which a data set without shortcuts fails any check of a task."""

_FOLDS = 5
_FEWEST_ITEMS = 20

Describe = Callable[[Record, Sound], Array]
Fold = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """How well a classifier does.

    Attributes
    ----------
    accuracy, area : float
        Share of right answers, and area under the ROC curve.
    low, high : float
        Wilson interval of the accuracy.
    recordings, items : int
        How many were answered; the interval counts items, whose recordings are not independent.
    """

    accuracy: float
    area: float
    low: float
    high: float
    recordings: int
    items: int

    def text(self) -> str:
        """Return the estimate for a report."""
        return (
            f"accuracy {100 * self.accuracy:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f}), "
            f"AUC {self.area:.3f}, n = {self.recordings}"
        )


def check_shortcuts(evidence: Evidence, sounds: Mapping[str, Sound]) -> Iterator[Check]:
    """Yield each classifier's accuracy, AUC and interval, a task, on clean and on all recordings."""
    for task in evidence.tasks:
        records = [r for r in evidence.of(task) if r.id in sounds]
        clean = [r for r in records if r.condition == "clean"]
        yield _equality(task, records, sounds)
        described = _described(records, sounds)
        groups = {"clean": clean, "all": records} if len(clean) < len(records) else {"all": records}
        for condition, group in groups.items():
            yield from _group(evidence, task, condition, group, described)


def _described(records: Sequence[Record], sounds: Mapping[str, Sound]) -> dict[str, dict[str, Array]]:
    """Return for each classifier what it is given of each recording, by id."""
    return {
        name: {r.id: describe(r, sounds[r.id]) for r in records}
        for name, describe in (SHORTCUTS | _HEARING).items()
    }


def _group(
    evidence: Evidence,
    task: str,
    condition: str,
    records: Sequence[Record],
    described: Mapping[str, Mapping[str, Array]],
) -> Iterator[Check]:
    """Yield what each classifier makes of some recordings; all are tested on the same folds."""
    answers = np.array([r.changed for r in records])
    items = np.array([r.name for r in records])
    fewest = min((len(set(items[answers == value])) for value in (True, False)), default=0)
    splits = folds(answers, items) if fewest >= _FEWEST_ITEMS else []
    for name, features in described.items():
        title = f"{task}, {condition}: {name}"
        if not splits:
            yield too_few("shortcuts", title, fewest)
            continue
        given = np.stack([features[r.id] for r in records])
        estimate = cross_validated(given, answers, items, splits, FAMILY_LEVEL / (2 * len(SHORTCUTS)))
        if name in _HEARING:
            yield listed("shortcuts", f"{title} (the queried attribute itself)", estimate.text())
            continue
        limit = _limit(evidence, task) if name in _ONE_CLIP_B else 0.5
        bound = f"interval reaches {100 * limit:.1f} %"
        yield Check("shortcuts", title, estimate.text(), bound, estimate.low <= limit)


def folds(answers: npt.NDArray[np.bool_], items: npt.NDArray[Any]) -> list[Fold]:
    """Return the places of recordings to learn from and to be tested on, for each fold of a cross-validation.

    Parameters
    ----------
    answers : ndarray of bool
        What is to be said; as even in each fold as can be.
    items : ndarray
        The item of each recording; an item's recordings are never split between training and test.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    splitter = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=0)
    return list(splitter.split(np.zeros(len(answers)), answers, items))


def cross_validated(
    features: Array,
    answers: npt.NDArray[np.bool_],
    items: npt.NDArray[Any],
    splits: Sequence[Fold],
    level: float,
) -> Estimate:
    """Return how well a logistic regression answers items that it hasn't seen.

    Parameters
    ----------
    features : ndarray of float, shape (recordings, n)
        What it is given.
    answers : ndarray of bool
        What it has to say.
    items : ndarray
        The item of each recording, to count them.
    splits : sequence of (ndarray, ndarray)
        What `folds` returns.
    level : float
        One minus the coverage of the interval.
    """
    from scipy.stats import norm
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    if np.ptp(features, axis=0).max() == 0:
        scores = np.full(len(answers), 0.5)
    else:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.02, max_iter=500))
        # Problems of this size are solved faster by one thread than by several that wait for one another.
        with threadpool_limits(1):
            scores = cross_val_predict(model, features, answers, cv=splits, method="predict_proba")[:, 1]
    # A score of exactly one half is a coin: half right.
    right = np.where(scores == 0.5, 0.5, (scores > 0.5) == answers)
    accuracy, count = float(right.mean()), len(set(items.tolist()))
    low, high = wilson(accuracy, count, float(norm.isf(level / 2)))
    return Estimate(accuracy, float(roc_auc_score(answers, scores)), low, high, len(answers), count)


def wilson(share: float, count: int, z: float) -> tuple[float, float]:
    """Return the interval of a share after Wilson, JASA 22 (1927)."""
    centre = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return float(centre - half), float(centre + half)


def notes_of(clip: Clip) -> Array:
    """Return a clip's notes as numbers: pitches, intervals, timing, dynamics, instrument."""
    notes = clip.lead.notes
    pitches = np.array([n.pitch for n in notes])
    onsets, lengths = np.array([n.onset for n in notes]), np.array([n.duration for n in notes])
    velocities = np.array([n.velocity for n in notes])
    intervals = np.diff(pitches) if len(notes) > 1 else np.zeros(1, dtype=int)
    gaps = np.diff(onsets) if len(notes) > 1 else np.zeros(1)
    numbers = [len(notes), clip.beat, clip.tuning_cents]
    for values in (pitches, onsets, lengths, velocities, np.abs(intervals), gaps):
        numbers += [values.min(), values.max(), values.mean(), values.std(), values[0], values[-1]]
    return np.concatenate(
        [
            np.array(numbers, dtype=float),
            np.bincount(pitches % 12, minlength=12),
            np.bincount((pitches - pitches[-1]) % 12, minlength=12),
            np.bincount((pitches - pitches.min()) % 12, minlength=12),
            np.bincount(np.clip(intervals, -13, 13) + 13, minlength=27),
            np.eye(128)[clip.lead.instrument.program],
        ]
    )


def _identifier(record: Record) -> Array:
    """Return the digits of the id, and the place that it has in the order of the ids."""
    digits = [int(digit, 16) for digit in record.id[:20] if digit in "0123456789abcdef"]
    bits = [(digit >> shift) & 1 for digit in digits for shift in range(4)]
    place = int(record.id[:8], 16) / 2**32 if len(digits) >= 8 else zlib.crc32(record.id.encode()) / 2**32
    return np.array([*bits, *[0] * (80 - len(bits)), place], dtype=float)


SHORTCUTS: dict[str, Describe] = {
    "sound of clip A": lambda _, s: s.features_a,
    "sound of clip B": lambda _, s: s.features_b,
    "notes of clip A": lambda r, _: notes_of(r.performed[0]),
    "notes of clip B": lambda r, _: notes_of(r.performed[1]),
    "question text": lambda r, _: describe_text(r.item),
    "id and order": lambda r, _: _identifier(r),
    "length and loudness": lambda _, s: np.array([s.samples, *s.loudness, s.loudness[1] - s.loudness[0]]),
}
"""Name of each shortcut to what it is given."""

_ONE_CLIP_B = ("sound of clip B", "notes of clip B")

_HEARING: dict[str, Describe] = {
    "levels of both clips": lambda _, s: np.abs(s.features_a - s.features_b)[:LEVELS],
    "mean spectra of both clips": lambda _, s: np.abs(s.features_a - s.features_b)[LEVELS:],
}


def _limit(evidence: Evidence, task: str) -> float:
    """Return the accuracy that clip B alone allows by the design of the task."""
    options = evidence.split.task_options(task)
    if not isinstance(options, RhythmOptions):
        return 0.5
    rungs = [float(rung) for rung in evidence.split.tasks[task].rungs]
    return float(np.mean([one_clip_bound(options.rates, rung) for rung in rungs]))


def _equality(task: str, records: Sequence[Record], sounds: Mapping[str, Sound]) -> Check:
    equal = [r.label for r in records if sounds[r.id].clips_equal]
    return none_of("shortcuts", f"{task}: clips with equal samples", equal, len(records), "recordings")
