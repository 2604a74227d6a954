"""What a check of an audit says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

MOST_ITEMS = 20
"""Most items that a report names a check."""

_TOO_FEW = "too few items"


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check.

    Attributes
    ----------
    section : str
        'files', 'balance', 'distinctness', 'contamination', 'shortcuts', 'realised' or 'leaks'.
    name : str
        What was looked at.
    figure : str
        What was found.
    limit : str
        What was allowed; empty for a figure that is listed for information.
    passed : bool
        Whether the figure keeps to the limit.
    items : tuple of str
        Names of items or recordings that break it, at most `MOST_ITEMS`.
    """

    section: str
    name: str
    figure: str
    limit: str
    passed: bool
    items: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data for JSON."""
        return {**asdict(self), "items": list(self.items)}


def none_of(section: str, name: str, found: Iterable[str], examined: int, what: str = "") -> Check:
    """Return the check that nothing was found among so many examined things.

    Nothing examined is a failure: it would prove nothing.
    """
    names = sorted(set(found))
    figure = f"{len(names)} of {examined:,}" if examined else "nothing to examine"
    limit = f"0 {what}".strip()
    return Check(section, name, figure, limit, examined > 0 and not names, tuple(names[:MOST_ITEMS]))


def listed(section: str, name: str, figure: str) -> Check:
    """Return a figure without a limit."""
    return Check(section, name, figure, "", passed=True)


def too_few(section: str, name: str, count: int) -> Check:
    """Return what stands for a figure that so few items of one answer give no ground for."""
    return listed(section, name, f"{_TOO_FEW}: {count} of one answer")


def is_too_few(check: Check) -> bool:
    """Return whether a check had too few items to say anything."""
    return not check.limit and check.figure.startswith(_TOO_FEW)


def failures(checks: Sequence[Check]) -> list[Check]:
    """Return the checks that failed."""
    return [check for check in checks if not check.passed]
