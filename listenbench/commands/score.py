"""`listenbench score`: score predictions on a data set or a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from listenbench.scoring.predictions import Duplicates
    from listenbench.scoring.score import Score


@click.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), help="Data set folder.")
@click.option("--key", type=click.Path(path_type=Path), help="Key file, instead of a data set.")
@click.option(
    "--json",
    "json_path",
    metavar="FILE",
    help="Write the whole score as JSON; - for stdout instead of tables.",
)
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--csv", "form", flag_value="csv", help="Print comma-separated values, one row a group.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX rows, one a task.")
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "last"]),
    default="error",
    show_default=True,
    help="Which answer counts when a file has several.",
)
@click.option("--strict", is_flag=True, help="Fail when a file has no answer.")
@click.option(
    "--resamples", default=5_000, show_default=True, help="Bootstrap resamples behind each interval."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
def command(
    predictions: Path,
    data: Path | None,
    key: Path | None,
    json_path: str | None,
    form: str | None,
    duplicates: Duplicates,
    strict: bool,
    resamples: int,
    seed: int,
) -> None:
    """Score PREDICTIONS, a JSON Lines file with one answer a line.

    A line is {"id": ..., "answer": "A"}, or has "logprobs": {"A": ..., "B": ...} or "text" instead of
    "answer". Missing and invalid answers count as wrong.

    \b
    Example:
      listenbench score predictions.jsonl --data data/test-0
      listenbench score predictions.jsonl --key gold.jsonl --json score.json
    """
    from listenbench.scoring import score
    from listenbench.scoring.console import reporting_bad_lines

    with reporting_bad_lines():
        result = score(
            predictions,
            the_key(data, key),
            duplicates=duplicates,
            strict=strict,
            resamples=resamples,
            seed=seed,
        )
    emit(result, json_path, form)


def the_key(data: Path | None, key: Path | None) -> Path:
    """Return the one of two options that was given."""
    if (data is None) == (key is None):
        raise click.UsageError("give either --data DIR or --key FILE")
    return data or key or Path()


def emit(result: Score, json_path: str | None, form: str | None) -> None:
    """Write the JSON file, if asked for, and print the tables."""
    from listenbench.scoring.console import write_text

    if json_path is not None:
        text = json.dumps(result.to_dict(), indent=2, allow_nan=False)
        if json_path == "-":
            click.echo(text)
            return
        write_text(Path(json_path), f"{text}\n")
    forms: dict[str | None, Callable[[], str]] = {
        None: result.to_text,
        "markdown": result.to_markdown,
        "csv": result.to_csv,
        "latex": result.to_latex,
    }
    click.echo(forms[form]())
