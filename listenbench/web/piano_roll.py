"""Piano rolls of clip A and clip B on one time axis, with what was edited marked.

Pitched parts stand above, semitone by semitone; each drum sound has a row of its own below. All recordings of
an item are drawn on the same rows, so that they can be compared by eye. Places along the time axis are in
percent of the recording, those across it in pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from listenbench.attributes import chords_of, is_polyphonic
from listenbench.edits import edited_notes
from listenbench.items import Item, Variant
from listenbench.music import Clip, Note, Part
from listenbench.names import instrument_name, name_chords, note_name, percussion_name

HEIGHT: Final = 132.0
"""Pixels of a roll."""

_MARGIN: Final = 5.0
_NAME_ROW: Final = 12.0
_DRUM_ROW: Final = 22.0
_DRUM_NAME: Final = 10.0
_DRUM_HEIGHT: Final = 9.0
_THICKEST: Final = 9.0
_FEWEST_SEMITONES: Final = 12
_CENTS: Final = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """A note as it is drawn.

    Attributes
    ----------
    x, width : float
        In percent of the recording.
    y, height : float
        In pixels from the top.
    name : str
        Of the note, or of the drum sound.
    label : str
        What is written over it; may be empty.
    kind : str
        'lead', 'other' (an accompanying part) or 'ghost' (where an edited note was before).
    edited : bool
        Whether it is part of the edit.
    """

    x: float
    width: float
    y: float
    height: float
    name: str
    label: str
    kind: str
    edited: bool


@dataclass(frozen=True, slots=True)
class Label:
    """A text along the roll, at `x` percent and `y` pixels."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class PianoRoll:
    """The roll of one recording.

    Attributes
    ----------
    bars : tuple of Bar
        All notes of both clips.
    chords : tuple of Label
        Chord symbols, where the chords start; a repeated one stands there once.
    octaves : tuple of Label
        The lines of the Cs.
    drums : tuple of Label
        The names of the drum sounds, over their rows.
    text : str
        What is to be seen, in words.
    """

    bars: tuple[Bar, ...]
    chords: tuple[Label, ...]
    octaves: tuple[Label, ...]
    drums: tuple[Label, ...]
    text: str


def piano_rolls(item: Item, seconds: float) -> list[PianoRoll]:
    """Return the piano roll of each variant of an item.

    Parameters
    ----------
    item : Item
        Any item.
    seconds : float
        Length of its recordings; what the two clips leave of it is the silence between them.
    """
    clips = [item.clip_a.clip, *(variant.clip_b.clip for variant in item.variants)]
    symbols = _chord_symbols(clips)
    rows = _rows(clips, chords=any(symbols))
    return [
        _roll(rows, item.clip_a.clip, symbols[0], variant, symbols[place], seconds)
        for place, variant in enumerate(item.variants, start=1)
    ]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where pitches and drum sounds lie across the roll."""

    highest: float
    semitone: float
    top: float
    drums: tuple[int, ...]
    drums_top: float
    octaves: tuple[Label, ...]

    def place(self, part: Part, note: Note, tuning_cents: float) -> tuple[float, float]:
        """Return the upper edge and the height of a note."""
        if part.instrument.is_percussion:
            return self.drums_top + self.drums.index(note.pitch) * _DRUM_ROW + _DRUM_NAME, _DRUM_HEIGHT
        height = min(max(self.semitone, 3.0), _THICKEST)
        middle = self.top + (self.highest - note.pitch - tuning_cents / _CENTS + 0.5) * self.semitone
        return middle - height / 2, height


def _rows(clips: Sequence[Clip], *, chords: bool) -> _Rows:
    parts = [part for clip in clips for part in clip.parts]
    pitches = {n.pitch for part in parts if not part.instrument.is_percussion for n in part.notes}
    drums = tuple(sorted({n.pitch for part in parts if part.instrument.is_percussion for n in part.notes}))
    top = _MARGIN + _NAME_ROW * (2 if chords else 1)
    drums_top = HEIGHT - _MARGIN - len(drums) * _DRUM_ROW
    if not pitches:
        drums_top = (HEIGHT - len(drums) * _DRUM_ROW) / 2
    spare = max(0, _FEWEST_SEMITONES - (max(pitches, default=0) - min(pitches, default=0))) / 2
    highest = max(pitches, default=0) + spare
    lowest = min(pitches, default=0) - spare
    semitone = (drums_top - _MARGIN - top) / (highest - lowest + 1)
    octaves = tuple(
        Label(0, top + (highest - pitch + 1) * semitone, note_name(pitch))
        for pitch in range(0, 128, 12)
        if pitches and lowest - 0.5 <= pitch <= highest
    )
    return _Rows(highest, semitone, top, drums, drums_top, octaves)


def _roll(
    rows: _Rows,
    clip_a: Clip,
    symbols_a: Sequence[_Symbol],
    variant: Variant,
    symbols_b: Sequence[_Symbol],
    seconds: float,
) -> PianoRoll:
    clip_b = variant.clip_b.clip
    start = max(0.0, seconds - clip_b.window)
    edited_a, edited_b = edited_notes(clip_a, clip_b, variant.difference)
    bars = [
        *_bars(rows, clip_a, 0, seconds, edited_a),
        *_ghosts(rows, clip_a, clip_b, start, seconds, edited_a),
        *_bars(rows, clip_b, start, seconds, edited_b),
    ]
    chords = [
        Label(100 * (offset + onset) / seconds, _MARGIN + 8 + _NAME_ROW * (place % 2), symbol)
        for offset, symbols in ((0.0, symbols_a), (start, symbols_b))
        for place, (onset, symbol) in enumerate(_without_repetitions(symbols))
    ]
    drums = [
        Label(0, rows.drums_top + row * _DRUM_ROW + _DRUM_NAME - 2, percussion_name(pitch))
        for row, pitch in enumerate(rows.drums)
    ]
    text = f"Clip A: {_in_words(clip_a, symbols_a)}. Clip B: {_in_words(clip_b, symbols_b)}."
    return PianoRoll(tuple(bars), tuple(chords), rows.octaves, tuple(drums), text)


def _bars(rows: _Rows, clip: Clip, start: float, seconds: float, edited: frozenset[int]) -> Iterator[Bar]:
    """Yield the notes of a clip, the lead's last, so that they lie on top."""
    named = not clip.lead.instrument.is_percussion and not is_polyphonic(clip)
    for number, part in reversed([*enumerate(clip.parts)]):
        for place, note in enumerate(part.notes):
            y, height = rows.place(part, note, clip.tuning_cents)
            name = percussion_name(note.pitch) if part.instrument.is_percussion else note_name(note.pitch)
            yield Bar(
                x=100 * (start + note.onset) / seconds,
                width=100 * note.duration / seconds,
                y=y,
                height=height,
                name=name,
                label=name.rstrip("-0123456789") if named and number == 0 else "",
                kind="other" if number else "lead",
                edited=number == 0 and place in edited,
            )


