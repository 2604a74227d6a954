"""`listenbench report`: the scores of one or several models as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from listenbench.scoring.console import Settings, reporting_bad_lines, scoring_options, the_key


@click.command()
@click.argument("predictions", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Data set folder.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Key file, instead of a data set; the page has no players then.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Page to write.")
@click.option(
    "--players",
    default=8,
    show_default=True,
    help="Worst items that the page holds with their recordings, at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a summary of the page as JSON.")
@scoring_options
def command(
    *,
    predictions: tuple[Path, ...],
    data: Path | None,
    key: Path | None,
    out: Path,
    players: int,
    as_json: bool,
    **settings: Unpack[Settings],
) -> None:
    """Write the scores of PREDICTIONS, one file a model, as one HTML page that needs nothing else.

    The page has the headline figures against guessing and human listeners, misses against false flips by task
    and sound change, psychometric curves with thresholds, letter bias, pair consistency, the differences from
    the first model, and the worst items to listen to.

    \b
    Example:
      listenbench report dsp.jsonl --data data/test-0 --out report.html
      listenbench report a.jsonl b.jsonl c.jsonl --data data/test-0 --out report.html --players 4
    """
    import json

    from listenbench.errors import SpecError
    from listenbench.scoring.console import write_text
    from listenbench.web.report import make_report

    source = the_key(data, key)
    if out.resolve() in {path.resolve() for path in (*predictions, source)}:
        raise SpecError(f"--out {out}: this is one of the files to read; write the page elsewhere")
    with reporting_bad_lines():
        report = make_report(predictions, source, settings, players=players, out=out, progress=True)
    write_text(out, report.html)
    summary = report.to_dict()
    if as_json:
        click.echo(json.dumps({"page": str(out), **summary}, indent=2))
        return
    models = f"{len(predictions)} model{'s' if len(predictions) > 1 else ''}"
    sound = f"{len(report.items)} items to listen to in {summary['players']['recordings']} recordings"
    click.echo(f"{out}: {models}, {sound}, {summary['bytes'] / 1e6:.1f} MB")
