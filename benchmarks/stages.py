"""Measure the share of each stage in making a data set.

    python -m benchmarks.stages [--split NAME] [--items N]

One process does what a worker does, stage by stage, and prints the CPU time of each.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from listenbench.audio import SAMPLE_RATE, WAV, FloatArray, quantised, stored
from listenbench.effects import get_effect
from listenbench.effects.base import AudioEffect
from listenbench.items import Item, Performance
from listenbench.loudness import normalised
from listenbench.memory import keep_freed_memory
from listenbench.plan import plan
from listenbench.realise import Recording, faded
from listenbench.recording import Job, written
from listenbench.render import Renderer
from listenbench.soundfonts import find
from listenbench.splits import Split, load_split
from listenbench.takes import perform
from listenbench.workplace import Workplace


class Stopwatch:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time that the block takes to a stage."""
        started = time.process_time()
        yield
        self.seconds[name] += time.process_time() - started


class Bench:
    """Makes items with a stopwatch in hand."""

    def __init__(self, split: Split, watch: Stopwatch) -> None:
        self.split, self.watch = split, watch
        self.renderer = Renderer()
        self.paths = {name: find(name).path for name in split.soundfonts}

    def make(self, items: Iterable[Item], folder: Path) -> None:
        """Make all recordings of items in a folder that holds none yet: replacing a file costs more."""
        place = Workplace(folder / "target", folder / "place")
        place.prepare()
        job = Job(self.split.model_dump_json(), (), str(place.target), str(place.folder), WAV)
        for item in items:
            self._make(item, job)

    def _make(self, item: Item, job: Job) -> None:
        dry: dict[Performance, FloatArray] = {}
        clip_a = self._clip(item.clip_a, dry)
        with self.watch.stage("writing and describing"):
            start = stored(quantised(clip_a)) + bytes(2 * SAMPLE_RATE)
        for variant in item.variants:
            clip_b = self._clip(variant.clip_b, dry)
            with self.watch.stage("writing and describing"):
                recording = Recording(variant, start, quantised(clip_b), (0.0, 0.0))
                written(job, item, recording)

    def _clip(self, performance: Performance, dry: dict[Performance, FloatArray]) -> FloatArray:
        key = Performance(performance.clip, performance.take, performance.soundfont)
        if key not in dry:
            with self.watch.stage("synthesis"):
                played = perform(performance.clip, performance.take)
                raw = self.renderer.render(played, self.paths[performance.soundfont])
            dry[key] = self._levelled(raw)
        samples = dry[key]
        for change in performance.changes:
            effect = get_effect(change.effect)
            if isinstance(effect, AudioEffect):
                with self.watch.stage(f"effect {change.effect}"):
                    samples = effect.apply(samples, SAMPLE_RATE, change.parameters)
        return samples if samples is dry[key] else self._levelled(samples)

    def _levelled(self, samples: FloatArray) -> FloatArray:
        with self.watch.stage("loudness and peaks"):
            return normalised(faded(samples), SAMPLE_RATE, self.split.loudness_lufs)


@click.command()
@click.option("--split", "name", default="test", show_default=True)
@click.option("--items", type=click.IntRange(1), default=100, show_default=True, help="Items a task.")
def main(name: str, items: int) -> None:
    """Print a table in Markdown."""
    keep_freed_memory()  # as workers do
    split, watch = load_split(name), Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(split, watch)
        # What is done once a process: imports, soundfonts, room responses.
        bench.make(plan(split, 0, items=items), Path(folder) / "warm")
        watch.seconds.clear()
        with watch.stage("planning"):
            planned = list(plan(split, 0, items=items))
        bench.make(planned, Path(folder) / "measured")
    total = sum(watch.seconds.values())
    click.echo("| stage | ms an item | share |\n|---|---|---|")
    for stage, seconds in watch.seconds.most_common():
        click.echo(f"| {stage} | {1000 * seconds / len(planned):.2f} | {100 * seconds / total:.0f} % |")
    click.echo(f"| all | {1000 * total / len(planned):.2f} | |")


if __name__ == "__main__":
    main()
