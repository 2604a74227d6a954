"""Percentages from exact counts, rounded half up, never by way of a binary fraction."""

from __future__ import annotations

from fractions import Fraction


def rounded(value: Fraction, digits: int = 1) -> str:
    """Return an exact number as a decimal, rounded half up (away from zero when negative).

    So 61.15 becomes 61.2, which neither `round` nor `format` does: they see the binary fraction nearest to
    it, and `round` prefers even digits.

    Parameters
    ----------
    value : Fraction
        The number.
    digits : int, optional
        Digits after the point.
    """
    scaled = abs(value) * 10**digits
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    sign = "-" if value < 0 and whole else ""
    text = str(whole).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"


def percent(share: Fraction, digits: int = 1) -> str:
    """Return a share of 1 in percent, rounded half up."""
    return rounded(100 * share, digits)
