"""The gallery: one example of every task, texture and rung, as notes and chord symbols.

    python -m listenbench.gallery --out docs/gallery.md

It is made from the registries, so a new task or rung appears in it by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import click

from listenbench.compose.accompaniment import TEXTURES
from listenbench.display import item_lines, markdown_table, rung_text
from listenbench.errors import DataError, ListenbenchError
from listenbench.items import Item
from listenbench.plan import TaskPlanner
from listenbench.splits import load_split
from listenbench.tasks import TASKS, Task

SPLIT: Final = "test"
SEED: Final = 0

_CONDITIONS: Final = ("clean", "flip")
_ITEMS_SEARCHED: Final = 200
_INTRODUCTION: Final = f"""\
# Gallery

One item of every task, texture and rung, drawn for the split `{SPLIT}` with seed {SEED}. Each is shown with
two of its variants: clip B as in the clean file, and as in the FLIP file, whose answer is the other one. An
asterisk marks what is not as in clip A. Beats count from the first note. A chord whose notes start one after
the other has arrows between them. Notes that sound together in an accompaniment stand side by side.

This page is generated: `python -m listenbench.gallery --out docs/gallery.md`.
"""


def gallery() -> str:
    """Return the gallery in Markdown.

    Raises
    ------
    SpecError
        If the split can't be drawn.
    """
    return "\n".join([_INTRODUCTION, *(section for task in TASKS.values() for section in _sections(task))])


def _sections(task: Task) -> Iterator[str]:
    """Yield the heading and the examples of a task."""
    yield f"## {task.name.capitalize()}\n"
    examples = _examples(task)
    for texture in TEXTURES:
        for rung in task.rungs:
            item = examples[texture, rung]
            heads = ["clip A", *(f"clip B, {variant.condition}" for variant in item.variants)]
            yield f"### {task.name.capitalize()}, {texture}, {rung_text(rung, task.unit)}\n"
            yield f"> {item.question}\n"
            yield markdown_table(heads, item_lines(item, item.variants)) + "\n"


def _examples(task: Task) -> dict[tuple[str, object], Item]:
    """Return the first item of each texture and rung."""
    split = load_split(SPLIT).model_copy(update={"texture": TEXTURES})
    examples: dict[tuple[str, object], Item] = {}
    for item in islice(TaskPlanner(split, SEED, task.name, _CONDITIONS), _ITEMS_SEARCHED):
        examples.setdefault((item.texture, item.rung), item)
    return examples


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
def command(out: Path) -> None:
    """Write the gallery of tasks.

    \b
    Example:
      python -m listenbench.gallery --out docs/gallery.md
    """
    try:
        out.write_text(gallery(), "utf-8")
    except OSError as error:
        raise DataError(f"{out}: can't write this file: {error.strerror}") from None


if __name__ == "__main__":
    try:
        command()
    except ListenbenchError as problem:
        sys.exit(f"listenbench: {problem}")
