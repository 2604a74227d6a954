"""An item as a picture: both clips as piano rolls, and the recording as waveform and spectrogram.

Drawn with matplotlib's own settings, whatever the user has set, and without a date, so that the same item
gives the same bytes with the same version of matplotlib.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from listenbench.audio import SAMPLE_RATE, FloatArray
from listenbench.display import answer_text, changes_text, edit_text, rung_text
from listenbench.edits import edited_notes
from listenbench.items import Item, Performance, Variant
from listenbench.music import Clip, Note, Part
from listenbench.names import instrument_name, note_name, percussion_name
from listenbench.tasks import get_task

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES: Final = (11.0, 7.5)
_DPI: Final = 120
_LEAD: Final = "#0072b2"
_EDITED: Final = "#e69f00"
_ACCOMPANIMENT: Final = "#c8c8c8"
_INK: Final = "#222222"
"""Colours that those who don't see red or green tell apart (Okabe and Ito, Color Universal Design, 2008)."""

_HATCH: Final = "////"
_DRUM_ROOM: Final = 2
_FRAME: Final = 2048
_HOP: Final = 512
_LOWEST_HZ: Final = 50
_HIGHEST_HZ: Final = 16_000
_RANGE_DB: Final = 80.0
_FREQUENCIES: Final = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)


