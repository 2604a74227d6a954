"""What a report is about: the submissions, numbered, with their scores and where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from listenbench.scoring.problems import printable
from listenbench.scoring.scored import Score
from listenbench.scoring.scorer import Group

_LONGEST_NAME: Final = 48


@dataclass(frozen=True, slots=True)
class Submission:
    """One predictions file with its score.

    Attributes
    ----------
    place : int
        Its place on the command line, from 0.
    source : str
        The file, as the report names it.
    sha256 : str
        Of the file.
    score : Score
        Its score.
    """

    place: int
    source: str
    sha256: str
    score: Score

    @property
    def number(self) -> int:
        """What stands for the submission in plots and tables, from 1."""
        return self.place + 1

    @property
    def full_name(self) -> str:
        """Name of the model, or of the file that doesn't state one."""
        return str(self.score.predictions.meta.get("model") or self.source)

    @property
    def name(self) -> str:
        """The name, shortened where it is very long."""
        name = self.full_name
        return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"

    @property
    def meta(self) -> dict[str, Any]:
        """What the file says about the model."""
        return dict(self.score.predictions.meta)

    @property
    def whole(self) -> Group:
        """The figures over all items."""
        return self.score.analysis.groups[0]

    def groups(self, *by: str) -> dict[tuple[str, ...], Group]:
        """Return the groups of one grouping by their names, in the order of the scorer."""
        return {group.names: group for group in self.score.analysis.groups if group.by == by}


def short_paths(paths: Sequence[Path]) -> list[str]:
    """Return the paths without the folders that they can be told apart without."""
    parts = [path.absolute().parts for path in paths]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(each[-length:]) for each in parts]
        if len(set(names)) == len(names):
            break
    return [printable(name) for name in names]
