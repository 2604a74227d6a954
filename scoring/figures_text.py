"""Floats and intervals as texts of tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from listenbench.scoring.bootstrap import Interval
from listenbench.scoring.rounding import rounded

_PRECISION: Final = 10**9


def float_text(value: float, digits: int) -> str:
    """Return a float as a decimal, rounded half up.

    The nearest simple fraction stands for it, which undoes the error of binary arithmetic.
    """
    return rounded(Fraction(value).limit_denominator(_PRECISION), digits)


def interval_text(interval: Interval | None, factor: int, digits: int) -> str:
    """Return an interval as `[low, high]`, its ends multiplied by a factor; nothing for None."""
    if interval is None:
        return ""
    return f"[{float_text(factor * interval.low, digits)}, {float_text(factor * interval.high, digits)}]"
