"""`listenbench show`: an item as a musician reads it."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from listenbench.errors import DataError

if TYPE_CHECKING:
    from listenbench.items import Item, Variant

_WIDTH = 100
_CONDITIONS = ("clean", "flip", "stay", "both")


@click.command()
@click.argument("name", metavar="ITEM")
@click.option(
    "--data", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set."
)
@click.option(
    "--condition",
    type=click.Choice(_CONDITIONS),
    help="Show this variant alone.  [default: all of an item, or the one of a file]",
)
@click.option("--midi", type=click.Path(path_type=Path), metavar="FILE", help="Write a MIDI file.")
@click.option("--musicxml", type=click.Path(path_type=Path), metavar="FILE", help="Write a score.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Write a picture, as PNG.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    *,
    name: str,
    folder: Path,
    condition: str | None,
    midi: Path | None,
    musicxml: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Show an item: its two clips side by side as notes and chords, what differs, question and answer.

    ITEM is the name of an item, as in gold.jsonl, or the id of a file. What is not as in clip A has an
    asterisk. The exports hold clip A and the clip B of the first variant shown, as composed: without the
    inaudible deviations of a take, and without changes of the sound other than transposition. The picture has
    both clips as piano rolls with the edited notes marked, and the recording of the first variant shown.

    \b
    Example:
      listenbench show melody-000012 --data data/test-0
      listenbench show melody-000012 --data data/test-0 --condition flip --midi flip.mid
      listenbench show melody-000012 --data data/test-0 --condition flip --plot flip.png
    """
    from listenbench.display import item_data
    from listenbench.stored_items import find_item

    item = find_item(folder, name)
    variants = _chosen(item, name, condition)
    click.echo(json.dumps(item_data(item, variants), indent=2) if as_json else _text(item, variants))
    clips = (item.clip_a.clip, variants[0].clip_b.clip)
    if midi is not None:
        from listenbench.dataset import read_description
        from listenbench.export import PAUSE_SECONDS, midi_bytes

        pause = read_description(folder).get("split", {}).get("silence_seconds", PAUSE_SECONDS)
        _write(midi, midi_bytes(clips, float(pause)))
    if musicxml is not None:
        from listenbench.musicxml import musicxml_bytes

        _write(musicxml, musicxml_bytes(clips, f"{item.name}, {variants[0].condition}"))
    if plot is not None:
        from listenbench.audio import read_audio
        from listenbench.dataset import read_description, recording_path
        from listenbench.plotting import item_picture

        path = recording_path(folder, read_description(folder), variants[0].id)
        _write(plot, item_picture(item, variants[0], read_audio(path)))


def _chosen(item: Item, name: str, condition: str | None) -> list[Variant]:
    """Return the variants to show."""
    variants = [variant for variant in item.variants if name in (item.name, variant.id)]
    if condition is not None:
        variants = [variant for variant in variants if variant.condition == condition]
    if not variants:
        there = ", ".join(variant.condition for variant in item.variants)
        raise DataError(f"{name}: no variant {condition!r} here; item {item.name} has {there}")
    return variants


def _text(item: Item, variants: list[Variant]) -> str:
    from listenbench.display import item_lines, rung_text, text_table
    from listenbench.tasks import get_task

    heads = ["clip A", *(f"clip B, {variant.condition}" for variant in variants)]
    rung = rung_text(item.rung, get_task(item.task).unit)
    lines = [
        f"{click.style(item.name, bold=True)}   {rung}, {item.texture}",
        *(f"  {variant.condition:<6} {variant.id}" for variant in variants),
        "",
        textwrap.fill(item.question, _WIDTH),
        "",
        text_table(heads, item_lines(item, variants)),
    ]
    return "\n".join(lines)


def _write(path: Path, content: bytes) -> None:
    """Write a file, or leave what is there as it is."""
    from listenbench.whole_files import write_whole

    try:
        write_whole(path, content)
    except OSError as error:
        raise DataError(f"{path}: can't write this file: {error.strerror}") from None
