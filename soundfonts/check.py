"""Auditioning a soundfont: every note that is going to be used, rendered and measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from listenbench.audio import SAMPLE_RATE
from listenbench.errors import RenderError
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, part_of
from listenbench.render import Renderer
from listenbench.soundfonts.sf2 import Preset, Range, read_soundfont

LIMIT_CENTS: Final = 15.0
"""Largest deviation from equal temperament (A4 = 440 Hz) that passes."""

SILENT_PEAK: Final = 10 ** (-70 / 20)
"""Peak below which a note counts as silent: 70 dB below full scale, before any gain."""

FULL_SCALE: Final = 1.0
"""Peak from which a note counts as clipped: it would not fit into a PCM sample."""

NOTE_SECONDS: Final = 0.8

VELOCITY: Final = 80
"""Velocity of the notes; where others in `VELOCITIES` play other samples, those are rendered as well."""

VELOCITIES: Final[Range] = (60, 120)
"""Velocities that tasks may use, ends included."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A preset and the pitches at which it is going to be used.

    Attributes
    ----------
    instrument : Instrument
        Bank and program.
    name : str
        For people.
    pitches : tuple of int
        MIDI pitches; for a drum kit, the notes that select its sounds.
    """

    instrument: Instrument
    name: str
    pitches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoteReport:
    """What one note of a soundfont turned out to be.

    Attributes
    ----------
    bank, program, pitch, velocity : int
        What was played.
    name : str
        Name of the sound.
    problem : str or None
        'silent', 'clipped' or 'off pitch'; None for a note that passes.
    peak_dbfs : float or None
        Sample peak in dB below full scale, None for digital silence.
    attack_ms : float
        Time to half of the envelope's maximum, in milliseconds.
    drop_db : float
        How far the note has died away after `NOTE_SECONDS`, in dB.
    cents, periodic_cents, clarity : float or None
        See `listenbench.soundfonts.tone.Tone`; None for percussion and silence.
    """

    bank: int
    program: int
    name: str
    pitch: int
    velocity: int
    problem: str | None
    peak_dbfs: float | None
    attack_ms: float
    drop_db: float
    cents: float | None
    periodic_cents: float | None
    clarity: float | None


@dataclass(frozen=True, slots=True)
class Audition:
    """All notes of a soundfont that were rendered, in the order asked for."""

    soundfont: Path
    notes: tuple[NoteReport, ...]

    @property
    def problems(self) -> tuple[NoteReport, ...]:
        """The notes that don't pass."""
        return tuple(note for note in self.notes if note.problem is not None)


def audition(soundfont: Path, sounds: Iterable[Sound], on_pitch: Callable[[], Any] | None = None) -> Audition:
    """Render every note of the given sounds and report the silent, clipped and out-of-tune ones.

    Parameters
    ----------
    soundfont : Path
        An SF2 or SF3 file.
    sounds : iterable of Sound
        What to render.
    on_pitch : callable, optional
        Called after every pitch of every sound, to show progress.

    Raises
    ------
    RenderError
        If the soundfont is broken or lacks one of the presets.
    """
    sounds = tuple(sounds)
    contents = read_soundfont(soundfont)
    presets = [contents.preset(sound.instrument.bank, sound.instrument.program) for sound in sounds]
    renderer = Renderer()
    reports: list[NoteReport] = []
    try:
        for sound, preset in zip(sounds, presets, strict=True):
            for pitch in sound.pitches:
                reports += [
                    _report(renderer, soundfont, sound, pitch, velocity)
                    for velocity in velocities_to_hear(preset, pitch)
                ]
                if on_pitch is not None:
                    on_pitch()
    finally:
        renderer.close()
    return Audition(soundfont, tuple(reports))


def velocities_to_hear(preset: Preset, pitch: int) -> tuple[int, ...]:
    """Return `VELOCITY`, and the lowest velocity in `VELOCITIES` of every other set of samples."""
    chosen = {preset.samples_at(pitch, VELOCITY): VELOCITY}
    for velocity in range(VELOCITIES[0], VELOCITIES[1] + 1):
        chosen.setdefault(preset.samples_at(pitch, velocity), velocity)
    return tuple(chosen.values())


def problem_runs(notes: Iterable[NoteReport]) -> tuple[tuple[NoteReport, ...], ...]:
    """Return the notes that don't pass, in runs of adjacent pitches with one problem."""
    failing = sorted(
        (note for note in notes if note.problem is not None),
        key=lambda note: (note.bank, note.program, note.problem or "", note.velocity, note.pitch),
    )
    runs = groupby(
        enumerate(failing),
        key=lambda p: (p[1].bank, p[1].program, p[1].name, p[1].problem, p[1].velocity, p[1].pitch - p[0]),
    )
    return tuple(tuple(note for _, note in run) for _, run in runs)


def _report(renderer: Renderer, soundfont: Path, sound: Sound, pitch: int, velocity: int) -> NoteReport:
    from listenbench.soundfonts.tone import measure

    note = Note(pitch, 0.0, NOTE_SECONDS, velocity)
    clip = Clip((part_of(sound.instrument, [note]),), window=NOTE_SECONDS, beat=NOTE_SECONDS)
    bank, program = sound.instrument.bank, sound.instrument.program
    try:
        samples = renderer.render(clip, soundfont)
    except RenderError:
        # The preset is there and its samples are whole: what is left is that the note selects none.
        return NoteReport(
            bank, program, sound.name, pitch, velocity, "silent", None, 0.0, 0.0, None, None, None
        )
    tone = measure(samples, SAMPLE_RATE, 440.0 * 2 ** ((pitch - 69) / 12))
    pitched = bank != PERCUSSION_BANK
    return NoteReport(
        bank=bank,
        program=program,
        name=sound.name,
        pitch=pitch,
        velocity=velocity,
        problem=_problem(tone.peak, tone.cents if pitched else 0.0),
        peak_dbfs=20 * math.log10(tone.peak),
        attack_ms=1000 * tone.attack_seconds,
        drop_db=tone.drop_db,
        cents=tone.cents if pitched else None,
        periodic_cents=tone.periodic_cents if pitched else None,
        clarity=tone.clarity if pitched else None,
    )


def _problem(peak: float, cents: float) -> str | None:
    if peak < SILENT_PEAK:
        return "silent"
    if peak >= FULL_SCALE:
        return "clipped"
    return "off pitch" if abs(cents) > LIMIT_CENTS else None
