"""Clips as MIDI files, and back.

A file holds one clip or several, one after the other. A quarter note is the clip's beat, so that every clip
has its tempo; each part has a track, percussion has channel 10, and a tuning is a pitch bend within the range
of 2 semitones that General MIDI 1 prescribes.

Reading back gives the clip as it was composed, takes and sound changes aside:

- In the lead, onsets after the first, and lengths, are whole ticks: the resolution is chosen for that.
  Composed times are whole microseconds, so the reader rounds to those.
- What isn't laid out in the lead's beats needn't be on a tick: the first onset of a part, the lengths of drum
  sounds, and the accompaniment. Composers put those on a grid of 0.1 ms, and half a tick is less, so the
  reader rounds to that grid.
- The tempo of a MIDI file is a whole number of microseconds, too coarse for the third decimal of a fast pulse
  rate. A text event says the beat exactly. The reader takes it as long as it agrees with the tempo.
- One step of the pitch bend is 0.024 cents. The reader rounds tunings to 0.1 cents.

Reference: Standard MIDI Files 1.0 (RP-001) and General MIDI System Level 1 (RP-003), MIDI Association.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from listenbench.errors import DataError, SpecError
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of

if TYPE_CHECKING:
    import mido
    import pretty_midi

RESOLUTION: Final = 30720
"""Ticks in a beat, unless another resolution fits the clips better; 2**11 * 3 * 5, a multiple of 480."""

PAUSE_SECONDS: Final = 1.0
"""Silence between two clips of a file, as in a recording."""

_HIGHEST_RESOLUTION: Final = 2**15 - 1
_LOWEST_RESOLUTION: Final = 2**14
_EXACT_SECONDS: Final = 0.4e-6
_TEMPO_STEP_SECONDS: Final = 1e-6
_DECIMALS: Final = 6
_DECIMALS_OFF_BEATS: Final = 4
_BEND_STEPS_PER_CENT: Final = 8192 / 200
_WIDEST_TUNING: Final = 199
_DRUM_CHANNEL: Final = 9
_MELODIC_CHANNELS: Final = tuple(channel for channel in range(16) if channel != _DRUM_CHANNEL)
# Registered parameter 0 is the range of the pitch bend: here 2 semitones and 0 cents.
_BEND_RANGE: Final = ((101, 0), (100, 0), (6, 2), (38, 0))
_MARK: Final = "clip {letter}: beat {beat!r} s, window {window!r} s, cycle {cycle} beats"
_MARK_PATTERN: Final = re.compile(r"clip [A-Z]: beat ([\d.e-]+) s, window ([\d.e-]+) s, cycle (\d\d?) beats")
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def clip_to_midi(clip: Clip) -> pretty_midi.PrettyMIDI:
    """Return a clip as a PrettyMIDI object.

    Raises
    ------
    SpecError
        If MIDI has no place for something: too many parts, another bank, a tuning of two semitones.
    """
    return clips_to_midi((clip,))


def clips_to_midi(clips: Sequence[Clip], pause: float = PAUSE_SECONDS) -> pretty_midi.PrettyMIDI:
    """Return clips, one after the other, as a PrettyMIDI object.

    Parameters
    ----------
    clips : sequence of Clip
        One to 26 clips.
    pause : float
        Seconds of silence between the window of one clip and that of the next.

    Raises
    ------
    SpecError
        If MIDI has no place for something.
    """
    import pretty_midi

    return pretty_midi.PrettyMIDI(io.BytesIO(midi_bytes(clips, pause)))


def midi_bytes(clips: Sequence[Clip], pause: float = PAUSE_SECONDS) -> bytes:
    """Return the MIDI file of clips, one after the other; see `clips_to_midi`."""
    buffer = io.BytesIO()
    _midi_file(clips, pause).save(file=buffer)
    return buffer.getvalue()


def clip_from_midi(midi: pretty_midi.PrettyMIDI) -> Clip:
    """Return the only clip of a PrettyMIDI object; see `clips_from_midi`.

    Raises
    ------
    DataError
        If it holds no clip, or several.
    """
    clips = clips_from_midi(midi)
    if len(clips) != 1:
        raise DataError(f"MIDI: expected one clip, found {len(clips)}")
    return clips[0]


def clips_from_midi(midi: pretty_midi.PrettyMIDI) -> tuple[Clip, ...]:
    """Return the clips of a PrettyMIDI object.

    A file that was not written by `midi_bytes` is one clip: its beat is a quarter note at the tempo of the
    start, and its window ends with its last note.

    Raises
    ------
    DataError
        If a clip has no notes, or a note reaches beyond its window.
    """
    marks = _marks(midi)
    limits = [*(mark.start for mark in marks[1:]), float("inf")]
    try:
        return tuple(_read_clip(midi, mark, limit) for mark, limit in zip(marks, limits, strict=True))
    except SpecError as error:
        raise DataError(f"MIDI: {error}") from None


# ---- Writing


def _midi_file(clips: Sequence[Clip], pause: float) -> mido.MidiFile:
    import mido

    if not 1 <= len(clips) <= len(_LETTERS):
        raise SpecError(f"MIDI: a file holds 1 to {len(_LETTERS)} clips, got {len(clips)}")
    resolution = _resolution(clips)
    starts = _starts(clips, pause, resolution)
    file = mido.MidiFile(ticks_per_beat=resolution)
    file.tracks.append(_track(chain.from_iterable(map(_conducting, _LETTERS, clips, starts))))
    for number in range(max(len(clip.parts) for clip in clips)):
        events = (
            _playing(clip, number, start, resolution)
            for clip, start in zip(clips, starts, strict=True)
            if number < len(clip.parts)
        )
        file.tracks.append(_track(chain.from_iterable(events)))
    return file


def _starts(clips: Sequence[Clip], pause: float, resolution: int) -> list[int]:
    """Return the tick at which each clip's window starts."""
    starts = [0]
    for clip in clips[:-1]:
        starts.append(starts[-1] + round((clip.window + pause) / clip.beat * resolution))
    return starts


