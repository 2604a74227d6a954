"""`listenbench generate`: make a data set."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from listenbench.commands.packing_options import packing_of, packing_options
from listenbench.errors import SpecError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from listenbench.delivery import Delivery
    from listenbench.packing.options import Packing
    from listenbench.request import Request


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
    metavar="DIR|URL",
    help="Folder to make; for shards also an address such as s3://bucket/folder.  "
    "[default: data/<split>-<seed>]",
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
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Work on a Dask cluster, such as tcp://10.0.0.1:8786, whose workers see the same folders.",
)
@click.option(
    "--shard", metavar="I/N", help="Make the I-th of N parts; `listenbench merge` joins them.  [default: all]"
)
@click.option(
    "--format",
    "audio_format",
    metavar="wav|flac",
    default="wav",
    show_default=True,
    help="How recordings are stored; FLAC takes a third of the space.",
)
@packing_options
@click.option("--overwrite", is_flag=True, help="Replace the data set in the same folder, even the same one.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(  # noqa: PLR0913 # one parameter an option
    *,
    split: str,
    seed: int,
    out: str | None,
    items: int | None,
    tasks: list[str] | None,
    variants: list[str] | None,
    workers: int | None,
    scheduler: str | None,
    shard: str | None,
    audio_format: str,
    shards: str | None,
    parquet: bool,
    answers: bool,
    shard_bytes: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a data set: recordings, questions, and the key apart.

    The folder appears under its name when it is complete, and not before. A data set that is there
    already and just the one asked for is left as it is. After an interruption the same command goes on
    from where it was.

    \b
    Example:
      listenbench generate --split test --seed 0
      listenbench generate --split train --seed 1 --items 100 --tasks melody,rhythm --out data/small
      listenbench generate --split train --shards webdataset --answers --out s3://bucket/train-0
    """
    # A request to end is obeyed like Ctrl-C: workers are ended, and what is finished is kept.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    from listenbench.generation import make
    from listenbench.request import Shard, make_request
    from listenbench.self_report import report_lines

    started = time.perf_counter()
    part = None if shard is None else Shard.parse(shard)
    request = make_request(split, seed, tasks, items, variants, part, audio_format)
    packing = packing_of(shards=shards, parquet=parquet, answers=answers, shard_bytes=shard_bytes)
    delivery = _delivery(request, out, packing)
    with _workers(workers, scheduler) as pool:
        make(request, delivery, pool, overwrite=overwrite, progress=True)
    summary = _summary(delivery.shown, delivery.description())
    if as_json:
        click.echo(json.dumps(summary))
        return
    click.echo(f"{summary['folder']}: {summary['recordings']} recordings of {summary['items']} items")
    for line in report_lines(summary["self_report"]):
        click.echo(line)
    click.echo(f"fingerprint {summary['fingerprint']}")
    elapsed = time.perf_counter() - started
    click.echo(f"{elapsed:.1f} s, {1000 * elapsed / summary['items']:.0f} ms an item", err=True)


@contextlib.contextmanager
def _workers(workers: int | None, scheduler: str | None) -> Iterator[int | Executor]:
    """Yield the number of processes, or the executor of a cluster."""
    if scheduler is None:
        yield _default_workers() if workers is None else workers
        return
    if workers is not None:
        raise SpecError(
            "--workers and --scheduler: a cluster has its own number of workers: give one of them"
        )
    from listenbench.cluster import cluster

    with cluster(scheduler) as executor:
        yield executor


def _default_workers() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _delivery(request: Request, out: str | None, packing: Packing | None) -> Delivery:
    """Return where the data set belongs, and in which form."""
    from listenbench.delivery import FolderDelivery
    from listenbench.generation import default_target
    from listenbench.packing.delivery import delivery_to
    from listenbench.packing.files import is_address

    target = default_target(request)
    if packing is None:
        if out is not None and is_address(out):
            raise SpecError(
                f"--out {out}: a folder of recordings is made on disk: give --shards or --parquet as well"
            )
        return FolderDelivery(target if out is None else Path(out))
    name = f"{target.name}-{packing.form}"
    return delivery_to(
        target.with_name(name) if out is None else out,
        packing,
        target.with_name(f"{name}-upload"),
        progress=True,
    )


def _summary(folder: str, description: Mapping[str, Any]) -> dict[str, Any]:
    counts = description["counts"]
    return {
        "folder": folder,
        "recordings": counts["recordings"],
        "items": counts["items"],
        "self_report": description.get("self_report", {}),
        "fingerprint": description["fingerprint"],
    }
