"""`listenbench effects`: the effects of the augmentation chain, what each keeps, and its options."""

from __future__ import annotations

import json
from typing import Any

import click

from listenbench.effects import EFFECTS, get_effect
from listenbench.effects.base import Effect


@click.command("effects")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the effects: where each acts, which tasks it keeps, and its options with their defaults.

    A split sets options in a table of its own, such as [effects.room] with rt60_s = [0.3, 0.8].

    \b
    Examples:
      listenbench effects
      listenbench effects room --json
    """
    descriptions = [_description(get_effect(name)) for name in (names or EFFECTS)]
    if as_json:
        click.echo(json.dumps(descriptions, indent=2))
    else:
        click.echo("\n\n".join(_text(description) for description in descriptions))


def _description(effect: Effect[Any, Any]) -> dict[str, Any]:
    """Return all that there is to say about an effect, as JSON data."""
    return {
        "name": effect.name,
        "title": effect.title,
        "stage": str(effect.stage),
        "keeps": sorted(effect.keeps),
        "alters": sorted(effect.alters),
        "options": effect.options().model_dump(mode="json"),
    }


def _text(description: dict[str, Any]) -> str:
    options = (f"{name} = {json.dumps(value)}" for name, value in description["options"].items())
    lines = {
        "acts on": description["stage"],
        "keeps": ", ".join(description["keeps"]),
        "alters": ", ".join(description["alters"]) or "no symbol, the sound alone",
        "options": ", ".join(options) or "none",
    }
    head = f"{description['name']}: {description['title']}"
    return "\n".join([head, *(f"  {label:8} {text}" for label, text in lines.items())])
