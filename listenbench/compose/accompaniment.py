"""Arrangements around the part that is asked about, the same in both clips of an item.

A melody gets held chords under it, chords get a melody over them, an instrument becomes one of a trio, and
a pulse sounds under held chords. The lead stays the louder part, and the arrangement stays within the item's
band of pitches, so that textures don't let pitches of one split into the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from listenbench.attributes import chords_of
from listenbench.compose.lines import NARROWEST_BAND
from listenbench.compose.trial import LEAD_IN_SECONDS, RELEASE_SECONDS, Setting, Trial, Unsuitable
from listenbench.instruments import INSTRUMENTS, PERCUSSION, MelodicInstrument, instruments_for
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part, part_of
from listenbench.randomness import pick, shuffled
from listenbench.theory import SCALES

TEXTURES: Final = ("solo", "accompanied")
"""The lead alone, or within a small arrangement."""

Band = tuple[int, int]

RHYTHM_PAD_BAND: Final = (55, 67)
"""The MIDI pitches of chords under a pulse, which has no band of its own."""

_DECIMALS: Final = 4
"""Times are multiples of 0.1 ms, which MIDI files can tell apart and so give back exactly."""

_CHORD_BAND_SEMITONES: Final = 14
_PAD_SEMITONES: Final = 9
_TOP_SEMITONES: Final = 9
_LONG_HALF_BEATS: Final = 8
_PAD_VELOCITY: Final = 52
_TOP_VELOCITY: Final = 60
_PERCUSSION_VELOCITY: Final = 62


def line_lead_band(band: Band) -> Band:
    """Return the part of a band in which an accompanied line lies: its top."""
    return max(band[0], band[1] - NARROWEST_BAND), band[1]


def chord_lead_band(band: Band) -> Band:
    """Return the part of a band in which accompanied chords lie: its bottom."""
    return band[0], min(band[1], band[0] + _CHORD_BAND_SEMITONES)


def pad_under_line(generator: np.random.Generator, trial: Trial, setting: Setting) -> tuple[Part, ...]:
    """Return held chords out of the line's scale, in the bottom of its band."""
    tones = SCALES[str(trial.material["scale"])]
    tonic = int(trial.material["tonic"])
    band = _whole_band(trial, setting)
    pad_band = (band[0], band[0] + _PAD_SEMITONES)
    ladder = [p for p in range(pad_band[0], pad_band[1] + 1) if (p - tonic) % 12 in tones]
    chords = [_spaced(generator, ladder) for _ in range(2)]
    return (_held(chords, _other_player(generator, trial, pad_band), setting.window),)


def trio_around_line(generator: np.random.Generator, trial: Trial, setting: Setting) -> tuple[Part, ...]:
    """Return held chords and a percussion sound on the beat."""
    sound = PERCUSSION[pick(generator, tuple(PERCUSSION))]
    beat = trial.clip_a.beat
    count = int((setting.window - LEAD_IN_SECONDS - RELEASE_SECONDS) / beat)
    notes = tuple(
        Note(sound.pitch, round(LEAD_IN_SECONDS + step * beat, _DECIMALS), 0.08, _PERCUSSION_VELOCITY)
        for step in range(max(1, count))
    )
    pad = pad_under_line(generator, trial, setting)
    return (*pad, Part(Instrument(0, PERCUSSION_BANK), notes))


def line_over_chords(generator: np.random.Generator, trial: Trial, setting: Setting) -> tuple[Part, ...]:
    """Return a slow line over the chords, of tones that each chord has before and after the edit."""
    band = _whole_band(trial, setting)
    top = (band[1] - _TOP_SEMITONES, band[1])
    clips = (trial.clip_a, *trial.clip_b.values())
    notes = []
    for versions in zip(*(chords_of(clip) for clip in clips), strict=True):
        common = set.intersection(*({note.pitch % 12 for note in chord} for chord in versions))
        choices = [pitch for pitch in range(top[0], top[1] + 1) if pitch % 12 in common]
        if not choices:
            raise Unsuitable
        notes += _line_notes(generator, choices, versions[0], trial.clip_a.beat)
    player = _other_player(generator, trial, top)
    return (Part(Instrument(player.program), tuple(notes)),)


