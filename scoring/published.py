"""Published figures that a score is read against."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from listenbench.scoring.scorer import Figure

HUMAN_ACC_FS: Final = Fraction(870, 1000)
"""Acc_FS of human listeners on the published test set (MusicListenBench, 2026), given without an interval."""


def beside_humans(figure: Figure) -> str:
    """Return where an Acc_FS lies beside that of human listeners.

    Returns
    -------
    str
        "above" or "below" if the whole interval does, "level" if the interval holds the published figure, ""
        without an interval.
    """
    if figure.interval is None:
        return ""
    if figure.interval.low > HUMAN_ACC_FS:
        return "above"
    return "below" if figure.interval.high < HUMAN_ACC_FS else "level"