def item_picture(item: Item, variant: Variant, samples: FloatArray) -> bytes:
    """Return the picture of one recording of an item.

    Parameters
    ----------
    item : Item
        The item.
    variant : Variant
        Whose recording it is.
    samples : array of float32, shape (n,)
        The recording, from -1 to 1, at 44.1 kHz.

    Returns
    -------
    bytes
        A PNG file. Edited notes have another colour, hatching and a thick outline.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        figure = Figure(figsize=_SIZE_INCHES, dpi=_DPI, layout="constrained")
        _draw(figure, item, variant, samples)
        buffer = BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _draw(figure: Figure, item: Item, variant: Variant, samples: FloatArray) -> None:
    figure.suptitle(_title(item, variant), fontsize=12, parse_math=False)
    grid = figure.add_gridspec(3, 2, height_ratios=(4, 1.3, 3))
    clip_a, clip_b = item.clip_a.clip, variant.clip_b.clip
    rows = _rows((clip_a, clip_b))
    first = figure.add_subplot(grid[0, 0])
    second = figure.add_subplot(grid[0, 1], sharey=first)
    marked = edited_notes(clip_a, clip_b, variant.difference)
    for axes, name, performance, edited in (
        (first, "Clip A", item.clip_a, marked[0]),
        (second, "Clip B", variant.clip_b, marked[1]),
    ):
        _draw_roll(axes, name, performance, edited, rows)
    _label_rows(first, rows)
    second.tick_params(labelleft=False)
    accompanied = any(len(clip.parts) > 1 for clip in (clip_a, clip_b))
    _draw_legend(figure, edited=any(marked), accompanied=accompanied)
    wave = figure.add_subplot(grid[1, :])
    _draw_waveform(wave, samples, clip_a.window, clip_b.window)
    spectrogram = figure.add_subplot(grid[2, :], sharex=wave)
    _draw_spectrogram(figure, spectrogram, samples)


def _title(item: Item, variant: Variant) -> str:
    rung = rung_text(item.rung, get_task(item.task).unit)
    edit = edit_text(item, variant)
    changed = "" if edit == "none" else f"; edit: {edit}"
    return f"{item.name}, {variant.condition} ({rung}, {item.texture}): {answer_text(item, variant)}{changed}"


def _rows(clips: tuple[Clip, ...]) -> dict[tuple[bool, int], float]:
    """Return the height at which each pitch and each drum sound of some clips lies."""
    sounds = {
        (part.instrument.is_percussion, note.pitch)
        for clip in clips
        for part in clip.parts
        for note in part.notes
    }
    pitches = sorted(pitch for percussion, pitch in sounds if not percussion)
    drums = sorted((pitch for percussion, pitch in sounds if percussion), reverse=True)
    floor = float(pitches[0]) if pitches else 0.0
    rows = {(False, pitch): float(pitch) for pitch in pitches}
    rows |= {(True, pitch): floor - _DRUM_ROOM * (place + 1) for place, pitch in enumerate(drums)}
    return rows


def _draw_roll(
    axes: Axes,
    name: str,
    performance: Performance,
    edited: frozenset[int],
    rows: dict[tuple[bool, int], float],
) -> None:
    clip = performance.clip
    for part in clip.parts[1:]:
        for note in part.notes:
            _draw_note(axes, clip, part, note, rows, facecolor=_ACCOMPANIMENT, linewidth=0.5)
    for place, note in enumerate(clip.lead.notes):
        style: dict[str, Any] = (
            {"facecolor": _EDITED, "hatch": _HATCH, "linewidth": 1.8, "zorder": 3}
            if place in edited
            else {"facecolor": _LEAD, "linewidth": 0.5, "zorder": 2}
        )
        _draw_note(axes, clip, clip.lead, note, rows, **style)
    axes.set_xlim(0, clip.window)
    axes.set_ylim(min(rows.values()) - 1.5, max(rows.values()) + 1.5)
    axes.set_xlabel("seconds within the clip")
    changes = changes_text(performance)
    title = f"{name}: {_player(clip.lead)}" + ("" if changes == "none" else f"\n{changes}")
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_note(
    axes: Axes, clip: Clip, part: Part, note: Note, rows: dict[tuple[bool, int], float], **style: Any
) -> None:
    percussion = part.instrument.is_percussion
    row = rows[percussion, note.pitch] + (0.0 if percussion else clip.tuning_cents / 100)
    axes.broken_barh([(note.onset, note.duration)], (row - 0.4, 0.8), edgecolor=_INK, **style)


def _player(part: Part) -> str:
    if part.instrument.is_percussion:
        return " and ".join(sorted({percussion_name(note.pitch) for note in part.notes}))
    return instrument_name(part.instrument)


def _label_rows(axes: Axes, rows: dict[tuple[bool, int], float]) -> None:
    """Name the drum sounds, and of the pitches no more than there is room for."""
    pitches = sorted(pitch for percussion, pitch in rows if not percussion)
    step = 1 + len(pitches) // 16
    shown = [(False, pitch) for pitch in pitches[::step]] + [key for key in rows if key[0]]
    names = [percussion_name(pitch) if percussion else note_name(pitch) for percussion, pitch in shown]
    axes.set_yticks([rows[key] for key in shown], names, fontsize=8)


def _draw_legend(figure: Figure, *, edited: bool, accompanied: bool) -> None:
    from matplotlib.patches import Patch

    entries = [Patch(facecolor=_LEAD, edgecolor=_INK, label="lead")]
    if edited:
        entries.append(Patch(facecolor=_EDITED, edgecolor=_INK, linewidth=1.8, hatch=_HATCH, label="edited"))
    if accompanied:
        entries.append(Patch(facecolor=_ACCOMPANIMENT, edgecolor=_INK, label="accompaniment"))
    figure.legend(handles=entries, loc="outside lower right", ncols=len(entries), fontsize=9, frameon=False)


def _draw_waveform(axes: Axes, samples: FloatArray, window_a: float, window_b: float) -> None:
    seconds = len(samples) / SAMPLE_RATE
    axes.plot(np.arange(len(samples)) / SAMPLE_RATE, samples, color=_LEAD, linewidth=0.4)
    axes.set_xlim(0, seconds)
    axes.set_ylim(-1, 1)
    axes.set_ylabel("amplitude")
    axes.tick_params(labelbottom=False)
    start_b = max(0.0, seconds - window_b)
    axes.axvspan(window_a, start_b, facecolor="#eeeeee", edgecolor="#aaaaaa", hatch="..", linewidth=0)
    middles = {
        "clip A": window_a / 2,
        "silence": (window_a + start_b) / 2,
        "clip B": (start_b + seconds) / 2,
    }
    for text, middle in middles.items():
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.text(middle, 0.9, text, ha="center", va="top", fontsize=9, bbox=box)


def _draw_spectrogram(figure: Figure, axes: Axes, samples: FloatArray) -> None:
    from scipy.signal import spectrogram

    frequencies, times, power = spectrogram(
        samples, SAMPLE_RATE, "hann", nperseg=_FRAME, noverlap=_FRAME - _HOP, mode="psd"
    )
    shown = (frequencies >= _LOWEST_HZ) & (frequencies <= _HIGHEST_HZ)
    level = 10 * np.log10(np.maximum(power[shown], 1e-20))
    level = np.maximum(level - level.max(), -_RANGE_DB)
    mesh = axes.pcolormesh(
        times, frequencies[shown], level, cmap="cividis", shading="nearest", rasterized=True
    )
    axes.set_yscale("log")
    axes.set_yticks(_FREQUENCIES, [f"{f:,}" for f in _FREQUENCIES], fontsize=8)
    axes.minorticks_off()
    axes.set_ylabel("Hz")
    axes.set_xlabel("seconds within the recording")
    figure.colorbar(mesh, ax=axes, label="dB below the loudest", pad=0.01)
