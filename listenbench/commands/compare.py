"""`listenbench compare`: compare two predictions files."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from listenbench.commands.json_option import emit, json_option
from listenbench.scoring.console import (
    Settings,
    key_options,
    reporting_bad_lines,
    scoring_options,
    the_key,
)


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@key_options
@json_option("the comparison")
@click.option("--markdown", is_flag=True, help="Print Markdown tables.")
@scoring_options
def command(
    first: Path,
    second: Path,
    data: Path | None,
    key: Path | None,
    json_path: str | None,
    markdown: bool,
    **settings: Unpack[Settings],
) -> None:
    """Compare the predictions FIRST and SECOND on the same items.

    Prints the differences with paired intervals, McNemar's test, the smallest difference that this many
    items can show, and whether MR fell more than FFR.

    \b
    Example:
      listenbench compare before.jsonl after.jsonl --data data/test-0
    """
    from listenbench.scoring import compare

    with reporting_bad_lines():
        result = compare(first, second, the_key(data, key), **settings)
    emit(result.to_dict, json_path, result.to_markdown if markdown else result.to_text)
