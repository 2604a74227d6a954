"""The options of packing, which several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from listenbench.errors import SpecError
from listenbench.packing.options import DEFAULT_SHARD_BYTES, PARQUET, WEBDATASET, Packing

C = TypeVar("C", bound=Callable[..., Any])


def packing_options(command: C) -> C:
    """Add --shards, --parquet, --answers and --shard-bytes to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--shards",
        "shards",
        type=click.Choice([WEBDATASET]),
        help="Pack the recordings into tar files that the webdataset library reads.",
    ),
    click.option(
        "--parquet", is_flag=True, help="Pack the recordings into Parquet files that Hugging Face reads."
    ),
    click.option(
        "--answers", is_flag=True, help="Put the answers into the shards as well, for training on them."
    ),
    click.option(
        "--shard-bytes",
        type=int,
        metavar="N",
        help=f"Most bytes a shard.  [default: {DEFAULT_SHARD_BYTES}]",
    ),
)


def packing_of(
    *, shards: str | None, parquet: bool, answers: bool, shard_bytes: int | None
) -> Packing | None:
    """Return the packing that the options ask for, or None if they ask for none.

    Raises
    ------
    SpecError
        If they contradict each other.
    """
    if shards is not None and parquet:
        raise SpecError("--shards and --parquet are two ways of packing: give one of them")
    form = PARQUET if parquet else shards
    if form is None:
        if answers or shard_bytes is not None:
            raise SpecError("--answers and --shard-bytes belong to --shards or --parquet: give one of them")
        return None
    return Packing(form, answers, DEFAULT_SHARD_BYTES if shard_bytes is None else shard_bytes)
