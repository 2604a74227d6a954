"""Whether two splits are apart: nothing that a model is tested with may have been in its training."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Final

from listenbench.soundfonts import catalog
from listenbench.splits.model import Split

PITCH_TASKS: Final = ("melody", "harmony")
"""Tasks of which no pitch may sound in both splits.

Timbre is left out, since an instrument is recognised within its register, which can't be parted without
making it another instrument to the ear; rhythm has no pitches.
"""


_PUBLISHED_REACH: Final = 7
"""Semitones above a pitch of a published pool: a note moves up a fifth at most, a triad spans one."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Something that two splits have in common.

    Attributes
    ----------
    kind : str
        'soundfont', 'STAY family', 'sounding pitch' or 'content lot'.
    where : str
        The task, or '' for all of them.
    shared : tuple of str
        What is shared.
    advice : str
        What to change.
    """

    kind: str
    where: str
    shared: tuple[str, ...]
    advice: str

    def __str__(self) -> str:
        """Return the overlap as one line."""
        place = f" ({self.where})" if self.where else ""
        return f"{self.kind}{place}: {', '.join(self.shared)}: {self.advice}"


def overlaps(test: Split, train: Split) -> tuple[Overlap, ...]:
    """Return what two splits share and must not: soundfonts, STAY families, sounding pitches, contents.

    Parameters
    ----------
    test, train : Split
        The order doesn't matter.

    Returns
    -------
    tuple of Overlap
        Empty if a model that was trained on any items of one split can be tested on any of the other.
    """
    found = [_soundfonts(test, train), _families(test, train)]
    found += [_pitches(test, train, task) for task in PITCH_TASKS]
    found.append(_contents(test, train))
    return tuple(overlap for overlap in found if overlap is not None)


def families(split: Split) -> frozenset[str]:
    """Return the effects that occur in the STAY factors of any task of a split, alone or in a chain."""
    return frozenset(
        effect.name for spec in split.tasks.values() for factor in spec.stay for effect in split.chain(factor)
    )


def sounding_pitches(split: Split, task: str) -> frozenset[int]:
    """Return the MIDI pitches that may sound in a task, edits and transpositions included.

    The composer's bands are those of the split, narrowed by the widest transposition: so the split's
    bands are what may sound. Empty if the split doesn't have the task.
    """
    if task not in split.tasks:
        return frozenset()
    bands = {pitch for low, high in split.tasks[task].pitches for pitch in range(low, high + 1)}
    return frozenset(bands | _published_pitches(split, task))


def _published_pitches(split: Split, task: str) -> set[int]:
    """Return what may sound of published material, which takes its pitches from a pool and not from bands."""
    pool: tuple[int, ...] = getattr(split.task_options(task), "published_pool", ())
    if not pool:
        return set()
    margin = split.setting(task).whole.bands[0][0] - split.tasks[task].pitches[0][0]
    return set(range(min(pool) - margin, max(pool) + _PUBLISHED_REACH + margin + 1))


def _soundfonts(test: Split, train: Split) -> Overlap | None:
    shared = sorted(set(test.soundfonts) & set(train.soundfonts))
    shared += sorted(
        f"{one} and {other}, the same file"
        for one in test.soundfonts
        for other in train.soundfonts
        if one != other and _hashes(one) & _hashes(other)
    )
    if not shared:
        return None
    return Overlap("soundfont", "", tuple(shared), "render the two splits with different soundfonts")


def _hashes(soundfont: str) -> frozenset[str]:
    entry = catalog().get(soundfont)
    return frozenset(file.sha256 for file in entry.known) if entry else frozenset()


def _families(test: Split, train: Split) -> Overlap | None:
    shared = sorted(families(test) & families(train))
    if not shared:
        return None
    return Overlap("STAY family", "", tuple(shared), "keep each effect to one of the splits")


def _pitches(test: Split, train: Split, task: str) -> Overlap | None:
    shared = sorted(sounding_pitches(test, task) & sounding_pitches(train, task))
    if not shared:
        return None
    advice = f"part the bands of tasks.{task}.pitches, within which transposed clips stay as well"
    return Overlap("sounding pitch", task, _runs(shared), advice)


def _runs(numbers: list[int]) -> tuple[str, ...]:
    """Return ascending numbers as runs, for example ('58-60', '79')."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return tuple(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _contents(test: Split, train: Split) -> Overlap | None:
    """Return an overlap if some content may be drawn for both.

    Lot k of n holds the contents whose hash leaves remainder k when divided by n. Two lots have a hash in
    common exactly when their numbers leave the same remainder when divided by the greatest common divisor
    of the two n (Chinese remainder theorem).
    """
    common = [task for task in test.tasks if task in train.tasks]
    (lot, lots), (other, others) = test.content_lot, train.content_lot
    divisor = gcd(lots, others)
    if not common or lot % divisor != other % divisor:
        return None
    shared = (f"lot {lot} of {lots} and lot {other} of {others}",)
    return Overlap("content lot", ", ".join(common), shared, "give the splits different lots of one number")
