"""Measure what interrupting a run costs, and check that nothing is lost by it.

    python -m benchmarks.interruptions [--rounds N] [--items N]

Each round begins to make a data set of the test split, interrupts it at a random moment with SIGKILL or
Ctrl-C, and has the same command finish it. The table says how long it took until no process was left, how
many recordings were written twice, and whether the data set came out with the fingerprint of a run that
nobody interrupted. Linux only.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.faults import begun


@dataclass(frozen=True)
class Round:
    """One interruption.

    Attributes
    ----------
    seconds : float
        From the signal until no process of the run was left.
    found, again : int
        Recordings that were in place when it ended, and how many of them the next run wrote again.
    same : bool
        Whether the data set was the one of an undisturbed run.
    """

    seconds: float
    found: int
    again: int
    same: bool


def _begun(out: Path, items: int) -> subprocess.Popen[str]:
    options = ("--split", "test", "--seed", "0", "--items", str(items), "--workers", "2", "--out", out)
    return begun("generate", *options, "--json")


def _finished(process: subprocess.Popen[str]) -> str:
    """Return the fingerprint that a run prints when it ends."""
    output, _ = process.communicate()
    fingerprint: str = json.loads(output)["fingerprint"]
    return fingerprint


def _recordings(folder: Path) -> dict[str, int]:
    """Return the inode of each recording: one that is written again has another."""
    return {path.name: path.stat().st_ino for path in folder.rglob("audio/*.wav")}


def _until_none_is_left(group: int) -> None:
    while _is_left(group):
        time.sleep(0.002)


def _is_left(group: int) -> bool:
    """Return whether a process of the group runs; one that is dead and not reaped yet does not."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group, *_ = path.read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(its_group) == group and state not in "ZX":
            return True
    return False


def _interrupted(
    folder: Path, items: int, number: signal.Signals, wait: float, expected: str
) -> Round | None:
    """Interrupt one run after a while and finish it; None if it was over by then."""
    out = folder / "data"
    process = _begun(out, items)
    time.sleep(wait)
    if process.poll() is not None:
        return None
    sent = time.monotonic()
    os.killpg(process.pid, number)
    process.wait()
    _until_none_is_left(process.pid)
    seconds = time.monotonic() - sent
    found = _recordings(folder)
    same = _finished(_begun(out, items)) == expected
    now = _recordings(folder)
    again = sum(now.get(name) != inode for name, inode in found.items())
    return Round(seconds, len(found), again, same)


@click.command()
@click.option("--rounds", default=20, show_default=True, help="Interruptions with each signal.")
@click.option("--items", default=12, show_default=True, help="Items a task.")
@click.option("--seed", default=0, show_default=True, help="Of the moments.")
def main(rounds: int, items: int, seed: int) -> None:
    """Print the table."""
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        started = time.monotonic()
        expected = _finished(_begun(Path(name) / "whole" / "data", items))
        duration = time.monotonic() - started
        click.echo(
            "| signal | rounds | seconds to the end, most | found | written again, most | same bytes |"
        )
        click.echo("|---|---|---|---|---|---|")
        for number in (signal.SIGKILL, signal.SIGINT):
            seen: list[Round] = []
            while len(seen) < rounds:
                folder = Path(name) / f"{number.name}-{len(seen)}-{moments.random()}"
                folder.mkdir()
                # Python and its packages come first; nothing is there to be lost before.
                wait = moments.uniform(0.2, 1) * duration
                outcome = _interrupted(folder, items, number, wait, expected)
                if outcome is not None:
                    seen.append(outcome)
            click.echo(
                f"| {number.name} | {rounds} | {max(r.seconds for r in seen):.2f} "
                f"| {min(r.found for r in seen)} to {max(r.found for r in seen)} "
                f"| {max(r.again for r in seen)} | {sum(r.same for r in seen)} of {rounds} |"
            )


if __name__ == "__main__":
    main()
