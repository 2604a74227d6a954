"""Measure how time and memory grow with the number of items.

    python -m benchmarks.scaling [--items N] [--workers N] [--planned N]

Makes data sets of the test split with 1, N, 5 N and 10 N items a task, and plans up to as many items as asked
for, each in a process of its own. Starting the workers and loading instruments, when they are first met, cost
the same for any number of items; they are over with the first N items. The cost of one more item is the
difference between two rows: if it grows linearly, the last two are the same.
"""

from __future__ import annotations

import contextlib
import io
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec

import click

P = ParamSpec("P")

SPLIT = "test"
BYTES_A_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Cost:
    """What a piece of work took.

    Attributes
    ----------
    items : int
        How many items it was.
    elapsed, cpu : float
        Seconds; `cpu` is summed over all processes.
    main_bytes, worker_bytes : int
        Peak memory of the main process, and of the largest worker; 0 if there was none.
    """

    items: int
    elapsed: float
    cpu: float
    main_bytes: int
    worker_bytes: int

    def row(self, before: Cost | None) -> str:
        """Return a line of the table; the cost of one more item is that since the row before."""
        more = f"{1000 * _more(before, self):.2f}" if before else ""
        megabytes = (f"{size / 1e6:.0f}" if size else "" for size in (self.main_bytes, self.worker_bytes))
        return f"| {self.items:,} | {self.elapsed:.1f} | {self.cpu:.1f} | {more} | {' | '.join(megabytes)} |"


def costs(work: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> Cost:
    """Return what some work, which returns its number of items, takes in this process and its children."""
    started = time.perf_counter()
    items = work(*args, **kwargs)
    elapsed = time.perf_counter() - started
    main, workers = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in (main, workers))
    peaks = (usage.ru_maxrss * BYTES_A_RSS_UNIT for usage in (main, workers))
    return Cost(items, elapsed, cpu, *peaks)


def in_own_process(work: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> Cost:
    """Return what some work takes in a process that has done nothing else."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(costs, work, *args, **kwargs).result()


def generate(folder: str, items: int, workers: int) -> int:
    """Run `listenbench generate` in this process."""
    from listenbench.cli import run
    from listenbench.dataset import read_description

    options = {"--split": SPLIT, "--items": items, "--workers": workers, "--out": folder}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
        status = run(["generate", *(str(word) for pair in options.items() for word in pair)])
    if status:
        raise click.ClickException(errors.getvalue())
    count: int = read_description(Path(folder))["counts"]["items"]
    return count


def plan(items: int) -> int:
    """Plan so many items, the same number a task, and keep none."""
    from listenbench import plan as planning
    from listenbench.splits import load_split

    split = load_split(SPLIT)
    each = items // len(split.tasks)
    deque(planning.plan(split, 0, items=each), maxlen=0)
    return each * len(split.tasks)


def print_table(title: str, rows: Sequence[Cost]) -> None:
    """Print costs as a table in Markdown."""
    heads = ("items", "seconds", "CPU seconds", "CPU ms for one more item", "main MB", "worker MB")
    click.echo(f"{title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row, before in zip(rows, (None, *rows), strict=False):
        click.echo(row.row(before))


@click.command()
@click.option("--items", type=click.IntRange(2), default=20, show_default=True, help="N, items a task.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--planned", type=click.IntRange(400), default=40_000, show_default=True, help="Items to be planned."
)
def main(items: int, workers: int, planned: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        # What is made once a machine: room responses, hashes of the soundfonts.
        in_own_process(generate, f"{folder}/warm", 10 * items, workers)
        made = [
            in_own_process(generate, f"{folder}/{count}", count, workers)
            for count in (1, items, 5 * items, 10 * items)
        ]
    print_table(f"`listenbench generate`, {workers} workers", made)
    _, small, half, large = made
    click.echo(
        f"\n10 times the items: {large.elapsed / small.elapsed:.1f} times the time, "
        f"{large.cpu / small.cpu:.1f} times the CPU time, starting included\n"
        f"one more item beyond {half.items:,} costs {_more(half, large) / _more(small, half):.2f} times "
        f"the CPU time of one beyond {small.items:,}"
    )
    click.echo()
    plans = [in_own_process(plan, count) for count in (planned // 100, planned // 10, planned)]
    print_table("Planning alone", plans)
    growth = (plans[-1].main_bytes - plans[0].main_bytes) / (plans[-1].items - plans[0].items)
    click.echo(f"\nmemory of planning grows by {growth:.0f} bytes an item")


def _more(few: Cost, many: Cost) -> float:
    """Return the CPU seconds of one more item."""
    return (many.cpu - few.cpu) / (many.items - few.items)


if __name__ == "__main__":
    main()
