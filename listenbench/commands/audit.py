"""`listenbench audit`: prove that a data set tests hearing, and nothing else."""

from __future__ import annotations

from pathlib import Path

import click

from listenbench.commands.json_option import emit, json_option

_FOLDER = click.Path(path_type=Path)
_DEFAULT_WORKERS = 2
FAILED = 1


@click.command()
@click.argument("folder", type=_FOLDER, metavar="DIR")
@click.option("--against", type=_FOLDER, metavar="OTHER_DIR", help="Data set to share nothing with.")
@click.option("--all", "everything", is_flag=True, help="Measure every recording, not a sample of each kind.")
@json_option("the report")
@click.option("--html", "html_file", type=_FOLDER, metavar="FILE", help="Write the report as a web page too.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=_DEFAULT_WORKERS,
    show_default=True,
    help="Processes that measure recordings.",
)
def command(
    folder: Path,
    against: Path | None,
    everything: bool,
    json_path: str | None,
    html_file: Path | None,
    workers: int,
) -> int:
    """Check a data set for wrong labels, imbalance, duplicates, shortcuts and leaks.

    Each check prints its figure and its limit, and on failure the items. Exit status 0 when all hold,
    1 when one fails, 2 when DIR can't be audited.

    \b
    Example:
      listenbench audit data/test-0
      listenbench audit data/test-0 --against data/train-0 --html audit.html
    """
    from listenbench.audit import audit, failures
    from listenbench.audit.report import as_html, as_json, as_text
    from listenbench.dataset import read_description
    from listenbench.scoring.console import write_text

    fingerprint = str(read_description(folder).get("fingerprint"))
    checks = audit(folder, against, everything=everything, workers=workers, progress=True)
    if html_file is not None:
        write_text(html_file, as_html(str(folder), checks))
    emit(lambda: as_json(str(folder), fingerprint, checks), json_path, lambda: as_text(checks))
    return FAILED if failures(checks) else 0
