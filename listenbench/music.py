"""Symbolic music: immutable notes and clips, from which everything else is derived.

Conventions: pitches are MIDI note numbers (60 is C4, 261.63 Hz), times are in seconds from the start of
the clip, velocities are 1 to 127, programs are General MIDI program numbers counted from 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from listenbench.errors import SpecError

PERCUSSION_BANK = 128
"""Bank number under which soundfonts keep their drum kits (SoundFont 2.04, section 7.2)."""


@dataclass(frozen=True, slots=True)
class Instrument:
    """A preset of a soundfont.

    Attributes
    ----------
    program : int
        General MIDI program, 0 to 127.
    bank : int
        0 for melodic presets, `PERCUSSION_BANK` for drum kits.
    """

    program: int
    bank: int = 0

    @property
    def is_percussion(self) -> bool:
        """Whether pitches select sounds of a drum kit instead of heights."""
        return self.bank == PERCUSSION_BANK


@dataclass(frozen=True, slots=True)
class Note:
    """One note.

    Attributes
    ----------
    pitch : int
        MIDI note number, 0 to 127.
    onset : float
        Start in seconds, not negative.
    duration : float
        Seconds between note-on and note-off, above 0.
    velocity : int
        1 to 127.
    """

    pitch: int
    onset: float
    duration: float
    velocity: int

    def __post_init__(self) -> None:
        """Refuse values outside of what MIDI can carry."""
        if not 0 <= self.pitch <= 127:
            raise SpecError(f"note: pitch {self.pitch} is outside 0 to 127")
        if not 1 <= self.velocity <= 127:
            raise SpecError(f"note: velocity {self.velocity} is outside 1 to 127")
        if not (self.onset >= 0 and self.duration > 0):
            raise SpecError(
                f"note: onset {self.onset} s, duration {self.duration} s: "
                "the onset must not be negative and the duration must be above 0"
            )


LONGEST_WINDOW: Final = 60
"""Seconds that a stored clip may have at most; splits go up to 10."""

LONGEST_CYCLE_BEATS: Final = 64
"""Beats that the figure of a stored clip may have at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """The notes that one instrument plays, ordered by onset, then pitch."""

    instrument: Instrument
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Clip:
    """A short piece of symbolic music.

    Attributes
    ----------
    parts : tuple of Part
        The first part is the one that the question is about; any others accompany it.
    window : float
        Length of the clip in seconds; every note ends inside it.
    beat : float
        Seconds in one note unit, in which rhythms are compared whatever the tempo.
    tuning_cents : float
        Deviation of the whole clip from A4 = 440 Hz, in cents.
    cycle_beats : int
        Length in beats of the figure that a percussion lead repeats; 0 for a lead that repeats none.
    """

    parts: tuple[Part, ...]
    window: float
    beat: float
    tuning_cents: float = 0.0
    cycle_beats: int = 0

    def __post_init__(self) -> None:
        """Refuse a clip without notes or with a note beyond its window."""
        if not self.parts or not all(part.notes for part in self.parts):
            raise SpecError("clip: it has a part without notes, or no part at all")
        end = max(note.onset + note.duration for part in self.parts for note in part.notes)
        if end > self.window + 1e-9:
            raise SpecError(f"clip: a note ends at {end:.3f} s, after its window of {self.window} s")

    @property
    def lead(self) -> Part:
        """The part that the question is about."""
        return self.parts[0]

    def with_lead(self, lead: Part) -> Clip:
        """Return the clip with another first part."""
        return replace(self, parts=(lead, *self.parts[1:]))

    def transposed(self, cents: float) -> Clip:
        """Return the clip with every pitched part moved by `cents`; percussion stays.

        The nearest whole semitones go to the pitches and the rest, at most 50 cents, to the tuning.
        """
        total = self.tuning_cents + cents
        semitones = round(total / 100)
        parts = tuple(
            part if part.instrument.is_percussion else _moved(part, semitones) for part in self.parts
        )
        return replace(self, parts=parts, tuning_cents=total - 100 * semitones)

    def sounding_pitches(self) -> frozenset[int]:
        """Return the MIDI note numbers that sound in the pitched parts.

        A detuned note counts for both neighbours, so that two pools without a common number
        stay apart in frequency as well.
        """
        pitches = {n.pitch for part in self.parts if not part.instrument.is_percussion for n in part.notes}
        if self.tuning_cents > 0:
            pitches |= {pitch + 1 for pitch in pitches}
        elif self.tuning_cents < 0:
            pitches |= {pitch - 1 for pitch in pitches}
        return frozenset(pitches)

    def to_dict(self) -> dict[str, Any]:
        """Return the clip as plain data for JSON; `from_dict` reads it back unchanged."""
        return {
            "window": self.window,
            "beat": self.beat,
            "tuning_cents": self.tuning_cents,
            "cycle_beats": self.cycle_beats,
            "parts": [
                {
                    "program": part.instrument.program,
                    "bank": part.instrument.bank,
                    "notes": [[n.pitch, n.onset, n.duration, n.velocity] for n in part.notes],
                }
                for part in self.parts
            ],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Clip:
        """Read the plain data that `to_dict` returns.

        Raises
        ------
        SpecError
            If a value is outside of what a clip can have.
        """
        times = [note[index] for entry in data["parts"] for note in entry["notes"] for index in (1, 2)]
        for name, value, lowest, highest in (
            ("window", data["window"], 0, LONGEST_WINDOW),
            ("beat", data["beat"], 1 / LONGEST_WINDOW, LONGEST_WINDOW),
            ("tuning_cents", data["tuning_cents"], -100, 100),
            ("cycle_beats", data["cycle_beats"], 0, LONGEST_CYCLE_BEATS),
            *(("onset or duration", time, 0, LONGEST_WINDOW) for time in times),
            *(("program", entry["program"], 0, 127) for entry in data["parts"]),
            *(("bank", entry["bank"], 0, 16_383) for entry in data["parts"]),
        ):
            if not lowest <= value <= highest:
                raise SpecError(f"clip: its {name} is outside {lowest:g} to {highest:g}")
        parts = tuple(
            part_of(
                Instrument(entry["program"], entry["bank"]),
                (Note(*note) for note in entry["notes"]),
            )
            for entry in data["parts"]
        )
        return cls(parts, data["window"], data["beat"], data["tuning_cents"], data["cycle_beats"])


def part_of(instrument: Instrument, notes: Iterable[Note]) -> Part:
    """Return a part with its notes in the canonical order: by onset, then by pitch."""
    return Part(instrument, tuple(sorted(notes, key=lambda note: (note.onset, note.pitch))))


def _moved(part: Part, semitones: int) -> Part:
    return replace(part, notes=tuple(replace(n, pitch=n.pitch + semitones) for n in part.notes))
