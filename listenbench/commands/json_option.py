"""The option --json of commands that report figures: JSON in place of the text, or in a file beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from listenbench.errors import SpecError
from listenbench.scoring.console import write_text

C = TypeVar("C", bound=Callable[..., Any])

STDOUT: Final = "-"
_SUFFIX: Final = ".json"
_STARTS: Final = (b"", b"{\n")
"""How a file may start that is replaced: empty, or as `json.dumps` with an indent writes an object."""


def json_option(what: str) -> Callable[[C], C]:
    """Return a decorator that adds `--json [FILE]`, whose value is None, '-' or the name of a file.

    Parameters
    ----------
    what : str
        What is written, for the help.
    """
    return click.option(
        "--json",
        "json_path",
        is_flag=False,
        flag_value=STDOUT,
        metavar="[FILE]",
        callback=_checked,
        help=f"Print {what} as JSON; with FILE, which ends in .json, write it there, beside the text.",
    )


def _checked(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse another argument of the command that stands behind --json, and a file of something else."""
    if value is None or value == STDOUT:
        return value
    if not value.lower().endswith(_SUFFIX):
        raise click.UsageError(
            f"--json: {value!r} is no file to write, whose name ends in {_SUFFIX}: put --json at the end, or "
            "write '--json -'."
        )
    if _start_of(Path(value)) not in _STARTS:
        raise SpecError(f"--json {value}: this file is there and holds no report: give another name")
    return value


def emit(value: Callable[[], Mapping[str, Any]], json_path: str | None, text: Callable[[], str]) -> None:
    """Print the text, and write JSON if asked for; on standard output, JSON takes the place of the text.

    Raises
    ------
    DataError
        If the file can't be written.
    """
    if json_path is not None:
        report = json.dumps(value(), indent=2, allow_nan=False)
        if json_path == STDOUT:
            click.echo(report)
            return
        write_text(Path(json_path), f"{report}\n")
    click.echo(text())


def _start_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(2)
    except OSError:
        return b""
