"""The commands that give a report and its figures again, as they stand at its foot."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from listenbench.scoring.bootstrap import RESAMPLES
from listenbench.scoring.console import Settings
from listenbench.scoring.problems import printable

PLAYERS: Final = 8
"""Default number of worst items with players."""


def report_commands(
    sources: Sequence[str], data: Path, out: str, settings: Settings, players: int
) -> tuple[str, ...]:
    """Return the command of the report, that of a score, and that of a comparison where there are two.

    Options that have their default are left out, and so are the folders in which data and page lie.
    """
    key = ("--data" if data.is_dir() else "--key", printable(data.name))
    scoring = _options(settings)
    shown = [] if players == PLAYERS else ["--players", str(players)]
    commands = [
        ["report", *sources, *key, "--out", printable(out), *shown, *scoring],
        ["score", sources[0], *key, *scoring],
        *([["compare", sources[0], sources[1], *key, *scoring]] if len(sources) > 1 else []),
    ]
    return tuple(shlex.join(["listenbench", *command]) for command in commands)


def _options(settings: Settings) -> list[str]:
    options = [] if settings["duplicates"] == "error" else ["--duplicates", settings["duplicates"]]
    options += ["--strict"] if settings["strict"] else []
    options += [] if settings["resamples"] == RESAMPLES else ["--resamples", str(settings["resamples"])]
    return options + ([] if settings["seed"] == 0 else ["--seed", str(settings["seed"])])
