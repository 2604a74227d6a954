"""`listenbench generate`: make a data set."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from listenbench.dataset import Dataset


def _names(_context: click.Context, _option: click.Parameter, value: str | None) -> list[str] | None:
    if value is None:
        return None
    return [name.strip() for name in value.split(",") if name.strip()]


@click.command()
@click.option(
    "--split", required=True, metavar="NAME|FILE.toml", help="test, train, or a TOML file of your own."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same bytes.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder to make.  [default: data/<split>-<seed>]",
)
@click.option("--items", type=int, metavar="N", help="Items a task.  [default: as the split says]")
@click.option("--tasks", callback=_names, metavar="LIST", help="For example melody,rhythm.  [default: all]")
@click.option(
    "--variants",
    callback=_names,
    metavar="LIST",
    help="Out of clean,flip,stay,both.  [default: as the split says]",
)
@click.option(
    "--workers", type=int, metavar="N", help="Processes; the bytes don't depend on it.  [default: one a core]"
)
@click.option("--overwrite", is_flag=True, help="Replace another data set in the same folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(
    *,
    split: str,
    seed: int,
    out: Path | None,
    items: int | None,
    tasks: list[str] | None,
    variants: list[str] | None,
    workers: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a data set: recordings, questions, and the key apart.

    The folder appears under its name when it is complete, and not before. A data set that is there
    already and just the one asked for is left as it is.

    \b
    Example:
      listenbench generate --split test --seed 0
      listenbench generate --split train --seed 1 --items 100 --tasks melody,rhythm --out data/small
    """
    from listenbench.generation import generate

    started = time.perf_counter()
    dataset = generate(
        split,
        seed,
        out,
        tasks=tasks,
        items=items,
        variants=variants,
        workers=_default_workers() if workers is None else workers,
        overwrite=overwrite,
        progress=True,
    )
    summary = _summary(dataset)
    if as_json:
        click.echo(json.dumps(summary))
        return
    click.echo(f"{summary['folder']}: {summary['recordings']} recordings of {summary['items']} items")
    click.echo(f"fingerprint {summary['fingerprint']}")
    click.echo(f"{time.perf_counter() - started:.1f} s", err=True)


def _default_workers() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _summary(dataset: Dataset) -> dict[str, Any]:
    counts = dataset.description["counts"]
    return {
        "folder": str(dataset.folder),
        "recordings": counts["recordings"],
        "items": counts["items"],
        "fingerprint": dataset.description["fingerprint"],
    }