def pad_over_pulse(generator: np.random.Generator, trial: Trial, setting: Setting) -> tuple[Part, ...]:
    """Return two held chords, whose changes tell nothing about the pulse."""
    ladder = list(range(RHYTHM_PAD_BAND[0], RHYTHM_PAD_BAND[1] + 1))
    chords = [_spaced(generator, ladder) for _ in range(2)]
    player = _other_player(generator, trial, RHYTHM_PAD_BAND)
    return (_held(chords, player, setting.window),)


Arranger = Callable[[np.random.Generator, Trial, Setting], tuple[Part, ...]]


def arranged(trial: Trial, parts: tuple[Part, ...]) -> Trial:
    """Return the trial with the same accompaniment in all of its clips."""

    def with_parts(clip: Clip) -> Clip:
        return replace(clip, parts=(clip.lead, *parts))

    clips = {relation: with_parts(clip) for relation, clip in trial.clip_b.items()}
    return replace(trial, clip_a=with_parts(trial.clip_a), clip_b=clips)


def _whole_band(trial: Trial, setting: Setting) -> Band:
    """Return the band of the setting in which the trial's lead lies."""
    pitches = [note.pitch for clip in (trial.clip_a, *trial.clip_b.values()) for note in clip.lead.notes]
    low, high = min(pitches), max(pitches)
    return next(band for band in setting.bands if band[0] <= low and high <= band[1])


def _other_player(generator: np.random.Generator, trial: Trial, band: Band) -> MelodicInstrument:
    """Return an instrument that plays chords in a band and is of no family that leads."""
    clips = (trial.clip_a, *trial.clip_b.values())
    leads = {c.lead.instrument.program for c in clips if not c.lead.instrument.is_percussion}
    families = {INSTRUMENTS[program].family for program in leads}
    players = [
        instrument
        for instrument in instruments_for(())
        if instrument.chords is not None
        and instrument.family not in families
        and instrument.chords[0] <= band[0]
        and band[1] <= instrument.chords[1]
    ]
    if not players:
        raise Unsuitable
    return pick(generator, players)


def _spaced(generator: np.random.Generator, ladder: list[int]) -> tuple[int, ...]:
    """Return two or three pitches of a ladder that are at least a minor third apart."""
    chosen: list[int] = []
    for pitch in shuffled(generator, ladder):
        if all(abs(pitch - other) >= 3 for other in chosen):
            chosen.append(pitch)
    if len(chosen) < 2:
        raise Unsuitable
    return tuple(sorted(chosen[:3]))


def _held(chords: list[tuple[int, ...]], player: MelodicInstrument, window: float) -> Part:
    """Return chords of equal length that fill the window."""
    length = round((window - LEAD_IN_SECONDS - RELEASE_SECONDS) / len(chords) - 1e-4, _DECIMALS)
    notes = [
        Note(pitch, round(LEAD_IN_SECONDS + place * length, _DECIMALS), length, _PAD_VELOCITY)
        for place, chord in enumerate(chords)
        for pitch in chord
    ]
    return part_of(Instrument(player.program), notes)


def _line_notes(
    generator: np.random.Generator, choices: list[int], chord: tuple[Note, ...], beat: float
) -> list[Note]:
    """Return one or two notes of half a beat or more that fill the time of a chord."""
    start = min(note.onset for note in chord)
    end = max(note.onset + note.duration for note in chord)
    half_beats = round(2 * (end - start) / beat)
    # Half of a few half beats would be a value that is too short, or that nobody writes.
    is_indivisible = half_beats < _LONG_HALF_BEATS and half_beats % 2 == 1
    count = 1 if is_indivisible else 1 + int(generator.integers(2))
    length = (end - start) / count
    return [
        Note(
            pick(generator, choices),
            round(start + step * length, _DECIMALS),
            round(0.95 * length, _DECIMALS),
            _TOP_VELOCITY,
        )
        for step in range(count)
    ]
