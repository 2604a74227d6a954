"""Rhythmic figures in box notation: one sign for each half beat, 'x' for a stroke and '.' for none.

The notation is the Time Unit Box System of P. Harland and J. Koetting; see J. Koetting, "Analysis and
notation of West African drum ensemble music", Selected Reports 1(3), UCLA, 1970.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

STROKE: Final = "x"
REST: Final = "."

PULSE: Final = "x.x."
"""A stroke on every beat."""

_SIGNS_A_BEAT: Final = 2
_LENGTHS_BEATS: Final = (2, 3)
_FEWEST_STROKES: Final = {2: 2, 3: 3}


@dataclass(frozen=True, slots=True)
class Figure:
    """What a percussion sound repeats.

    Attributes
    ----------
    pattern : str
        The figure in box notation, which is also its name.
    """

    pattern: str

    @property
    def beats(self) -> int:
        """Its length in beats."""
        return len(self.pattern) // _SIGNS_A_BEAT

    @property
    def onsets(self) -> tuple[float, ...]:
        """The onsets in beats; the first is 0."""
        places = (place for place, sign in enumerate(self.pattern) if sign == STROKE)
        return tuple(place / _SIGNS_A_BEAT for place in places)


def _patterns() -> Iterator[str]:
    """Yield the pulse, and every figure of two or three beats that is not evenly spaced.

    None is another one at another rate, since those without a stroke off the beat are left out: they are the
    same as shorter ones at half the rate. With less than three strokes in three beats a slow clip would hold
    too few.
    """
    yield PULSE
    for beats in _LENGTHS_BEATS:
        for rest in product(STROKE + REST, repeat=_SIGNS_A_BEAT * beats - 1):
            pattern = STROKE + "".join(rest)
            has_offbeat = STROKE in pattern[1::_SIGNS_A_BEAT]
            if has_offbeat and pattern.count(STROKE) >= _FEWEST_STROKES[beats] and not _is_even(pattern):
                yield pattern


def _is_even(pattern: str) -> bool:
    """Return whether all strokes of a repeated pattern are equally far apart."""
    gaps = {len(gap) for gap in (pattern + STROKE).split(STROKE)[1:-1]}
    return len(gaps) == 1


FIGURES: Final[dict[str, Figure]] = {pattern: Figure(pattern) for pattern in _patterns()}
"""All figures by name."""
