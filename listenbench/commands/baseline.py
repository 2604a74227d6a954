"""`listenbench baseline`: write the predictions of a reference listener."""

from __future__ import annotations

from pathlib import Path

import click

NAMES = (
    "always-a",
    "always-b",
    "random",
    "equality",
    "text-only",
    "clip-a",
    "clip-b",
    "spectrum",
    "dsp",
)


@click.command()
@click.argument("name", type=click.Choice(NAMES), metavar="LISTENER")
@click.option(
    "--data", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Predictions file to write."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of `random`.")
@click.option(
    "--train",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Data set to learn from, which `text-only`, `clip-a`, `clip-b` and `spectrum` need.",
)
def command(name: str, folder: Path, out: Path, seed: int, train: Path | None) -> None:
    """Write the predictions of LISTENER, one of our reference listeners.

    It sees what a model sees: the questions and the recordings, never the key.
    always-a, always-b and random don't listen; equality compares samples; text-only, clip-a and
    clip-b learn from a train data set and are given the question, or one clip; spectrum answers
    'different' where the sound has changed much; dsp hears melody, harmony, timbre and rhythm.

    \b
    Example:
      listenbench baseline always-a --data data/test-0 --out always-a.jsonl
      listenbench baseline clip-b --train data/train-0 --data data/test-0 --out clip-b.jsonl
      listenbench baseline dsp --data data/test-0 --out dsp.jsonl
    """
    from listenbench.dataset import load
    from listenbench.listeners import predict, write_predictions

    known = load(train) if train is not None else None
    dataset = load(folder)
    predictions = predict(name, dataset, seed, known, progress=True)
    trained_on = str(known.description.get("name")) if known is not None else "none"
    write_predictions(out, name, predictions, trained_on, dataset.description.get("fingerprint"))
    click.echo(f"{out}: {len(predictions)} answers")