def _ghosts(
    rows: _Rows, clip_a: Clip, clip_b: Clip, start: float, seconds: float, edited: frozenset[int]
) -> Iterator[Bar]:
    """Yield where the edited notes of clip A would lie in clip B."""
    first, second = clip_a.lead.notes, clip_b.lead.notes
    shift = min(note.pitch for note in second) - min(note.pitch for note in first)
    for place in sorted(edited):
        note = first[place]
        y, height = rows.place(clip_a.lead, note, 100 * shift + clip_b.tuning_cents)
        x, width = 100 * (start + note.onset) / seconds, 100 * note.duration / seconds
        yield Bar(x, width, y, height, note_name(note.pitch + shift), "", "ghost", edited=True)


_Symbol = tuple[float, str]
"""Onset in seconds, and a chord symbol."""


def _chord_symbols(clips: Sequence[Clip]) -> list[list[_Symbol]]:
    """Return the chord symbols of each clip; the versions of a chord are named from the same member."""
    if clips[0].lead.instrument.is_percussion or not all(map(is_polyphonic, clips)):
        return [[] for _ in clips]
    chords = [chords_of(clip) for clip in clips]
    symbols: list[list[_Symbol]] = [[] for _ in clips]
    for place in range(max(map(len, chords))):
        owners = [number for number, clip in enumerate(chords) if place < len(clip)]
        names = name_chords([[note.pitch for note in chords[number][place]] for number in owners])
        for number, name in zip(owners, names, strict=True):
            onset = min(note.onset for note in chords[number][place])
            symbols[number].append((onset, name.symbol if name else "?"))
    return symbols


def _without_repetitions(symbols: Sequence[_Symbol]) -> list[_Symbol]:
    before = ["", *(symbol for _, symbol in symbols)]
    return [symbol for symbol, last in zip(symbols, before, strict=False) if symbol[1] != last]


def _in_words(clip: Clip, symbols: Sequence[_Symbol]) -> str:
    lead = clip.lead
    if lead.instrument.is_percussion:
        sounds = " and ".join(sorted({percussion_name(note.pitch) for note in lead.notes}))
        return f"{len(lead.notes)} strokes of {sounds}"
    names = [symbol for _, symbol in symbols] or [note_name(note.pitch) for note in lead.notes]
    return f"{instrument_name(lead.instrument)}, {' '.join(names)}"
