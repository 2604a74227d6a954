"""Which recordings each listener hears, and in which order.

A cell is a task under a condition. The cells are dealt in turn, and within each cell the letters take turns,
so that after any number of trials any two tasks, and any two cells, differ by at most one recording. Within
a cell and letter, recordings come in rounds that hold each rung once, and factors take turns.

No listener hears two variants of an item while there are items that are new to them. Only when a listener is
given more recordings than there are items does an item come back, in another condition, as late as can be.

Everything is drawn from the seed: the same data set, seed and sizes give the n-th listener the same list.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from listenbench.errors import SpecError
from listenbench.randomness import shuffled, stream

_PATH: Final = "listening test"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recording that may be played.

    Attributes
    ----------
    id : str
        Name of the recording.
    item, task, condition, answer : str
        As in the key.
    rung, factor : str
        As in the key, as text.
    """

    id: str
    item: str
    task: str
    condition: str
    answer: str
    rung: str
    factor: str

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Candidate:
        """Return the candidate of a row of the key."""
        return cls(
            id=str(row["id"]),
            item=str(row["item"]),
            task=str(row["task"]),
            condition=str(row["condition"]),
            answer=str(row["answer"]),
            rung=str(row.get("rung")),
            factor=str(row.get("factor")),
        )


def choose_practice(
    candidates: Sequence[Candidate], count: int, easiest: Mapping[str, str], seed: int
) -> tuple[Candidate, ...]:
    """Return recordings for practice, whose items are then no part of the test.

    Tasks, conditions and letters take turns; the rung is the easiest one where there is one.

    Parameters
    ----------
    candidates : sequence of Candidate
        All recordings.
    count : int
        How many.
    easiest : mapping of str to str
        The easiest rung of each task, as text.
    seed : int
        0 to 2**64 - 1.

    Raises
    ------
    SpecError
        If the data set has too few items.
    """
    generator = stream(seed, _PATH, "practice")
    order = shuffled(generator, sorted(candidates, key=lambda candidate: candidate.id))
    cells, letters = _cells(candidates, seed), _letters(candidates)
    chosen: list[Candidate] = []
    for place in range(count):
        task, condition = cells[place % len(cells)]
        wanted = (easiest.get(task), condition, letters[place % len(letters)])
        used = {candidate.item for candidate in chosen}
        fitting = [each for each in order if each.task == task and each.item not in used]
        if not fitting:
            raise SpecError(
                f"practice: {count} is more than the data set has items of the task {task!r} to spare; "
                "give a smaller --practice"
            )
        chosen.append(max(fitting, key=lambda each: _fit(each, wanted)))
    return tuple(chosen)


def _fit(candidate: Candidate, wanted: tuple[str | None, str, str]) -> int:
    """Return how well a recording fits; of equal ones the first is taken."""
    rung, condition, answer = wanted
    return (
        4 * (candidate.rung == rung) + 2 * (candidate.condition == condition) + (candidate.answer == answer)
    )


def recording_lists(
    candidates: Sequence[Candidate], length: int, seed: int
) -> Iterator[tuple[Candidate, ...]]:
    """Yield lists of recordings without end; a recording comes again only after all others of its kind.

    Parameters
    ----------
    candidates : sequence of Candidate
        What may be played.
    length : int
        Recordings in a list.
    seed : int
        0 to 2**64 - 1.

    Raises
    ------
    SpecError
        If there are fewer candidates than that.
    """
    if length > len(candidates):
        raise SpecError(
            f"items: {length} is more than the {len(candidates)} recordings that the data set has "
            "beside those of the practice items; give a smaller --items or --practice"
        )
    return _deal(_Decks(candidates, seed), _cells(candidates, seed), _letters(candidates), length)


def in_order(recordings: Sequence[Candidate], listener: int, seed: int) -> tuple[Candidate, ...]:
    """Return a list in the order of one listener: shuffled within blocks in which each cell occurs once.

    So whoever stops early, or tires, does so in all cells alike. Recordings of an item that was heard before
    stay behind the others.

    Parameters
    ----------
    recordings : sequence of Candidate
        A list as dealt.
    listener : int
        Number of the listener.
    seed : int
        0 to 2**64 - 1.
    """
    generator = stream(seed, _PATH, "order", listener)
    block = len({(each.task, each.condition) for each in recordings})
    first, again = _by_novelty(recordings)
    order: list[Candidate] = []
    for part in (first, again):
        blocks = [part[start : start + block] for start in range(0, len(part), block)]
        order += [each for some in blocks for each in shuffled(generator, some)]
    return tuple(order)