def _resolution(clips: Sequence[Clip]) -> int:
    """Return the ticks in a beat at which the times of the clips' leads come nearest to whole ticks."""
    seconds, beats = [], []
    for clip in clips:
        times = _times(clip.lead)
        seconds += sorted(times)
        beats += [clip.beat] * len(times)
    if _distances(np.array([RESOLUTION]), seconds, beats)[0] < _EXACT_SECONDS:
        return RESOLUTION
    candidates = np.arange(_LOWEST_RESOLUTION, _HIGHEST_RESOLUTION + 1)
    return int(candidates[np.argmin(_distances(candidates, seconds, beats))])


def _times(lead: Part) -> set[float]:
    """Return the times of a lead, in seconds, that are to be whole ticks."""
    onsets = {round(note.onset - lead.notes[0].onset, 6) for note in lead.notes}
    return onsets if lead.instrument.is_percussion else onsets | {note.duration for note in lead.notes}


def _distances(
    resolutions: npt.NDArray[np.int64], seconds: list[float], beats: list[float]
) -> npt.NDArray[np.float64]:
    """Return the largest distance of a time from a whole tick, in seconds, for each resolution."""
    ticks = resolutions[:, None] / np.array(beats)
    positions = np.array(seconds) * ticks
    distances: npt.NDArray[np.float64] = np.max(np.abs(positions - np.rint(positions)) / ticks, axis=1)
    return distances


_Event = tuple[int, int, "mido.Message | mido.MetaMessage"]
"""Tick, rank among the events of one tick (settings, note-offs, note-ons), and what happens."""


def _track(events: Iterator[_Event]) -> mido.MidiTrack:
    import mido

    track, now = mido.MidiTrack(), 0
    for tick, _, message in sorted(events, key=lambda event: event[:2]):
        track.append(message.copy(time=tick - now))
        now = tick
    return track


def _conducting(letter: str, clip: Clip, start: int) -> Iterator[_Event]:
    """Yield the mark and the tempo of a clip."""
    import mido

    text = _MARK.format(letter=letter, beat=clip.beat, window=clip.window, cycle=clip.cycle_beats)
    yield start, 0, mido.MetaMessage("text", text=text)
    tempo = round(clip.beat / _TEMPO_STEP_SECONDS)
    if not 0 < tempo < 2**24:
        raise SpecError(f"MIDI: a beat of {clip.beat} s is outside the range of tempos, up to 16.7 s")
    yield start, 0, mido.MetaMessage("set_tempo", tempo=tempo)


def _playing(clip: Clip, number: int, start: int, resolution: int) -> Iterator[_Event]:
    """Yield the settings and the notes of one part of a clip."""
    import mido

    part = clip.parts[number]
    channel = _channel(part.instrument, number)
    program = part.instrument.program
    yield start, 0, mido.Message("program_change", channel=channel, program=program)
    if not part.instrument.is_percussion:
        for control, value in _BEND_RANGE:
            yield start, 0, mido.Message("control_change", channel=channel, control=control, value=value)
        yield start, 0, mido.Message("pitchwheel", channel=channel, pitch=_bend(clip.tuning_cents))
    first = part.notes[0].onset
    first_tick = start + round(first / clip.beat * resolution)
    for note in part.notes:
        onset = first_tick + round((note.onset - first) / clip.beat * resolution)
        release = onset + max(1, round(note.duration / clip.beat * resolution))
        yield onset, 2, mido.Message("note_on", channel=channel, note=note.pitch, velocity=note.velocity)
        yield release, 1, mido.Message("note_off", channel=channel, note=note.pitch)


