"""`listenbench agreement`: how well listeners agree on the files that several of them answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from listenbench.commands.json_option import emit, json_option
from listenbench.scoring.console import key_options, reporting_bad_lines, the_key

if TYPE_CHECKING:
    from listenbench.scoring.predictions import Duplicates


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@key_options
@json_option("the figures")
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "last"]),
    default="error",
    show_default=True,
    help="Which answer counts when a listener gave several to a file.",
)
@click.option(
    "--resamples", default=1_000, show_default=True, help="Bootstrap resamples behind each interval."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
def command(
    *,
    file: Path,
    data: Path | None,
    key: Path | None,
    json_path: str | None,
    duplicates: Duplicates,
    resamples: int,
    seed: int,
) -> None:
    """Measure how well listeners agree, by Krippendorff's alpha, over all files and by task.

    FILE is a predictions file whose lines name a listener, as `listenbench listen` writes it.

    \b
    Example:
      listenbench agreement human.jsonl --data data/test-0
      listenbench agreement human.jsonl --data data/test-0 --json
    """
    from listenbench.scoring.agreement import make_agreement

    with reporting_bad_lines():
        report = make_agreement(
            file, the_key(data, key), duplicates=duplicates, resamples=resamples, seed=seed
        )
    emit(report.to_dict, json_path, report.to_text)
