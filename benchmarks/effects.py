r"""Measure the effects: cost a clip, room responses, headroom; draw their spectrograms.

From the root of a checkout:

    python -m benchmarks.effects                              the tables of docs/effects.md
    python -m benchmarks.effects --rooms 100                  as many rooms of each time as a test split has
    python -m benchmarks.effects --figure docs/effects.png    its figure
"""

from __future__ import annotations

import io
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE
from listenbench.effects import EFFECTS, AudioEffect, get_audio_effect, get_effect
from listenbench.effects.base import ClipEffect, Stage
from listenbench.effects.shoebox import reverberation_time
from listenbench.loudness import integrated_loudness
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, part_of
from listenbench.render import Renderer
from listenbench.soundfonts import find
from listenbench.true_peak import peak_dbfs

Samples = npt.NDArray[np.float32]

LOUDNESS_LUFS = -23.0
REPEATS = 15
DRAWS = 8
HIGHEST_PEAK_DBFS = -4.0


def melody(program: int, pitches: Sequence[int] = (60, 64, 62, 67)) -> Clip:
    """Return a clip of four notes in 2.5 s."""
    notes = [Note(pitch, 0.1 + 0.55 * i, 0.5, 90) for i, pitch in enumerate(pitches)]
    return Clip((part_of(Instrument(program), notes),), 2.5, 0.55)


def chord(program: int) -> Clip:
    """Return a clip of one chord in 2 s."""
    notes = [Note(pitch, 0.1, 1.5, 90) for pitch in (48, 60, 64, 67)]
    return Clip((part_of(Instrument(program), notes),), 2.0, 1.5)


def pulses(drum: int) -> Clip:
    """Return a clip of twelve strokes in 4 s."""
    notes = [Note(drum, 0.1 + 0.3 * i, 0.1, 100) for i in range(12)]
    return Clip((part_of(Instrument(0, PERCUSSION_BANK), notes),), 4.0, 0.3)


CLIPS = {
    "melody": [melody(program) for program in (0, 11, 24, 40, 56, 73)],
    "chord": [chord(program) for program in (0, 19, 48)],
    "drum": [pulses(drum) for drum in (37, 42, 44, 46, 60, 61, 75)],
}


def rendered(clip: Clip, font: str = "fluidr3-gm") -> Samples:
    """Render a clip and bring it to its loudness."""
    renderer = Renderer()
    try:
        return levelled(renderer.render(clip, find(font).path))
    finally:
        renderer.close()


def levelled(samples: Samples) -> Samples:
    """Bring samples to their loudness, whatever the peak."""
    gain_db = LOUDNESS_LUFS - integrated_loudness(samples, SAMPLE_RATE)
    return samples * np.float32(10 ** (gain_db / 20))


def generator(seed: int) -> np.random.Generator:
    """Return a random generator."""
    return np.random.Generator(np.random.PCG64(seed))


