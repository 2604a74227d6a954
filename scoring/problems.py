"""Bad lines, collected so that one run reports all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from listenbench.errors import DataError

SHOWN: Final = 20
"""How many bad lines are kept with their text; the rest is counted."""

_QUOTED_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One bad line.

    Attributes
    ----------
    source : str
        The file, or what stands for it.
    line : int
        Counted from 1.
    reason : str
        What is wrong, and what to do.
    """

    source: str
    line: int
    reason: str

    def __str__(self) -> str:
        """Return it in the form that editors and terminals make clickable."""
        return f"{self.source}:{self.line}: {self.reason}"


class BadLinesError(DataError):
    """A file has lines that can't be read; the message is the first of them and their number.

    Attributes
    ----------
    problems : tuple of Problem
        The first `SHOWN` bad lines.
    count : int
        The number of all bad lines.
    """

    def __init__(self, problems: tuple[Problem, ...], count: int) -> None:
        more = f" ({count} bad lines in all)" if count > 1 else ""
        super().__init__(f"{problems[0]}{more}")
        self.problems = problems
        self.count = count


class ProblemLog:
    """Collects the bad lines of one source.

    Parameters
    ----------
    source : str
        The file, or what stands for it.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.count = 0
        self._kept: list[Problem] = []

    def add(self, line: int, reason: str) -> None:
        """Note a bad line."""
        self.count += 1
        if len(self._kept) < SHOWN:
            self._kept.append(Problem(self.source, line, reason))

    def raise_if_any(self) -> None:
        """End the run if a bad line was noted.

        Raises
        ------
        BadLinesError
            With all of them.
        """
        if self.count:
            raise BadLinesError(tuple(self._kept), self.count)


def printable(text: str) -> str:
    """Return a name for a report, with control characters and undecodable bytes written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(value: object) -> str:
    """Return a value of the input for a message: on one line, without control characters, and not long."""
    text = repr(value)
    return text if len(text) <= _QUOTED_LENGTH else f"{text[:_QUOTED_LENGTH]}..."
