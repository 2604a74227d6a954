"""What the scoring commands share: reporting bad lines, and writing whole files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import click

from listenbench.errors import DataError
from listenbench.scoring.problems import BadLinesError
from listenbench.whole_files import write_whole

if TYPE_CHECKING:
    from listenbench.scoring.predictions import Duplicates


class Settings(TypedDict):
    """The options of `scoring_options`, as the functions of `listenbench.scoring` take them."""

    duplicates: Duplicates
    strict: bool
    resamples: int
    seed: int


def scoring_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `Settings` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS: Final = (
    click.option(
        "--duplicates",
        type=click.Choice(["error", "first", "last"]),
        default="error",
        show_default=True,
        help="Which answer counts when a file has several.",
    ),
    click.option("--strict", is_flag=True, help="Fail when a file has no answer."),
    click.option(
        "--resamples", default=5_000, show_default=True, help="Bootstrap resamples behind each interval."
    ),
    click.option("--seed", default=0, show_default=True, help="Seed of the resampling."),
)


def key_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options `--data` and `--key`, of which `the_key` takes one."""
    for option in reversed(_KEY_OPTIONS):
        command = option(command)
    return command


_KEY_OPTIONS: Final = (
    click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Data set folder."),
    click.option(
        "--key", type=click.Path(path_type=Path), metavar="FILE", help="Key file, instead of a data set."
    ),
)


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


def the_key(data: Path | None, key: Path | None) -> Path:
    """Return the one of the options `--data` and `--key` that was given.

    Raises
    ------
    click.UsageError
        If both were given, or none.
    """
    given = [path for path in (data, key) if path is not None]
    if len(given) != 1:
        raise click.UsageError("give either --data DIR or --key FILE.")
    return given[0]


def write_text(path: Path, text: str) -> None:
    """Write a whole file or none: to a temporary name beside it, then renamed.

    Raises
    ------
    DataError
        If it can't be written.
    """
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise DataError(f"{path}: it can't be written: {error.strerror or error}") from error
