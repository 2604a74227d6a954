"""What can be heard about a clip: named pure functions from a clip to a comparable value.

The four queried attributes (melody, harmony, timbre, rhythm) are the subjects of the tasks. The others are
never asked about; they are there so that an edit can be shown to leave them alone. `None` means that the
attribute doesn't apply, for example melody to percussion.

All of them describe the clip's lead part, except `tuning`, which is the whole clip's, and `accompaniment`,
which is everything but the lead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from listenbench.music import Clip, Note

Attribute = Callable[[Clip], Hashable]

_DECIMALS: Final = 4
"""Decimals kept of times in beats, well above the resolution of a MIDI file of 220 ticks a beat."""

_SMALLEST_CHORD: Final = 3


def melody(clip: Clip) -> Hashable:
    """Return the sequence of pitch intervals in semitones and the onset pattern in beats.

    Transposition and tempo leave both alone. None for percussion and for parts with overlapping notes.
    """
    if clip.lead.instrument.is_percussion or is_polyphonic(clip):
        return None
    notes = clip.lead.notes
    intervals = tuple(b.pitch - a.pitch for a, b in pairwise(notes))
    return intervals, _onsets_in_beats(clip)


def harmony(clip: Clip) -> Hashable:
    """Return the chords as pitch-class sets, transposed together to a canonical pitch level.

    Two clips have equal values exactly when one is, octaves and voicing aside, a transposition of the
    other: the qualities of the chords and the motion of their roots agree. None where no chord sounds.
    """
    if clip.lead.instrument.is_percussion:
        return None
    chords = [{note.pitch % 12 for note in chord} for chord in chords_of(clip)]
    if not chords:
        return None
    return min(
        tuple(tuple(sorted((pitch_class + shift) % 12 for pitch_class in chord)) for chord in chords)
        for shift in range(12)
    )


def timbre(clip: Clip) -> Hashable:
    """Return the bank and program of the instrument."""
    return clip.lead.instrument.bank, clip.lead.instrument.program


def rhythm(clip: Clip) -> Hashable:
    """Return the pulse rate in beats a minute."""
    return round(60 / clip.beat, 3)


def register(clip: Clip) -> Hashable:
    """Return the lowest pitch, as a MIDI note number. None for percussion."""
    if clip.lead.instrument.is_percussion:
        return None
    return min(note.pitch for note in clip.lead.notes)


def tuning(clip: Clip) -> Hashable:
    """Return the deviation from A4 = 440 Hz in cents."""
    return round(clip.tuning_cents, 3)


def dynamics(clip: Clip) -> Hashable:
    """Return the velocities: of every note, or of one figure for percussion."""
    return tuple(note.velocity for note in _figure_notes(clip))


def note_lengths(clip: Clip) -> Hashable:
    """Return the durations: in beats, or in seconds for percussion, whose sounds don't sustain."""
    if clip.lead.instrument.is_percussion:
        return tuple(round(note.duration, _DECIMALS) for note in _figure_notes(clip))
    return tuple(round(note.duration / clip.beat, _DECIMALS) for note in clip.lead.notes)


def figure(clip: Clip) -> Hashable:
    """Return the figure that percussion repeats, (onset in beats, drum sound) pairs. None for other parts."""
    if not clip.lead.instrument.is_percussion:
        return None
    notes = _figure_notes(clip)
    return tuple(zip(_onsets_in_beats(clip), (note.pitch for note in notes), strict=False))


def accompaniment(clip: Clip) -> Hashable:
    """Return all parts but the lead, with pitches counted from the lead's lowest one, if it has pitches."""
    level = 0 if clip.lead.instrument.is_percussion else min(note.pitch for note in clip.lead.notes)
    return tuple(
        (
            part.instrument,
            *(_relative(note, 0 if part.instrument.is_percussion else level) for note in part.notes),
        )
        for part in clip.parts[1:]
    )


ATTRIBUTES: Final[Mapping[str, Attribute]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            melody,
            harmony,
            timbre,
            rhythm,
            register,
            tuning,
            dynamics,
            note_lengths,
            figure,
            accompaniment,
        )
    }
)
"""All attributes by name."""


def differing(first: Clip, second: Clip) -> frozenset[str]:
    """Return the names of the attributes whose values differ between two clips."""
    return frozenset(name for name, attribute in ATTRIBUTES.items() if attribute(first) != attribute(second))


def is_polyphonic(clip: Clip) -> bool:
    """Return whether a note of the lead starts before an earlier one has ended."""
    end = 0.0
    for note in clip.lead.notes:
        if note.onset < end - 1e-6:
            return True
        end = max(end, note.onset + note.duration)
    return False


def chords_of(clip: Clip) -> list[tuple[Note, ...]]:
    """Return the chords of the lead: notes that are released together, three or more at a time.

    Releases rather than onsets, since the notes of a broken chord start one after the other and ring on
    until the chord ends.
    """
    groups: list[list[Note]] = []
    for note in sorted(clip.lead.notes, key=lambda n: (round(n.onset + n.duration, 3), n.pitch)):
        end = note.onset + note.duration
        if groups and abs(end - (groups[-1][-1].onset + groups[-1][-1].duration)) < 2e-3:
            groups[-1].append(note)
        else:
            groups.append([note])
    return [tuple(group) for group in groups if len(group) >= _SMALLEST_CHORD]


def _relative(note: Note, level: int) -> Hashable:
    return note.pitch - level, note.onset, note.duration, note.velocity


def _onsets_in_beats(clip: Clip) -> tuple[float, ...]:
    notes = _figure_notes(clip)
    return tuple(round((note.onset - notes[0].onset) / clip.beat, _DECIMALS) for note in notes)


def _figure_notes(clip: Clip) -> tuple[Note, ...]:
    """Return the lead's notes; where it repeats a figure, only those of the first one."""
    notes = clip.lead.notes
    if not clip.cycle_beats:
        return notes
    limit = notes[0].onset + (clip.cycle_beats - 1e-3) * clip.beat
    return tuple(note for note in notes if note.onset < limit)