def milliseconds(call: Callable[[], object]) -> float:
    """Return the median time of a call, the first one not counted."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


@contextmanager
def own_cache() -> Iterator[None]:
    """Leave the user's cache alone, so that every response is computed."""
    before = os.environ.get("LISTENBENCH_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LISTENBENCH_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["LISTENBENCH_CACHE"]
            else:
                os.environ["LISTENBENCH_CACHE"] = before


def print_costs() -> None:
    """Print the time that each effect takes for a clip of 2.5 s."""
    clean = rendered(melody(0))
    variants: dict[str, tuple[str, Mapping[str, Any]]] = {
        name: (name, effect.draw(generator(1)))
        for name, effect in EFFECTS.items()
        if isinstance(effect, AudioEffect) and name not in {"codec", "room"}
    }
    for codec in ({"format": "opus", "kbps": 48}, {"format": "mp3", "kbps": 128}):
        variants[f"codec, {codec['format']}"] = ("codec", codec)
    room = get_effect("room")
    for rt60 in (0.2, 0.5, 1.0):
        variants[f"room, {rt60} s"] = ("room", room.draw(generator(1), room.options({"rt60_s": [rt60]})))
    print("| effect | ms for a clip of 2.5 s |\n|---|---|")
    for label, (name, parameters) in sorted(variants.items()):
        effect = get_audio_effect(name)
        cost = milliseconds(lambda e=effect, p=parameters: e.apply(clean, SAMPLE_RATE, p))  # type: ignore[misc]
        print(f"| {label} | {cost:.1f} |")
    transposition = EFFECTS["transposition"]
    if isinstance(transposition, ClipEffect):
        cost = milliseconds(lambda: transposition.apply_to_clip(melody(0), {"cents": 63}))
        print(f"| transposition (of the symbols) | {cost:.2f} |")


def measured_room(parameters: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return (RT60 asked for, RT60 measured, seconds of processor time) of one room, in a worker."""
    click_ = np.zeros(round(parameters["rt60_s"] * SAMPLE_RATE), dtype=np.float32)
    click_[0] = 1
    start = time.process_time()
    response = get_audio_effect("room").apply(click_, SAMPLE_RATE, parameters)
    seconds = time.process_time() - start
    return parameters["rt60_s"], reverberation_time(response, SAMPLE_RATE), seconds


def print_rooms(count: int, workers: int) -> None:
    """Print how long the responses take at first, and how near they come to their times."""
    room = get_effect("room")
    rng = generator(2)
    drawn = [
        room.draw(rng, room.options({"rt60_s": [rt60]})) for rt60 in (0.2, 0.5, 1.0) for _ in range(count)
    ]
    start = time.perf_counter()
    with ProcessPoolExecutor(workers) as pool:
        results = np.array(list(pool.map(measured_room, drawn)))
    total = time.perf_counter() - start
    print("| RT60 asked for | responses | RT60 measured | processor seconds for one |\n|---|---|---|---|")
    for rt60 in np.unique(results[:, 0]):
        found = results[results[:, 0] == rt60]
        low, high = found[:, 1].min(), found[:, 1].max()
        print(f"| {rt60} s | {len(found)} | {low:.3f} to {high:.3f} s | {np.median(found[:, 2]):.3f} |")
    busy = results[:, 2].sum()
    print(f"\n{len(drawn)} responses with {workers} workers: {total:.0f} s, {busy:.0f} s of processor time")


def print_headroom() -> None:
    """Print by how much each effect raises the peak of clips at one loudness."""
    fonts = ("fluidr3-gm", "musescore-general")
    clean = {
        kind: [rendered(clip, font) for clip in clips for font in fonts] for kind, clips in CLIPS.items()
    }
    kept = {
        kind: [samples for samples in clips if peak_dbfs(samples) <= HIGHEST_PEAK_DBFS]
        for kind, clips in clean.items()
    }
    print(f"| effect | {' | '.join(kept)} | highest peak, dBFS |\n|---|{'---|' * len(kept)}---|")
    for effect in EFFECTS.values():
        if not isinstance(effect, AudioEffect):
            continue
        rng = generator(3)
        rises, highest = [], -np.inf
        for clips in kept.values():
            peaks = [
                (peak_dbfs(levelled(effect.apply(c, SAMPLE_RATE, effect.draw(rng)))), peak_dbfs(c))
                for c in clips
                for _ in range(DRAWS)
            ]
            rises.append(max(after - before for after, before in peaks))
            highest = max(highest, *(after for after, _ in peaks))
        print(f"| {effect.name} | {' | '.join(f'{rise:+.1f}' for rise in rises)} | {highest:.1f} |")


FIGURE: dict[str, dict[str, Any]] = {
    "room": {"rt60_s": 1.0},
    "eq": {"low_gain_db": 3.0, "high_gain_db": -3.0},
    "hiss": {},
    "codec": {"format": "opus", "kbps": 48},
    "lowpass": {},
    "compressor": {},
    "pink_noise": {"snr_db": 20.0},
    "hum": {"snr_db": 20.0},
    "gain": {"gain_db": -12.0},
    "clipping": {},
    "wow": {"depth_cents": 100.0, "rate_hz": 2.0},
}
"""Effects on samples in the figure, with what is fixed of their parameters."""


def figure_panels() -> dict[str, Samples]:
    """Return one melody as rendered and under each effect of the registry, in its order."""
    clip = melody(40)
    before = rendered(clip)
    panels = {"as rendered": before}
    for name, effect in EFFECTS.items():
        if isinstance(effect, ClipEffect):
            panels[name] = rendered(effect.apply_to_clip(clip, {"cents": 200}))
        elif isinstance(effect, AudioEffect):
            after = effect.apply(before, SAMPLE_RATE, {**effect.draw(generator(4)), **FIGURE[name]})
            panels[name] = after if name == "gain" else levelled(after)
        elif effect.stage is Stage.SOUNDFONT:
            panels[name] = rendered(clip, "musescore-general")
        else:
            panels[name] = rendered(melody(40, (67, 65, 60, 62)))
    return panels


def draw_figure(path: Path) -> None:
    """Draw the spectrograms."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from PIL import Image
    from scipy.signal import spectrogram

    grid, axes = pyplot.subplots(3, 5, figsize=(12, 6.5), sharex=True, sharey=True, layout="constrained")
    for axis, (title, samples) in zip(axes.flat, figure_panels().items(), strict=True):
        frequencies, times, power = spectrogram(
            samples, SAMPLE_RATE, nperseg=2048, noverlap=1536, scaling="spectrum"
        )
        level = 10 * np.log10(power + 1e-12)
        axis.pcolormesh(times, frequencies / 1000, level, vmin=-100, vmax=-35, cmap="magma", rasterized=True)
        axis.set_title(title, fontsize=10)
        axis.set_yscale("symlog", linthresh=1)
        axis.set_ylim(0, 20)
        axis.set_yticks([0, 0.5, 1, 2, 5, 10, 20], ["0", "0.5", "1", "2", "5", "10", "20"])
    grid.supxlabel("time (s)")
    grid.supylabel("frequency (kHz)")
    drawn = io.BytesIO()
    grid.savefig(drawn, dpi=75)
    # Noise compresses badly: few colours make a file of a fifth of the size.
    Image.open(drawn).convert("RGB").quantize(32).save(path, optimize=True)


@click.command()
@click.option("--rooms", default=12, show_default=True, help="Responses of each reverberation time.")
@click.option("--workers", default=2, show_default=True, help="Processes for the responses.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="Draw this PNG instead.")
def main(rooms: int, workers: int, figure: Path | None) -> None:
    """Measure the effects."""
    with own_cache():
        if figure is not None:
            draw_figure(figure)
            return
        print_costs()
        print()
        print_rooms(rooms, workers)
        print()
        print_headroom()


if __name__ == "__main__":
    main()