def heard_before(recordings: Iterable[Candidate]) -> list[int]:
    """Return for each recording how many of its item came before it."""
    heard: Counter[str] = Counter()
    counts = []
    for each in recordings:
        counts.append(heard[each.item])
        heard[each.item] += 1
    return counts


def _by_novelty(recordings: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    counts = heard_before(recordings)
    pairs = list(zip(recordings, counts, strict=True))
    return [each for each, count in pairs if not count], [each for each, count in pairs if count]


def _cells(candidates: Iterable[Candidate], seed: int) -> list[tuple[str, str]]:
    """Return the cells as they are dealt: all tasks in turn, each time under the next condition."""
    generator = stream(seed, _PATH, "cells")
    some = list(candidates)
    tasks = shuffled(generator, sorted({each.task for each in some}))
    conditions = shuffled(generator, sorted({each.condition for each in some}))
    present = {(each.task, each.condition) for each in some}
    crossed = [
        (task, conditions[(place + shift) % len(conditions)])
        for shift in range(len(conditions))
        for place, task in enumerate(tasks)
    ]
    return [cell for cell in crossed if cell in present]


def _letters(candidates: Iterable[Candidate]) -> list[str]:
    """Return the letters that are right somewhere, by alphabet."""
    return sorted({each.answer for each in candidates})


class _Decks:
    """The recordings of each cell and letter, in the order in which they are dealt."""

    def __init__(self, candidates: Sequence[Candidate], seed: int) -> None:
        kinds: dict[tuple[str, str, str], list[Candidate]] = defaultdict(list)
        for each in sorted(candidates, key=lambda candidate: candidate.id):
            kinds[each.task, each.condition, each.answer].append(each)
        self._decks = {
            kind: deque(_in_rounds(some, stream(seed, _PATH, "deck", *kind)))
            for kind, some in sorted(kinds.items())
        }

    def deal(self, cell: tuple[str, str], letter: str, dealt: Sequence[Candidate]) -> Candidate:
        """Take the next recording for a list, of the cell and letter if its item can be new to the list."""
        items, ids = Counter(each.item for each in dealt), {each.id for each in dealt}
        kinds = sorted(self._decks, key=lambda kind: _distance(kind, cell, letter))
        for times in range(1 + max(items.values(), default=0)):
            for kind in kinds:
                deck = self._decks[kind]
                fitting = (each for each in deck if items[each.item] == times and each.id not in ids)
                found = next(fitting, None)
                if found is not None:
                    deck.remove(found)
                    deck.append(found)
                    return found
        raise SpecError("items: there are no recordings left")


def _distance(
    kind: tuple[str, str, str], cell: tuple[str, str], letter: str
) -> tuple[bool, bool, bool, tuple[str, str, str]]:
    task, condition, answer = kind
    return (task != cell[0], condition != cell[1], answer != letter, kind)


def _in_rounds(candidates: Sequence[Candidate], generator: np.random.Generator) -> list[Candidate]:
    """Return the recordings in rounds that have each rung once; those of a rung take turns by factor."""
    kinds: dict[str, dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for each in shuffled(generator, candidates):
        kinds[each.rung][each.factor].append(each)
    return _taking_turns(
        [
            _taking_turns([factors[name] for name in sorted(factors)], generator)
            for _, factors in sorted(kinds.items())
        ],
        generator,
    )


def _taking_turns(parts: Sequence[Sequence[Candidate]], generator: np.random.Generator) -> list[Candidate]:
    """Return what is in the parts: one of each, in random order, then the next one of each, and so on."""
    rounds = zip_longest(*parts)
    return [each for some in rounds for each in shuffled(generator, some) if each is not None]


def _deal(
    decks: _Decks, cells: Sequence[tuple[str, str]], letters: Sequence[str], length: int
) -> Iterator[tuple[Candidate, ...]]:
    turn = 0
    while True:
        dealt: list[Candidate] = []
        for _ in range(length):
            rounds, place = divmod(turn, len(cells))
            letter = letters[(place + rounds) % len(letters)]
            dealt.append(decks.deal(cells[place], letter, dealt))
            turn += 1
        yield tuple(dealt)
