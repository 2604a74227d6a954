"""Count the distinct contents that each task of a split can draw, and the time that planning them takes.

    python -m benchmarks.contents --split test --items 100000

The planner never uses a content twice: it ends with an error when no new one is found. This program draws
the items, counts their contents anew, and prints a table in Markdown.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import time

import click

from listenbench.plan import TaskPlanner
from listenbench.splits import Split, load_split

_BYTES_A_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@click.command()
@click.option("--split", "splits", multiple=True, default=("test", "train"), show_default=True)
@click.option("--items", type=click.IntRange(1), default=20_000, show_default=True, help="Items a task.")
@click.option("--seed", type=int, default=0, show_default=True)
def main(splits: tuple[str, ...], items: int, seed: int) -> None:
    """Draw many items of every task and count the distinct contents."""
    click.echo("| split | task | items | distinct contents | seconds | ms an item |")
    click.echo("|---|---|---|---|---|---|")
    for name in splits:
        split = load_split(name)
        for task in split.tasks:
            contents, seconds = count_contents(split, task, items, seed)
            click.echo(
                f"| {name} | {task} | {items:,} | {contents:,} | {seconds:.0f} "
                f"| {1000 * seconds / items:.2f} |"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_A_RSS_UNIT
    click.echo(f"\nPeak memory {peak / 1e6:.0f} MB.")


def count_contents(split: Split, task: str, items: int, seed: int) -> tuple[int, float]:
    """Return how many distinct contents the first items of a task have, and the seconds it took."""
    started = time.perf_counter()
    planner = TaskPlanner(split, seed, task, tuple(split.variants))
    seen = {hashlib.sha256(next(planner).content.encode()).digest() for _ in range(items)}
    return len(seen), time.perf_counter() - started


if __name__ == "__main__":
    main()
