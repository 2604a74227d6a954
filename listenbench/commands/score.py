"""`listenbench score`: score predictions on a data set or a key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from listenbench.commands.json_option import emit, json_option
from listenbench.scoring.console import (
    Settings,
    key_options,
    reporting_bad_lines,
    scoring_options,
    the_key,
)

if TYPE_CHECKING:
    from listenbench.scoring.condition_scores import ConditionScores
    from listenbench.scoring.scored import Score


@click.command()
@click.argument("predictions", nargs=-1, required=True, type=click.Path(path_type=Path))
@key_options
@json_option("the whole score")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--csv", "form", flag_value="csv", help="Print comma-separated values, one row a group.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX rows, one a task.")
@scoring_options
def command(
    predictions: tuple[Path, ...],
    data: Path | None,
    key: Path | None,
    json_path: str | None,
    form: str | None,
    **settings: Unpack[Settings],
) -> None:
    """Score PREDICTIONS, a JSON Lines file with one answer a line.

    A line is {"id": ..., "answer": "A"}, or has "logprobs": {"A": ..., "B": ...} or "text" instead of
    "answer". Missing and invalid answers count as wrong.

    Several files are those of one model under several conditions (meta.condition), one of which is 'none':
    each is scored, with its difference from 'none'.

    \b
    Example:
      listenbench score predictions.jsonl --data data/test-0
      listenbench score predictions.jsonl --key gold.jsonl --json score.json
      listenbench score audio.jsonl silence.jsonl none.jsonl --data data/test-0
    """
    from listenbench.scoring import score, score_conditions

    with reporting_bad_lines():
        result: Score | ConditionScores = (
            score(predictions[0], the_key(data, key), **settings)
            if len(predictions) == 1
            else score_conditions(predictions, the_key(data, key), **settings)
        )
    forms = {"markdown": result.to_markdown, "csv": result.to_csv, "latex": result.to_latex}
    emit(result.to_dict, json_path, result.to_text if form is None else forms[form])
