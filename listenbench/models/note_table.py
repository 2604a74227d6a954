"""The notes of a clip as a compact table for models that read text, and the way back.

Times are counted in units of 10 ms from the last window marker `W`, one of which starts every 5 s; a note
reads `pitch,velocity,onset,duration;`. Velocities have 12 levels, 1 to 12. A table states its unit and its
window. Reading a table back gives every time within half a unit, and every velocity within half a level.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final

from listenbench.dataset import Row
from listenbench.errors import DataError, ListenbenchError
from listenbench.instruments import INSTRUMENTS, PERCUSSION
from listenbench.music import Clip, Note, Part
from listenbench.takes import Take, perform

UNITS_A_SECOND: Final = 100
WINDOW_UNITS: Final = 500
VELOCITY_LEVELS: Final = 12

HEADER: Final = (
    "unit 10 ms; window 5 s, marked W1, W2 ...; a note is pitch,velocity,onset,duration; with the MIDI "
    "pitch, a velocity of 1 to 12, and times in units, onsets counted from the last window marker"
)
"""What stands above the tables."""

_MARKER: Final = re.compile(r"W(\d+)")
_NOTE: Final = re.compile(r"(\d+),(\d+),(\d+),(\d+)")
_PERCUSSION_NAMES: Final = {sound.pitch: sound.name for sound in PERCUSSION.values()}


def item_table(row: Row) -> str:
    """Return both clips of a row of the manifest as text: instruments in words, notes as tables.

    The notes are those that sound, with the deviations of the take. What an effect does to the sound is not
    in them; a transposition is, and a deviation from A4 = 440 Hz is stated.

    Raises
    ------
    DataError
        If the row is damaged.
    """
    try:
        clips = [(name, _performed(row[key])) for name, key in (("A", "clip_a"), ("B", "clip_b"))]
    except (LookupError, TypeError, ValueError, ListenbenchError) as error:
        raise DataError(f"item {row.get('id')}: its row in the manifest is damaged: {error!r}") from None
    return "\n\n".join([HEADER, *(f"{_title(name)}\n{clip_table(clip)}" for name, clip in clips)])


def _title(name: str) -> str:
    return f"Clip {name} ({'first' if name == 'A' else 'second'}):"


def _performed(data: dict[str, Any]) -> Clip:
    return perform(Clip.from_dict(data["clip"]), Take.from_dict(data["take"]))


def clip_table(clip: Clip) -> str:
    """Return a clip as text: for each part a line that names the instrument, and one with its notes."""
    lines = []
    if clip.tuning_cents:
        lines.append(f"tuning: {clip.tuning_cents:+.0f} cents")
    for part in clip.parts:
        lines += [f"instrument: {_instrument(part)}", notes_table(part.notes)]
    return "\n".join(lines)


def _instrument(part: Part) -> str:
    if part.instrument.is_percussion:
        names = {_PERCUSSION_NAMES.get(note.pitch, f"drum {note.pitch}") for note in part.notes}
        return ", ".join(sorted(names))
    known = INSTRUMENTS.get(part.instrument.program)
    return known.name if known else f"General MIDI program {part.instrument.program}"


def notes_table(notes: Iterable[Note]) -> str:
    """Return notes as `W1 pitch,velocity,onset,duration; ...`, ordered by onset, then pitch."""
    words, window = ["W1"], 1
    for note in sorted(notes, key=lambda note: (note.onset, note.pitch)):
        onset = round(note.onset * UNITS_A_SECOND)
        while onset >= window * WINDOW_UNITS:
            window += 1
            words.append(f"W{window}")
        duration = max(1, round(note.duration * UNITS_A_SECOND))
        start = onset - (window - 1) * WINDOW_UNITS
        words.append(f"{note.pitch},{velocity_level(note.velocity)},{start},{duration};")
    return " ".join(words)


def velocity_level(velocity: int) -> int:
    """Return the level, 1 to 12, of a MIDI velocity of 1 to 127."""
    return math.ceil(velocity * VELOCITY_LEVELS / 127)


def level_velocity(level: int) -> int:
    """Return the velocity in the middle of a level."""
    return round((level - 0.5) * 127 / VELOCITY_LEVELS)


def read_notes(table: str) -> tuple[Note, ...]:
    """Read what `notes_table` writes, with times in whole units and velocities in the middle of their level.

    Raises
    ------
    DataError
        If a word is neither a window marker nor a note.
    """
    start, notes = 0, []
    for word in table.split():
        marker, note = _MARKER.fullmatch(word), _NOTE.fullmatch(word.removesuffix(";"))
        if marker:
            start = (int(marker[1]) - 1) * WINDOW_UNITS
        elif note and word.endswith(";"):
            pitch, level, onset, duration = map(int, note.groups())
            seconds = ((start + onset) / UNITS_A_SECOND, duration / UNITS_A_SECOND)
            notes.append(Note(pitch, *seconds, level_velocity(level)))
        else:
            raise DataError(f"note table: {word!r} is neither a window marker nor a note")
    return tuple(notes)
