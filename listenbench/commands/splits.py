"""`listenbench splits`: which splits there are, what they say, and whether two of them are apart."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from listenbench.cli import STATUS

if TYPE_CHECKING:
    from listenbench.splits import Split

OVERLAP = 1
"""Exit status of `check` where two splits share something."""


@click.group("splits", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List the splits that come with listenbench.

    A split says in TOML what a data set is made of. A file of your own works wherever a name does.

    \b
    Example:
      listenbench splits
      listenbench splits show test > my.toml
      listenbench splits check test my.toml
    """
    if context.invoked_subcommand is not None:
        return
    from listenbench.splits import load_split, split_names

    splits = [load_split(name) for name in split_names()]
    if as_json:
        click.echo(json.dumps([_summary(split) for split in splits], indent=2))
    else:
        click.echo("\n\n".join(_summary_text(split) for split in splits))


@command.command("show")
@click.argument("split", metavar="NAME|FILE.toml")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of TOML.")
def show_command(split: str, *, as_json: bool) -> None:
    """Print a split as TOML, with everything that it leaves to defaults.

    The output is a split itself, to be changed and used as a file of your own.

    \b
    Example:
      listenbench splits show train
    """
    from listenbench.splits import load_split
    from listenbench.splits.writer import resolved, split_toml

    loaded = load_split(split)
    if as_json:
        click.echo(json.dumps(resolved(loaded).model_dump(mode="json"), indent=2))
    else:
        click.echo(split_toml(loaded), nl=False)


@command.command("check")
@click.argument("test", metavar="TEST")
@click.argument("train", metavar="TRAIN")
@click.option("--json", "as_json", is_flag=True, help="Print the overlaps as JSON.")
def check_command(test: str, train: str, *, as_json: bool) -> int:
    """Check that TEST and TRAIN, names or TOML files, are apart.

    They must not share a soundfont, a sound change of STAY variants, a sounding pitch of melody or harmony,
    or a musical content. Exit status 0 if they don't, 1 if they do, one line each, and 2 if one of them is
    no split.

    \b
    Example:
      listenbench splits check test train
    """
    from listenbench.splits import load_split
    from listenbench.splits.disjoint import overlaps

    found = overlaps(load_split(test), load_split(train))
    status = OVERLAP if found else 0
    click.get_current_context().meta[STATUS] = status
    if as_json:
        click.echo(json.dumps([asdict(overlap) for overlap in found], indent=2))
    elif found:
        click.echo("\n".join(map(str, found)))
    else:
        click.echo(f"{test} and {train} share no soundfont, STAY family, sounding pitch or content")
    return status


def _summary(split: Split) -> dict[str, Any]:
    return {
        "name": split.name,
        "title": split.title,
        "items": split.items,
        "variants": list(split.variants),
        "recordings": split.items * len(split.variants) * len(split.tasks),
        "soundfonts": list(split.soundfonts),
        "tasks": {
            name: {"rungs": list(spec.rungs), "stay": list(spec.stay)} for name, spec in split.tasks.items()
        },
    }


def _summary_text(split: Split) -> str:
    summary = _summary(split)
    lines = [
        f"{click.style(split.name, bold=True)}   {split.title}",
        f"  {split.items:,} items a task, {', '.join(split.variants)}: {summary['recordings']:,} recordings",
        f"  soundfonts {', '.join(split.soundfonts)}",
    ]
    for name, spec in split.tasks.items():
        lines.append(f"  {name:<8} rungs {', '.join(map(str, spec.rungs))}; STAY by {', '.join(spec.stay)}")
    return "\n".join(lines)
