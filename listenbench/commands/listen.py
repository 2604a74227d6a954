"""`listenbench listen`: a listening test for people, in their browsers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click


@click.command()
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="The data set.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Predictions file to write."
)
@click.option(
    "--items",
    type=click.IntRange(1),
    default=48,
    show_default=True,
    metavar="N",
    help="Questions a listener.",
)
@click.option(
    "--listeners-per-recording",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    metavar="N",
    help="How many listeners hear the same recordings; agreement needs two.",
)
@click.option(
    "--practice",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    metavar="N",
    help="Practice questions with feedback; their items are no part of the test.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of choice and order.")
@click.option(
    "--consent",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Text to agree to, with blank lines between paragraphs, instead of ours.",
)
@click.option("--no-headphone-check", is_flag=True, help="Don't check for headphones.")
@click.option(
    "--break-every",
    type=click.IntRange(0),
    default=24,
    show_default=True,
    metavar="N",
    help="Questions between breaks; 0 for none.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to serve at; 0 for any that is free.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Name by which browsers reach the server, such as a proxy's; may be given several times.",
)
@click.option(
    "--forget", metavar="CODE", help="Remove the answers of one listener, who has this code, and end."
)
def command(
    *,
    data: Path | None,
    out: Path,
    consent: Path | None,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    forget: str | None,
    **options: Any,
) -> None:
    """Serve a listening test, and write what people answer to a predictions file.

    Each browser is one anonymous listener. Answers are on disk at once; the same call goes on where an
    earlier one ended, however that was. Listeners who are half-way just reload the page.

    \b
    Example:
      listenbench listen --data data/test-0 --out human.jsonl
      listenbench score human.jsonl --data data/test-0
      listenbench agreement human.jsonl --data data/test-0
    """
    if forget is not None:
        _forget(out, forget)
        return
    if data is None:
        raise click.UsageError("Missing option '--data'.")
    from listenbench.web.guard import own_names
    from listenbench.web.listening.app import make_app
    from listenbench.web.listening.opening import Settings, open_test
    from listenbench.web.listening.pages import read_consent
    from listenbench.web.server import address_of, bound_socket, serve

    paragraphs = None if consent is None else read_consent(consent)
    options["headphone_check"] = not options.pop("no_headphone_check")
    with bound_socket(host, port) as bound, closing(open_test(Settings(data, out, **options))) as test:
        app = make_app(test, own_names(host, allow_host), questions=options["items"], consent=paragraphs)
        words = f"{address_of(bound, host)} (Ctrl-C ends the server; the same call goes on)"
        serve(app, bound, lambda: click.echo(words))
        click.echo(f"{out}: {test.answered} answers")


def _forget(out: Path, code: str) -> None:
    from listenbench.web.listening.opening import forget

    forget(out, code)
    click.echo(f"{out}: the answers of {code} are removed")
