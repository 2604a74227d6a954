"""Measure what making a data set costs beyond synthesis and writing.

    python -m benchmarks.generate [--items N] [--workers N] [--sample N] [--rounds N]

On the same items of the test split, with all caches warm: (a) the bare cost, which is rendering every
distinct clip with FluidSynth and writing as many WAV files, in as many processes; (b) `listenbench generate`;
(c) the way of one fluidsynth program a clip with a MIDI file of pretty_midi, on a sample of the clips.

CPU seconds are given beside the elapsed ones, since other programs on the machine lengthen those. (a) and (b)
take turns for some rounds, of which the medians count, and the ratio is that of each round.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np

from listenbench.audio import SAMPLE_RATE, encoded, quantised
from listenbench.items import Item, Performance
from listenbench.music import Clip
from listenbench.plan import plan
from listenbench.render import Renderer
from listenbench.request import Request, make_request
from listenbench.soundfonts import find
from listenbench.takes import perform


@dataclass(frozen=True)
class Cost:
    """What a way of doing it took.

    Attributes
    ----------
    items : int
        How many items it was done for.
    elapsed, cpu : float
        Seconds; `cpu` is summed over all processes.
    """

    items: float
    elapsed: float
    cpu: float

    def row(self, name: str) -> str:
        """Return a line of the report."""
        return (
            f"{name:<44}{self.items / self.elapsed:>10.2f}{1000 * self.elapsed / self.items:>12.1f}"
            f"{1000 * self.cpu / self.items:>12.1f}"
        )


def performances(item: Item) -> list[Performance]:
    """Return the distinct clips of an item that are synthesised."""
    every = [item.clip_a, *(variant.clip_b for variant in item.variants)]
    return list({(p.clip, p.take, p.soundfont): p for p in every}.values())


def render_and_write(folder: str, items: Sequence[Item]) -> None:
    """Do what can't be left out: render the distinct clips, write the files."""
    renderer, paths = Renderer(), {}
    for item in items:
        clips = []
        for performance in performances(item):
            name = performance.soundfont
            if name not in paths:
                paths[name] = find(name).path
            clips.append(renderer.render(perform(performance.clip, performance.take), paths[name]))
        silence = np.zeros(SAMPLE_RATE, np.int16)
        for variant in item.variants:
            samples = np.concatenate([quantised(clips[0]), silence, quantised(clips[0])])
            (Path(folder) / f"{variant.id}.wav").write_bytes(encoded(samples))
    renderer.close()


def measured(work: Callable[[], object], items: float) -> Cost:
    """Run something and return what it took, the processes that it started included."""
    # Otherwise the system would still be writing the files of the work before.
    os.sync()
    cpu, started = _cpu(), time.perf_counter()
    work()
    return Cost(items, time.perf_counter() - started, _cpu() - cpu)


def bare(folder: Path, items: list[Item], workers: int) -> None:
    """Do the bare work in as many processes."""
    shares = [items[start::workers] for start in range(workers)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(render_and_write, str(folder)), shares))


def product(folder: Path, request: Request, workers: int) -> None:
    """Run the command."""
    command = [sys.executable, "-m", "listenbench", "generate", "--split", request.split.name]
    options = ["--items", str(request.split.items), "--workers", str(workers), "--out", str(folder / "data")]
    subprocess.run([*command, *options], check=True, capture_output=True)


def compared(folder: Path, request: Request, items: list[Item], workers: int) -> tuple[Cost, Cost]:
    """Return what the bare work and the command take, one after the other, in a new folder."""
    bare_folder, product_folder = folder / "bare", folder / "product"
    for empty in (bare_folder, product_folder):
        empty.mkdir(parents=True)
    return (
        measured(lambda: bare(bare_folder, items, workers), len(items)),
        measured(lambda: product(product_folder, request, workers), len(items)),
    )


def median_cost(costs: Sequence[Cost]) -> Cost:
    """Return the median time and CPU time of the same work."""
    return Cost(costs[0].items, median(c.elapsed for c in costs), median(c.cpu for c in costs))


def one_program_a_clip(folder: Path, clips: Iterable[tuple[Clip, Path]]) -> None:
    """Render each clip by a program of its own, started with a MIDI file."""
    for number, (clip, soundfont) in enumerate(clips):
        midi, wav = folder / f"{number}.mid", folder / f"{number}.wav"
        write_midi(clip, midi)
        command = ["fluidsynth", "-ni", "-g", "0.5", "-r", str(SAMPLE_RATE), "-F", wav, soundfont, midi]
        subprocess.run(command, check=True, capture_output=True)


def write_midi(clip: Clip, path: Path) -> None:
    """Write a clip with pretty_midi."""
    with redirect_stdout(StringIO()):
        import pretty_midi

    midi = pretty_midi.PrettyMIDI()
    for part in clip.parts:
        instrument = pretty_midi.Instrument(part.instrument.program, part.instrument.is_percussion)
        instrument.notes = [
            pretty_midi.Note(n.velocity, n.pitch, n.onset, n.onset + n.duration) for n in part.notes
        ]
        midi.instruments.append(instrument)
    midi.write(str(path))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=250, help="items a task")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sample", type=int, default=3, help="items for the programs")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of (a) and (b)")
    arguments = parser.parse_args()
    if min(arguments.items, arguments.workers, arguments.sample, arguments.rounds) < 1:
        parser.error("--items, --workers, --sample and --rounds are 1 or more")
    if shutil.which("fluidsynth") is None:
        parser.error("the program fluidsynth is missing: install the package of that name")
    request = make_request("test", 0, None, arguments.items)
    items = list(plan(request.split, 0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        product(folder, make_request("test", 0, None, 1), arguments.workers)
        for part in ("warm", "programs"):
            (folder / part).mkdir()
        product(folder / "warm", request, arguments.workers)
        planning = measured(lambda: list(plan(request.split, 1)), len(items))
        # Nothing is deleted in between: ext4 makes files slowly for minutes after it has deleted others.
        rounds = [
            compared(folder / f"round-{number}", request, items, arguments.workers)
            for number in range(arguments.rounds)
        ]
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        sample = items[:: max(1, len(items) // arguments.sample)][: arguments.sample]
        clips = [
            (perform(p.clip, p.take), find(p.soundfont).path) for item in sample for p in performances(item)
        ]
        programs = measured(lambda: one_program_a_clip(folder / "programs", clips), len(sample))
    print(f"{'':<44}{'items/s':>10}{'ms an item':>12}{'CPU ms':>12}")
    bare_cost, product_cost = (median_cost(costs) for costs in zip(*rounds, strict=True))
    print(bare_cost.row(f"(a) bare: rendering and writing, {arguments.workers} processes"))
    print(product_cost.row(f"(b) listenbench generate, {arguments.workers} workers"))
    print(programs.row(f"(c) a fluidsynth program a clip, {len(sample)} items"))
    print(planning.row("    planning alone"))
    elapsed = sorted(b.elapsed / a.elapsed for a, b in rounds)
    cpu = sorted(b.cpu / a.cpu for a, b in rounds)
    for name, ratios in (("elapsed", elapsed), ("CPU", cpu)):
        print(f"b/a {name}: {median(ratios):.2f} (rounds from {ratios[0]:.2f} to {ratios[-1]:.2f})")
    times = programs.elapsed / programs.items / (product_cost.elapsed / product_cost.items)
    print(f"c/b: {times:.0f} elapsed")
    print(f"peak memory of the largest process: {peak:.0f} MB")


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
