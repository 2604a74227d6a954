"""What every composer returns, and what every composer is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from listenbench.edits import Edit, change_rate
from listenbench.music import Clip

LEAD_IN_SECONDS = 0.03
"""Silence before the first note, more than a take can bring it forward."""

RELEASE_SECONDS = 0.25
"""Seconds left free after the last note-off of a pitched clip, so that it can ring."""

_ATTEMPTS = 1000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Contents that sound nearly alike although they differ, because one of their numbers is nearly the same.

    Attributes
    ----------
    family : str
        All else that makes the content.
    place : float
        The number, on a scale on which equal distances sound equally far.
    radius : float
        Contents of one family that are nearer than this sound nearly alike.
    """

    family: str
    place: float
    radius: float


class Accept(Protocol):
    """Tells whether a musical content may be used."""

    def __call__(self, content: str, neighbourhood: Neighbourhood | None = None) -> bool:
        """Return whether a content is of the split's lot, new, and has no neighbour where one is given."""
        ...


class Unsuitable(Exception):  # noqa: N818 - not an error: it asks the planner for the next draw
    """Raised where a draw can't be used: it doesn't fit, or admits no edit. Another draw may be."""


def first_suitable(draw: Callable[[], T]) -> T:
    """Draw until a draw is suitable.

    Composers draw the free variables once and repeat only what depends on the rung; otherwise a rung that
    is hard to fit would prefer some instruments or tempos, and give itself away.

    Raises
    ------
    Unsuitable
        If none of a thousand draws is.
    """
    for _ in range(_ATTEMPTS):
        try:
            return draw()
        except Unsuitable:
            continue
    raise Unsuitable


@dataclass(frozen=True, slots=True)
class Trial:
    """The music of one item: a clip A, and for each relation the clip B that stands in it to A.

    Attributes
    ----------
    clip_a : Clip
        The first clip.
    clip_b : mapping of str to Clip
        Relation to second clip: 'same' and 'different', or 'faster' and 'slower'.
    edits : mapping of str to Edit or None
        Relation to how that clip B differs from clip A; None where it doesn't.
    content : str
        The musical content in canonical form: no two items of a data set share it. Neither free
        variables such as dynamics nor which of two contents became clip A are part of it.
    material : mapping of str to str or float
        The free variables as drawn, for audits: none of them may predict the answer or the rung.
    neighbourhood : Neighbourhood or None
        Where the content lies among those that sound nearly alike, if there are any.
    """

    clip_a: Clip
    clip_b: Mapping[str, Clip]
    edits: Mapping[str, Edit | None]
    content: str
    material: Mapping[str, str | float] = field(default_factory=dict)
    neighbourhood: Neighbourhood | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What a split asks of a composer, apart from the task's own options.

    Attributes
    ----------
    window : float
        Length of each clip in seconds.
    bands : tuple of (int, int)
        Ranges of MIDI pitches that notes may have before any transposition, ends included; each item
        stays within one.
    programs : tuple of int
        General MIDI programs to draw instruments from; empty for all that the task knows.
    """

    window: float
    bands: tuple[tuple[int, int], ...]
    programs: tuple[int, ...] = ()


def same_or_different(
    base: Clip, edited: Clip, edit: Edit, content: str, material: Mapping[str, str | float]
) -> Trial:
    """Return the trial whose clip A is `base`; clip B repeats it ('same') or is `edited` ('different')."""
    return Trial(
        clip_a=base,
        clip_b={"same": base, "different": edited},
        edits={"same": None, "different": edit},
        content=content,
        material=material,
    )


def faster_or_slower(
    base: Clip,
    ratio: float,
    content: str,
    material: Mapping[str, str | float],
    neighbourhood: Neighbourhood | None = None,
) -> Trial:
    """Return the trial whose clip A is `base`, and whose clip B has the rate times or by the ratio."""
    ratios = {"faster": ratio, "slower": 1 / ratio}
    return Trial(
        clip_a=base,
        clip_b={relation: change_rate(base, value) for relation, value in ratios.items()},
        edits={r: Edit("pulse_rate", "rhythm", value, "ratio") for r, value in ratios.items()},
        content=content,
        material=material,
        neighbourhood=neighbourhood,
    )
