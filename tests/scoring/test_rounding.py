"""Rounding half up from exact numbers."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.scoring.figures_text import float_text
from listenbench.scoring.rounding import percent, rounded


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(6115, 10000), "61.2"),
        (Fraction(4945, 10000), "49.5"),
        (Fraction(0), "0.0"),
        (Fraction(1), "100.0"),
        (Fraction(1, 3), "33.3"),
        (Fraction(-5, 10000), "-0.1"),
        (Fraction(-4, 10000), "0.0"),
        (Fraction(9995, 10000), "100.0"),
    ],
)
def test_percent(share: Fraction, text: str) -> None:
    assert percent(share) == text


@given(st.integers(-(10**12), 10**12), st.integers(0, 6), st.integers(0, 4))
def test_agrees_with_decimal(number: int, places: int, digits: int) -> None:
    expected = Decimal(number).scaleb(-places).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert Decimal(rounded(Fraction(number, 10**places), digits)) == expected


def test_floats_stand_for_the_nearest_simple_fraction() -> None:
    assert float_text(61.15, 1) == "61.2"
    assert float_text(0.285, 2) == "0.29"
