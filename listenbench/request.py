"""What a data set is asked to contain: what its bytes depend on, versions and soundfonts apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from listenbench.audio import FORMATS, WAV
from listenbench.dataset import Row
from listenbench.errors import SpecError
from listenbench.randomness import checked_seed
from listenbench.splits import CONDITIONS, MOST_ITEMS, Split, load_split

_SHARD: Final = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts that are made apart and joined later.

    Items are dealt like cards: part `number` of `count` has every item whose position in the plan, counted
    from 0, leaves the remainder `number - 1` when divided by `count`.

    Attributes
    ----------
    number : int
        1 to `count`.
    count : int
        How many parts there are.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        """Refuse a part that can't be."""
        if not 1 <= self.number <= self.count:
            raise SpecError(f"shard: {self.number}/{self.count} is no part: give I/N with I from 1 to N")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read 'I/N'.

        Raises
        ------
        SpecError
            If it is something else.
        """
        match = _SHARD.fullmatch(text)
        if match is None:
            raise SpecError(f"shard: {text!r} is not of the form I/N, for example 1/4")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        """Return 'I/N'."""
        return f"{self.number}/{self.count}"

    def size(self, total: int) -> int:
        """Return how many of `total` items the part has."""
        return len(range(self.number - 1, total, self.count))


@dataclass(frozen=True, slots=True)
class Request:
    """What a data set is to contain.

    Attributes
    ----------
    split : Split
        The split with its number of items, variants and tasks as asked for.
    seed : int
        0 to 2**64 - 1.
    shard : Shard or None
        Which part, or None for the whole.
    audio_format : str
        How recordings are stored: 'wav' or 'flac'.
    """

    split: Split
    seed: int
    shard: Shard | None = None
    audio_format: str = WAV

    @property
    def items(self) -> int:
        """The number of items, all tasks together."""
        total = self.split.items * len(self.split.tasks)
        return total if self.shard is None else self.shard.size(total)

    def to_dict(self) -> Row:
        """Return the request as plain data for JSON."""
        whole = {
            "seed": self.seed,
            "audio_format": self.audio_format,
            "split": self.split.model_dump(mode="json"),
        }
        return whole if self.shard is None else {"shard": str(self.shard), **whole}


def make_request(
    split: str | Path | Split,
    seed: int,
    tasks: Sequence[str] | None = None,
    items: int | None = None,
    variants: Sequence[str] | None = None,
    shard: Shard | None = None,
    audio_format: str = WAV,
) -> Request:
    """Return the request that a split and the options on top of it amount to.

    Raises
    ------
    SpecError
        If one of them is wrong.
    """
    base = split if isinstance(split, Split) else load_split(split)
    changes: dict[str, Any] = base.model_dump(mode="json")
    if tasks is not None:
        unknown = [task for task in tasks if task not in base.tasks]
        if unknown or not tasks:
            raise SpecError(
                f"tasks: {', '.join(unknown) or 'none'} asked for; "
                f"split {base.name!r} has {', '.join(base.tasks)}"
            )
        changes["tasks"] = {name: changes["tasks"][name] for name in base.tasks if name in tasks}
    if items is not None:
        if isinstance(items, bool) or not isinstance(items, int) or not 1 <= items <= MOST_ITEMS:
            raise SpecError(f"items: {items!r} is not a whole number from 1 to {MOST_ITEMS:,}")
        changes["items"] = items
    if variants is not None:
        unknown = [condition for condition in variants if condition not in CONDITIONS]
        if unknown or not variants:
            raise SpecError(
                f"variants: {', '.join(unknown) or 'none'} asked for; there are {', '.join(CONDITIONS)}"
            )
        changes["variants"] = list(variants)
    if audio_format not in FORMATS:
        raise SpecError(f"format: {audio_format!r} is not known; there are {', '.join(FORMATS)}")
    request = Request(Split.model_validate(changes), checked_seed(seed), shard, audio_format)
    if request.items == 0:
        total = Request(request.split, seed).items
        raise SpecError(f"shard: {shard} would be empty: there are {total} items: make {total} parts at most")
    return request
