"""`listenbench baseline`: write the predictions of a reference listener."""

from __future__ import annotations

from pathlib import Path

import click

NAMES = ("always-a", "always-b", "random")


@click.command()
@click.argument("name", type=click.Choice(NAMES))
@click.option(
    "--data", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Predictions file to write."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of `random`.")
def command(name: str, folder: Path, out: Path, seed: int) -> None:
    """Write the predictions of a listener that is known not to hear.

    Such a listener sees what a model sees, and its score shows what guessing is worth.

    \b
    Example:
      listenbench baseline always-a --data data/test-0 --out always-a.jsonl
    """
    from listenbench.baselines import predict, write_predictions
    from listenbench.dataset import load

    predictions = predict(name, load(folder), seed)
    write_predictions(out, name, predictions)
    click.echo(f"{out}: {len(predictions)} answers")
