"""Edits: pure functions that change exactly one attribute of a clip by a stated magnitude.

The contract of each edit is the attribute in its docstring: of all attributes in `listenbench.attributes`,
that one's value differs afterwards and no other's.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from listenbench.errors import SpecError
from listenbench.music import Clip, Instrument, Note, part_of


@dataclass(frozen=True, slots=True)
class Edit:
    """How one clip differs from another.

    Attributes
    ----------
    name : str
        The edit's function: 'note_pitch', 'chord_member', 'instrument' or 'pulse_rate'.
    attribute : str
        The one attribute that differs.
    magnitude : float or str
        How much, in `unit`; signed where there is a direction.
    unit : str
        'cents', 'semitones', 'ratio' or 'family distance'.
    note_indices : tuple of int
        Which notes of the lead were moved, for edits of notes; more than one where a chord is repeated.
    """

    name: str
    attribute: str
    magnitude: float | str
    unit: str
    note_indices: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as plain data for JSON."""
        return {
            "name": self.name,
            "attribute": self.attribute,
            "magnitude": self.magnitude,
            "unit": self.unit,
            "note_indices": list(self.note_indices),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Edit:
        """Read the plain data that `to_dict` returns."""
        return cls(**{**data, "note_indices": tuple(data["note_indices"])})


def edited_notes(clip_a: Clip, clip_b: Clip, edit: Edit | None) -> tuple[frozenset[int], frozenset[int]]:
    """Return which notes of two leads an edit is about.

    Moved notes are found in clip B by their onset and distance. Pitches are counted from the lowest note of
    each lead, which an edit never moves, so that a transposition makes no difference. Any other edit is one
    of the whole lead of clip B.

    Parameters
    ----------
    clip_a, clip_b : Clip
        The clips.
    edit : Edit or None
        The edit that leads from clip A to clip B, STAY changes aside.

    Returns
    -------
    tuple of two frozensets of int
        Positions in the lead of clip A, and in that of clip B.
    """
    first, second = clip_a.lead.notes, clip_b.lead.notes
    if edit is None:
        return frozenset(), frozenset()
    if not edit.note_indices:
        return frozenset(), frozenset(range(len(second)))
    semitones = round(float(edit.magnitude) / (100 if edit.unit == "cents" else 1))
    shift = min(note.pitch for note in second) - min(note.pitch for note in first)
    moved = [(first[index].onset, first[index].pitch + semitones + shift) for index in edit.note_indices]
    found = (
        place
        for place, note in enumerate(second)
        if any(note.pitch == pitch and abs(note.onset - onset) < 1e-3 for onset, pitch in moved)
    )
    return frozenset(edit.note_indices), frozenset(found)


def move_notes(clip: Clip, indices: Collection[int], semitones: int) -> Clip:
    """Move one note of a melody, or one member of a chord wherever the chord is repeated.

    Changes `melody` in a melody and `harmony` in chords. The register stays as long as the notes are not
    the clip's only lowest ones and don't become lower than that; other moves are refused.

    Parameters
    ----------
    clip : Clip
        A clip with a pitched lead.
    indices : collection of int
        Positions of the notes in the lead.
    semitones : int
        Distance, not 0, positive upwards.

    Raises
    ------
    SpecError
        If the move would change the register as well.
    """
    notes = [
        replace(note, pitch=note.pitch + semitones) if position in indices else note
        for position, note in enumerate(clip.lead.notes)
    ]
    lowest = min(note.pitch for note in clip.lead.notes)
    if not indices or semitones == 0 or min(note.pitch for note in notes) != lowest:
        raise SpecError(
            f"edit: moving notes {tuple(indices)} by {semitones} semitones would change the register, "
            "or nothing"
        )
    return clip.with_lead(part_of(clip.lead.instrument, notes))


def change_instrument(clip: Clip, instrument: Instrument) -> Clip:
    """Give the lead to another instrument. Changes `timbre`."""
    return clip.with_lead(replace(clip.lead, instrument=instrument))


def change_rate(clip: Clip, ratio: float) -> Clip:
    """Play a percussion figure faster or slower, in the same window. Changes `rhythm`.

    The first onset, the lengths and the velocities of the sounds stay; the figure is repeated for as long
    as a whole sound fits before the last `tail` of the window.

    Parameters
    ----------
    clip : Clip
        A clip whose lead repeats a figure.
    ratio : float
        New pulse rate by old pulse rate.

    Raises
    ------
    SpecError
        If the lead repeats none.
    """
    if not clip.cycle_beats:
        raise SpecError("edit: the clip repeats no figure that could be played at another rate")
    beat = clip.beat / ratio
    start = clip.lead.notes[0].onset
    limit = start + (clip.cycle_beats - 1e-3) * clip.beat
    figure = [((note.onset - start) / clip.beat, note) for note in clip.lead.notes if note.onset < limit]
    notes = repeat_figure(figure, clip.cycle_beats, start, beat, clip.window)
    return replace(clip.with_lead(part_of(clip.lead.instrument, notes)), beat=beat)


def repeat_figure(
    figure: list[tuple[float, Note]], cycle_beats: int, start: float, beat: float, window: float
) -> list[Note]:
    """Repeat a figure until the window is full.

    Parameters
    ----------
    figure : list of (float, Note)
        Onsets in beats within the figure, from 0 up to `cycle_beats`, with the notes that sound there.
    cycle_beats : int
        Length of the figure in beats.
    start, beat, window : float
        First onset, length of a beat and length of the window, in seconds.

    Returns
    -------
    list of Note
        Every note ends at least `FIGURE_TAIL_SECONDS` before the window does.
    """
    notes = []
    repetitions = int((window - start) / (cycle_beats * beat)) + 1
    for repetition in range(repetitions):
        for offset, note in figure:
            onset = start + (repetition * cycle_beats + offset) * beat
            if onset + note.duration <= window - FIGURE_TAIL_SECONDS:
                notes.append(replace(note, onset=round(onset, 6)))
    return notes


FIGURE_TAIL_SECONDS = 0.1
"""Seconds left free at the end of a percussion clip, so that its last sound can ring."""
