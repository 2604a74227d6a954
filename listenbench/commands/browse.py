"""`listenbench browse`: look at and listen to the items of a data set."""

from __future__ import annotations

import json
from pathlib import Path

import click

_DEFAULT_PORT = 8700


@click.command()
@click.option(
    "--data", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to be reached at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=_DEFAULT_PORT,
    show_default=True,
    help="Port to be reached at; 0 for any that is free.",
)
@click.option(
    "--open/--no-open", "opened", default=False, show_default=True, help="Open the page in a browser."
)
@click.option("--no-answers", is_flag=True, help="Leave out answers, edits and notes.")
@click.option(
    "--export",
    "target",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the page as static files instead of serving it.",
)
@click.option("--json", "as_json", is_flag=True, help="With --export: print what was written as JSON.")
def command(
    *, folder: Path, host: str, port: int, opened: bool, no_answers: bool, target: Path | None, as_json: bool
) -> None:
    """Look at and listen to the items of a data set, on a page for the browser.

    Prints the page's address; Ctrl-C ends it. Nobody but this machine can reach it unless --host says so.
    What --export writes works on any web server and from the disk: open its index.html.

    \b
    Example:
      listenbench browse --data data/test-0 --open
      listenbench browse --data data/test-0 --export site --no-answers
    """
    from listenbench.web.item_index import read_index

    if as_json and target is None:
        raise click.UsageError("--json goes with --export.")
    index = read_index(folder)
    if target is not None:
        from listenbench.web.browse_export import export

        written = export(index, target, answers=not no_answers)
        click.echo(json.dumps(written.to_dict()) if as_json else written.to_text())
        return
    from listenbench.web.browse_app import browse_app
    from listenbench.web.server import address_of, bound_socket, serve

    with bound_socket(host, port) as bound:
        address = address_of(bound, host)

        def announce() -> None:
            click.echo(address)
            if opened:
                click.launch(address)

        serve(browse_app(index, host, answers=not no_answers), bound, announce)
