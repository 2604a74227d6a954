"""`listenbench verify`: check a data set on disk."""

from __future__ import annotations

import json
from pathlib import Path

import click

from listenbench.cli import STATUS


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(folder: Path, *, as_json: bool) -> int:
    """Check that a data set is whole and unchanged: tables, hashes, counts.

    Exit status 0 if it is, 1 if something was altered, deleted or added, 2 if FOLDER is no data set.

    \b
    Example:
      listenbench verify data/test-0
    """
    from listenbench.dataset import read_description
    from listenbench.verify import verify

    problems = verify(folder)
    counts = read_description(folder).get("counts")
    recordings = counts.get("recordings") if isinstance(counts, dict) else None
    status = 1 if problems else 0
    click.get_current_context().meta[STATUS] = status
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "recordings": recordings, "problems": problems}))
    else:
        click.echo(
            "\n".join(problems) if problems else f"{folder}: {recordings} recordings, all as they were made"
        )
    return status
