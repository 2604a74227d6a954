"""`listenbench export`: pack a finished data set."""

from __future__ import annotations

import json
from pathlib import Path

import click

from listenbench.commands.packing_options import packing_of, packing_options
from listenbench.errors import SpecError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DATA")
@click.option(
    "--out",
    required=True,
    metavar="DIR|URL",
    help="Folder to make, or an address such as s3://bucket/folder.",
)
@packing_options
@click.option("--overwrite", is_flag=True, help="Replace another data set in the same place.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(  # one parameter an option
    *,
    folder: Path,
    out: str,
    shards: str | None,
    parquet: bool,
    answers: bool,
    shard_bytes: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Pack a finished data set into tar or Parquet files; the data set stays as it is.

    What is made is whole when it has a dataset.json. The answers stay out of the shards unless --answers is
    given; gold.jsonl and manifest.jsonl lie beside them for the evaluator.

    \b
    Example:
      listenbench export data/train-0 --shards webdataset --answers --out data/train-0-webdataset
      listenbench export data/test-0 --parquet --out s3://bucket/test-0
    """
    from listenbench.dataset import read_description
    from listenbench.packing.export import export

    packing = packing_of(shards=shards, parquet=parquet, answers=answers, shard_bytes=shard_bytes)
    if packing is None:
        raise SpecError("give --shards webdataset or --parquet")
    export(folder, out, packing, overwrite=overwrite, progress=True)
    description = read_description(folder)
    summary = {
        "folder": out,
        "recordings": description["counts"]["recordings"],
        "fingerprint": description["fingerprint"],
    }
    if as_json:
        click.echo(json.dumps(summary))
        return
    click.echo(f"{out}: {summary['recordings']} recordings")
    click.echo(f"fingerprint {summary['fingerprint']}")
