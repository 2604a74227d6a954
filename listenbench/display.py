"""Items as tables of text: clip A beside its clips B, as notes and chord symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from listenbench.attributes import chords_of, figure, is_polyphonic
from listenbench.edits import Edit
from listenbench.items import Item, Performance, Variant
from listenbench.music import Clip, Note, Part
from listenbench.names import NamedChord, instrument_name, name_chords, note_name, percussion_name
from listenbench.tasks import Rung

DIFFERENT: Final = " *"
"""Marks what is not as in clip A."""

Cells = list[str]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table: a label, a cell for clip A and one for each clip B.

    Attributes
    ----------
    label : str
        What the line shows.
    cells : tuple of str
        Clip A's first.
    compared : bool
        Whether the cells describe the music, and are therefore marked where they differ from clip A's.
    """

    label: str
    cells: tuple[str, ...]
    compared: bool = True

    def marked(self) -> tuple[str, ...]:
        """Return the cells, those that differ from the first one with a mark."""
        if not self.compared:
            return self.cells
        first, *others = self.cells
        return (first, *(cell if cell == first else f"{cell}{DIFFERENT}" for cell in others))


def item_lines(item: Item, variants: Sequence[Variant]) -> list[Line]:
    """Return the table of an item: the music of clip A and of the variants' clips B, and the answers.

    Parameters
    ----------
    item : Item
        Any item.
    variants : sequence of Variant
        Those of its variants that are to be shown.
    """
    performances = [item.clip_a, *(variant.clip_b for variant in variants)]
    clips = [performance.clip for performance in performances]
    lines = [
        Line("instrument", tuple(_player(clip.lead) for clip in clips)),
        Line("beats a minute", tuple(f"{60 / clip.beat:.2f}" for clip in clips)),
        Line("tuning", tuple(f"{clip.tuning_cents:+g} cents" for clip in clips)),
        *_music(clips),
        *_accompaniment(clips),
        Line("soundfont", tuple(performance.soundfont for performance in performances)),
        Line("sound changes", tuple(changes_text(performance) for performance in performances)),
        Line("edit", ("", *(edit_text(item, variant) for variant in variants)), compared=False),
        Line("answer", ("", *(answer_text(item, variant) for variant in variants)), compared=False),
    ]
    silent = {"tuning": "+0 cents", "sound changes": "none"}
    return [line for line in lines if set(line.cells) != {silent.get(line.label)}]


def rung_text(rung: Rung, unit: str) -> str:
    """Return a rung with its unit, for example '1 semitone', 'ratio 1.35' or 'near'."""
    if isinstance(rung, str):
        return rung
    if unit == "ratio":
        return f"ratio {rung:g}"
    return f"{rung:g} {unit.removesuffix('s') if rung == 1 else unit}"


def edit_text(item: Item, variant: Variant) -> str:
    """Return how a clip B was edited away from clip A, sound changes aside."""
    edit = variant.difference
    if edit is None:
        return "none"
    lead = item.clip_a.clip.lead
    if edit.note_indices:
        note = lead.notes[edit.note_indices[0]]
        places = ", ".join(str(index + 1) for index in edit.note_indices)
        return f"note {places} ({note_name(note.pitch)}) {_signed(edit)}"
    if edit.name == "instrument":
        return f"{instrument_name(variant.clip_b.clip.lead.instrument)} instead, {edit.magnitude}"
    return _ratio_text(edit)


def answer_text(item: Item, variant: Variant) -> str:
    """Return the right letter of a variant and what it means."""
    return f"{variant.answer} ({item.choices['AB'.index(variant.answer)]})"


