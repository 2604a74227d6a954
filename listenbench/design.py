"""The balanced design: which answer, rung, STAY factor and wording each item of a task has.

Items come in pairs with opposite answers that share whatever else may be shared (wording, meaning of the
letters, soundfont, texture), so that none of it can predict the answer, and in blocks that cross answers,
rungs and STAY factors. Any number of items is a prefix of the same endless sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm
from typing import TypeVar

from listenbench.randomness import shuffled, stream
from listenbench.tasks import Rung

T = TypeVar("T")

_SHORTEST_BLOCK = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """The place of one item in the design.

    Attributes
    ----------
    choice : str
        The right answer of the clean variant.
    rung : int, float or str
        Magnitude of the edit.
    factor : str
        STAY factor.
    wording : int
        Which wording, among those of the task.
    swapped : bool
        Whether the letters name the choices in reverse order.
    soundfont : str
        Name of the soundfont.
    texture : str
        'solo' or 'accompanied'.
    """

    choice: str
    rung: Rung
    factor: str
    wording: int
    swapped: bool
    soundfont: str
    texture: str


@dataclass(frozen=True, slots=True)
class Axes:
    """The values that the design runs through."""

    choices: tuple[str, str]
    rungs: tuple[Rung, ...]
    factors: tuple[str, ...]
    wordings: int
    letter_orders: tuple[bool, ...]
    soundfonts: tuple[str, ...]
    textures: tuple[str, ...] = ("solo",)


def cells(axes: Axes, seed: int, *path: str | int) -> Iterator[Cell]:
    """Yield the cells of all items of a task, without end.

    Parameters
    ----------
    axes : Axes
        What to cross.
    seed : int
        Seed of the data set.
    *path : str or int
        Path of the random streams, split and task.
    """
    wordings = _endless(tuple(range(axes.wordings)), seed, *path, "wording")
    orders = _endless(axes.letter_orders, seed, *path, "letters")
    soundfonts = _endless(axes.soundfonts, seed, *path, "soundfont")
    textures = _endless(axes.textures, seed, *path, "texture")
    for pair in _pairs(axes, seed, *path, "cell"):
        shared = next(wordings), next(orders), next(soundfonts), next(textures)
        for choice, rung, factor in pair:
            yield Cell(choice, rung, factor, *shared)


def _endless(values: tuple[T, ...], seed: int, *path: str | int) -> Iterator[T]:
    """Yield the values in shuffled blocks, each of which holds all of them equally often.

    Blocks of a few pairs would keep step with the rungs' own order, and so tell more about them than
    chance does.
    """
    block, repeats = 0, -(-_SHORTEST_BLOCK // len(values))
    while True:
        yield from shuffled(stream(seed, *path, block), values * repeats)
        block += 1


def _pairs(axes: Axes, seed: int, *path: str | int) -> Iterator[list[tuple[str, Rung, str]]]:
    """Yield pairs of (choice, rung, factor) with opposite choices."""
    block = 0
    while True:
        generator = stream(seed, *path, block)
        halves = [
            _crossed(shuffled(generator, axes.rungs), shuffled(generator, axes.factors)) for _ in axes.choices
        ]
        for combinations in zip(*halves, strict=True):
            pair = [(choice, *c) for choice, c in zip(axes.choices, combinations, strict=True)]
            yield shuffled(generator, pair)
        block += 1


def _crossed(rungs: list[Rung], factors: list[str]) -> list[tuple[Rung, str]]:
    """Return all combinations in an order in which every prefix is balanced on both axes.

    Along a diagonal, both axes advance at once; after each common multiple of their lengths the second one
    is moved on by one, which gives the combinations not met yet.
    """
    period = lcm(len(rungs), len(factors))
    return [
        (rungs[step % len(rungs)], factors[(step + step // period) % len(factors)])
        for step in range(len(rungs) * len(factors))
    ]
