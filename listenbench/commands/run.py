"""`listenbench run`: ask a model about every recording."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from listenbench.errors import SpecError
from listenbench.extras import how_to_install

if TYPE_CHECKING:
    from listenbench.models.run import Summary

CONDITIONS = ("audio", "none", "silence", "noise", "clip-a", "clip-b", "swapped", "midi-text")
READOUTS = ("generated", "logprob")
SAMPLING = ("temperature", "top_p", "max_tokens", "seed")


def _arguments(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    arguments = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{value!r} is not NAME=VALUE")
        arguments[name] = _value(text)
    return arguments


def _value(text: str) -> Any:
    """Return a number, a boolean or another JSON value; what is none is a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@click.command()
@click.option(
    "--data", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set."
)
@click.option("--model", required=True, metavar="NAME", help="Provider and model as Inspect names them.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Predictions file to write."
)
@click.option(
    "--readout",
    type=click.Choice(READOUTS),
    default="generated",
    show_default=True,
    help="Read the letter in the reply, or in the log-probabilities of its first token.",
)
@click.option(
    "--condition",
    type=click.Choice(CONDITIONS),
    default="audio",
    show_default=True,
    help="What the model is shown beside the question.",
)
@click.option("--json-answer", is_flag=True, help="Ask for a JSON object, up to five times.")
@click.option("--base-url", metavar="URL", help="Address of the service, if not the provider's own.")
@click.option(
    "-M",
    "model_args",
    multiple=True,
    callback=_arguments,
    metavar="NAME=VALUE",
    help="Argument of the provider; may be given several times.",
)
@click.option("--temperature", type=click.FloatRange(min=0), default=0.0, show_default=True)
@click.option("--top-p", type=click.FloatRange(min=0, max=1))
@click.option("--max-tokens", type=click.IntRange(min=1), help="Longest reply.  [default: the provider's]")
@click.option("--seed", type=int, help="Seed of sampling, where the provider takes one.")
@click.option(
    "--trained-on",
    default="none",
    show_default=True,
    metavar="NAME",
    help="Training split that the model has seen.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Ask about the first N recordings only."
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    metavar="N",
    help="Requests at a time.  [default: adaptive]",
)
@click.option(
    "--max-retries",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    metavar="N",
    help="Repetitions of a request that fails.",
)
@click.option("--no-preflight", is_flag=True, help="Don't check first that the model hears what it is sent.")
@click.option("--accept-missing", is_flag=True, help="Write the file even if recordings have no reply.")
@click.option("--overwrite", is_flag=True, help="Replace a predictions file of another run.")
@click.option(
    "--log-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where Inspect's logs go.  [default: beside FILE]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the meta line as JSON.")
def command(
    *,
    folder: Path,
    out: Path,
    no_preflight: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask a model about every recording of a data set, and write its predictions.

    A preflight checks first that the model hears what it is sent. A run that was stopped is resumed by
    the same call, and asks nothing twice. Keys are read from the environment, for example OPENAI_API_KEY.

    \b
    Example:
      listenbench run --data data/test-0 --model openai/gpt-audio --out gpt-audio.jsonl
      listenbench run --data data/test-0 --model openai/gpt-audio --condition none --out deaf.jsonl
      listenbench score gpt-audio.jsonl --data data/test-0
    """
    _require_inspect()
    from listenbench.dataset import load
    from listenbench.models.run import run
    from listenbench.models.settings import RunSettings

    sampling = {name: value for name in SAMPLING if (value := options.pop(name)) is not None}
    settings = RunSettings(**options, sampling=sampling, preflight=not no_preflight, progress=True)
    summary = run(load(folder), out, settings)
    batch = summary.meta.get("batch_check")
    if batch is not None and batch["changed"]:
        click.echo(
            f"listenbench: {batch['changed']} of {batch['together']} replies of the preflight changed when "
            f"{batch['together']} were asked for at once: compare with a run of --max-connections 1",
            err=True,
        )
    click.echo(json.dumps(summary.meta, ensure_ascii=False) if as_json else _report(summary, folder))


def _require_inspect() -> None:
    if find_spec("inspect_ai") is None:
        raise SpecError(f"this command needs Inspect: {how_to_install('inspect')}")


def _report(summary: Summary, folder: Path) -> str:
    counts = summary.meta["counts"]
    return (
        f"{summary.path}: {counts['recordings']} recordings, {counts['answered']} answered with a letter, "
        f"{counts['refusals']} refused, {counts['parse_failures']} not readable, "
        f"{counts['missing']} missing\nscore: listenbench score {summary.path} --data {folder}"
    )
