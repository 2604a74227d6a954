"""`listenbench merge`: join the parts of a data set."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("parts", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PART...")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder to make.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(*, parts: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Join the parts that `generate --shard I/N` made, into the very data set that one run makes.

    The parts stay as they are; every recording is checked on the way.

    \b
    Example:
      listenbench generate --split test --shard 1/2 --out parts/1
      listenbench generate --split test --shard 2/2 --out parts/2
      listenbench merge parts/1 parts/2 --out data/test-0
    """
    from listenbench.merging import merge

    description = merge(parts, out).description
    summary = {
        "folder": str(out),
        "recordings": description["counts"]["recordings"],
        "items": description["counts"]["items"],
        "fingerprint": description["fingerprint"],
    }
    if as_json:
        click.echo(json.dumps(summary))
        return
    click.echo(f"{out}: {summary['recordings']} recordings of {summary['items']} items")
    click.echo(f"fingerprint {summary['fingerprint']}")
