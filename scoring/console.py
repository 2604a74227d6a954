"""What the scoring commands share: reporting bad lines, and writing whole files."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from listenbench.errors import DataError
from listenbench.scoring.problems import BadLinesError


@contextmanager
def reporting_bad_lines() -> Iterator[None]:
    """Print every bad line but the first, which the error itself carries, to stderr."""
    try:
        yield
    except BadLinesError as error:
        for problem in error.problems[1:]:
            click.echo(str(problem), err=True)
        if error.count > len(error.problems):
            click.echo(f"... and {error.count - len(error.problems)} more bad lines", err=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a whole file or none: to a temporary name beside it, then renamed.

    Raises
    ------
    DataError
        If it can't be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise DataError(f"{path}: it can't be written: {error.strerror or error}") from error