def _channel(instrument: Instrument, number: int) -> int:
    if instrument.is_percussion:
        return _DRUM_CHANNEL
    if instrument.bank != 0:
        raise SpecError(f"MIDI: bank {instrument.bank} is not part of General MIDI")
    if number >= len(_MELODIC_CHANNELS):
        raise SpecError(f"MIDI: a file holds {len(_MELODIC_CHANNELS)} pitched parts, not more")
    return _MELODIC_CHANNELS[number]


def _bend(cents: float) -> int:
    if abs(cents) > _WIDEST_TUNING:
        raise SpecError(f"MIDI: a tuning of {cents} cents is more than {_WIDEST_TUNING} either way")
    return round(cents * _BEND_STEPS_PER_CENT)


# ---- Reading


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a clip starts, in seconds of the file; its beat and window in seconds, its cycle in beats."""

    start: float
    beat: float
    window: float
    cycle_beats: int = 0


def _marks(midi: pretty_midi.PrettyMIDI) -> list[_Mark]:
    found = [(event.time, _MARK_PATTERN.fullmatch(event.text)) for event in midi.text_events]
    marks = [
        _Mark(time, _beat(midi, time, float(match[1])), float(match[2]), int(match[3]))
        for time, match in found
        if match
    ]
    return marks or [_Mark(0.0, _beat(midi, 0.0), midi.get_end_time())]


def _beat(midi: pretty_midi.PrettyMIDI, time: float, stated: float | None = None) -> float:
    """Return the seconds in a quarter note at a time: as stated, unless the tempo has been changed since."""
    times, tempos = midi.get_tempo_changes()
    position = max(0, int(np.searchsorted(times, time + _TEMPO_STEP_SECONDS)) - 1)
    beat = float(60 / tempos[position])
    # Programs differ in how they round a tempo, hence a whole step of tolerance.
    return stated if stated is not None and abs(stated - beat) <= 1.5 * _TEMPO_STEP_SECONDS else beat


def _read_clip(midi: pretty_midi.PrettyMIDI, mark: _Mark, limit: float) -> Clip:
    end = limit - _TEMPO_STEP_SECONDS
    played = [
        (instrument, notes)
        for instrument in midi.instruments
        if (notes := [note for note in instrument.notes if mark.start <= note.start < end])
    ]
    parts = tuple(
        _read_part(midi, mark, *entry, is_lead=position == 0) for position, entry in enumerate(played)
    )
    tunings = [_tuning(instrument, notes) for instrument, notes in played if not instrument.is_drum]
    return Clip(parts, mark.window, mark.beat, tunings[0] if tunings else 0.0, mark.cycle_beats)


def _read_part(
    midi: pretty_midi.PrettyMIDI,
    mark: _Mark,
    instrument: pretty_midi.Instrument,
    notes: Sequence[pretty_midi.Note],
    *,
    is_lead: bool,
) -> Part:
    is_drum = instrument.is_drum
    onset_decimals = _DECIMALS if is_lead else _DECIMALS_OFF_BEATS
    length_decimals = _DECIMALS if is_lead and not is_drum else _DECIMALS_OFF_BEATS
    ticks = [(_tick(midi, note.start), _tick(midi, note.end)) for note in notes]
    first = min(onset for onset, _ in ticks)
    seconds_a_tick = mark.beat / midi.resolution
    first_onset = round((first - _tick(midi, mark.start)) * seconds_a_tick, _DECIMALS_OFF_BEATS)
    return part_of(
        Instrument(int(instrument.program), PERCUSSION_BANK if is_drum else 0),
        (
            Note(
                int(note.pitch),
                round(first_onset + (onset - first) * seconds_a_tick, onset_decimals),
                round((release - onset) * seconds_a_tick, length_decimals),
                int(note.velocity),
            )
            for note, (onset, release) in zip(notes, ticks, strict=True)
        ),
    )


def _tick(midi: pretty_midi.PrettyMIDI, time: float) -> int:
    return int(midi.time_to_tick(time))


def _tuning(instrument: pretty_midi.Instrument, notes: Sequence[pretty_midi.Note]) -> float:
    """Return the tuning at an instrument's first note, in cents."""
    onset = min(note.start for note in notes)
    bends = [bend.pitch for bend in instrument.pitch_bends if bend.time <= onset + _TEMPO_STEP_SECONDS]
    # Adding 0 turns a negative zero into a positive one.
    return round(bends[-1] / _BEND_STEPS_PER_CENT, 1) + 0.0 if bends else 0.0