def text_table(heads: Sequence[str], lines: Sequence[Line]) -> str:
    """Return a table for a terminal, its columns aligned."""
    rows = [["", *heads], *([line.label, *line.marked()] for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(row.rstrip() for row in padded)


def markdown_table(heads: Sequence[str], lines: Sequence[Line]) -> str:
    """Return a table in Markdown."""
    rows = [["", *heads], ["---"] * (len(heads) + 1), *([line.label, *line.marked()] for line in lines)]
    texts = (" | ".join(cell.replace("*", r"\*") for cell in row) for row in rows)
    return "\n".join(f"| {text} |" for text in texts)


def _music(clips: Sequence[Clip]) -> list[Line]:
    """Return the lines of the leads: strokes, chords or notes."""
    if clips[0].lead.instrument.is_percussion:
        return [
            Line("figure", tuple(_figure(clip) for clip in clips)),
            Line("strokes", tuple(str(len(clip.lead.notes)) for clip in clips)),
        ]
    if all(is_polyphonic(clip) for clip in clips):
        return _chords(clips)
    return _events("note", clips, [[_note_cell(note) for note in clip.lead.notes] for clip in clips])


def _player(part: Part) -> str:
    if part.instrument.is_percussion:
        return " and ".join(sorted({percussion_name(note.pitch) for note in part.notes}))
    return instrument_name(part.instrument)


def _figure(clip: Clip) -> str:
    strokes: Any = figure(clip)
    return f"{' '.join(f'{onset:g}' for onset, _ in strokes)} of every {clip.cycle_beats} beats"


_Cell = tuple[float, str]
"""Onset in seconds, and what starts there."""


def _note_cell(note: Note) -> _Cell:
    return note.onset, note_name(note.pitch)


def _chords(clips: Sequence[Clip]) -> list[Line]:
    """Return two lines a chord: its symbol, and its notes in the order in which they start."""
    chords = [chords_of(clip) for clip in clips]
    lines = []
    for place in range(max(map(len, chords))):
        versions = [clip[place] if place < len(clip) else () for clip in chords]
        names = name_chords([[note.pitch for note in chord] for chord in versions if chord])
        named = [names.pop(0) if chord else None for chord in versions]
        label = f"chord {place + 1}" if max(map(len, chords)) > 1 else "chord"
        lines.append(Line(label, tuple(name.symbol if name else "-" for name in named)))
        lines.append(Line("", tuple(map(_chord_notes, versions, named))))
    return lines


def _chord_notes(chord: Sequence[Note], name: NamedChord | None) -> str:
    """Return the notes of a chord; between notes that start one after the other stands an arrow."""
    spelling = name.spelling() if name else None
    text, previous = "", None
    for note in sorted(chord, key=lambda n: (round(n.onset, 3), n.pitch)):
        if previous is not None:
            text += " > " if note.onset > previous + 1e-3 else " "
        text, previous = text + note_name(note.pitch, spelling), note.onset
    return text


def _events(what: str, clips: Sequence[Clip], cells: Sequence[Sequence[_Cell]]) -> list[Line]:
    """Return one line an event, labelled with the beat on which clip A has it."""
    beats = [_beats(clip, events) for clip, events in zip(clips, cells, strict=True)]
    lines = []
    for place in range(max(map(len, cells))):
        row = []
        for events, onsets in zip(cells, beats, strict=True):
            text = events[place][1] if place < len(events) else "-"
            moved = place < len(onsets) and onsets[place : place + 1] != beats[0][place : place + 1]
            row.append(f"{text} (beat {onsets[place]})" if moved else text)
        beat = f", beat {beats[0][place]}" if place < len(beats[0]) else ""
        lines.append(Line(f"{what} {place + 1}{beat}", tuple(row)))
    return lines


def _beats(clip: Clip, cells: Sequence[_Cell]) -> list[str]:
    """Return the onsets in beats from the first one, which is beat 1 as musicians count."""
    return [f"{1 + round((onset - cells[0][0]) / clip.beat, 2):g}" for onset, _ in cells]


def _accompaniment(clips: Sequence[Clip]) -> list[Line]:
    """Return one line for each part beside the lead."""
    most = max(len(clip.parts) for clip in clips)
    return [
        Line("with", tuple(_part_text(clip.parts[n]) if n < len(clip.parts) else "" for clip in clips))
        for n in range(1, most)
    ]


def _part_text(part: Part) -> str:
    if part.instrument.is_percussion:
        return f"{_player(part)}, {len(part.notes)} strokes"
    groups: dict[float, list[str]] = {}
    for note in part.notes:
        groups.setdefault(round(note.onset, 3), []).append(note_name(note.pitch))
    return f"{_player(part)}: {', '.join(' '.join(notes) for notes in groups.values())}"


def changes_text(performance: Performance) -> str:
    """Return the sound changes of a performance with their telling parameters, or 'none'."""
    texts = []
    for change in performance.changes:
        values = " ".join(
            f"{name}={_value(value)}" for name, value in change.parameters.items() if _is_short(name, value)
        )
        texts.append(f"{change.effect} {values}".rstrip())
    return ", ".join(texts) or "none"


def _is_short(name: str, value: Any) -> bool:
    """Return whether a parameter tells a reader something: seeds and coordinates don't."""
    return "seed" not in name and isinstance(value, str | int | float)


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _signed(edit: Edit) -> str:
    magnitude = float(edit.magnitude)
    return f"{'-' if magnitude < 0 else '+'}{rung_text(abs(magnitude), edit.unit)}"


def _ratio_text(edit: Edit) -> str:
    ratio = float(edit.magnitude)
    return f"{ratio:g} times as fast" if ratio > 1 else f"{1 / ratio:g} times as slow"


def item_data(item: Item, variants: Sequence[Variant]) -> Mapping[str, Any]:
    """Return what `item_lines` shows as plain data for JSON, with the clips in full."""
    return {
        "item": item.name,
        "task": item.task,
        "rung": item.rung,
        "texture": item.texture,
        "question": item.question,
        "choices": list(item.choices),
        "clip_a": _performance_data(item.clip_a, None),
        "variants": [
            {
                "id": variant.id,
                "condition": variant.condition,
                "answer": variant.answer,
                "choice": item.choices["AB".index(variant.answer)],
                "relation": variant.relation,
                "factor": variant.factor,
                "difference": variant.difference.to_dict() if variant.difference else None,
                "clip_b": _performance_data(variant.clip_b, item.clip_a),
            }
            for variant in variants
        ],
    }


def _performance_data(performance: Performance, beside: Performance | None) -> Mapping[str, Any]:
    """Return a performance as plain data, its chords named as those of the one beside it."""
    clip = performance.clip
    chords = [] if clip.lead.instrument.is_percussion else chords_of(clip)
    others = chords_of(beside.clip) if beside and chords else []
    symbols = []
    for place, chord in enumerate(chords):
        versions = [[note.pitch for note in chord]]
        versions += [[note.pitch for note in others[place]]] if place < len(others) else []
        name = name_chords(versions)[0]
        symbols.append(name.symbol if name else None)
    return {
        **performance.to_dict(),
        "instrument": _player(clip.lead),
        "beats_a_minute": round(60 / clip.beat, 3),
        "notes": [] if clip.lead.instrument.is_percussion else [note_name(n.pitch) for n in clip.lead.notes],
        "chords": symbols,
    }
