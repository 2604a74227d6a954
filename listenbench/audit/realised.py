"""Realised against intended: what the manifest says, measured on the recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from listenbench.audio import SAMPLE_RATE, FloatArray, dequantised, quantised, read_audio
from listenbench.audit.check import MOST_ITEMS, Check, none_of
from listenbench.audit.evidence import Evidence, Record
from listenbench.audit.sound import Sound, cut
from listenbench.effects import get_effect
from listenbench.effects.base import AudioEffect
from listenbench.errors import DataError, ListenbenchError
from listenbench.listeners.hearing import CENTS_A_BIN
from listenbench.listeners.melodies import compare_melodies
from listenbench.listeners.pulses import onset_seconds, rate_ratio
from listenbench.loudness import normalised
from listenbench.music import Clip, Note

LOUDNESS_TOLERANCE_LU = 0.1
PITCH_TOLERANCE_CENTS = 45.0
"""Less than half a semitone: soundfonts are out of tune, and voices have vibrato, by some 20 cents."""

SHIFT_TOLERANCE_CENTS = 25.0
RATE_TOLERANCE = 0.02
REPLAY_LIMIT_DB = -40.0

_SEARCH_CENTS = 80
_PARTIALS = 6
_SHORTEST_SECONDS = 0.12
_SPREAD = 12


def check_realised(evidence: Evidence, sounds: Mapping[str, Sound], *, everything: bool) -> Iterator[Check]:
    """Yield loudness, pause, pitches, chord tones, rates, transpositions and effects as measured.

    Parameters
    ----------
    evidence : Evidence
        The data set.
    sounds : mapping of str to Sound
        Measurements by id.
    everything : bool
        Whether all recordings are measured, and not just some of each task and condition; loudness and
        pause always are, of all.
    """
    yield from _levels(evidence, sounds)
    for task in evidence.tasks:
        for condition in evidence.split.variants:
            records = [r for r in evidence.of(task, condition) if r.id in sounds]
            chosen = records if everything else records[:: max(1, len(records) // _SPREAD)][:_SPREAD]
            if chosen:
                yield _measured(f"{task}, {condition}: {_SUBJECTS[task][0]}", chosen, _SUBJECTS[task][1])
    yield from _effects(evidence, everything)


def _levels(evidence: Evidence, sounds: Mapping[str, Sound]) -> Iterator[Check]:
    target = evidence.split.loudness_lufs
    labels = {r.id: r.label for r in evidence.records}
    off = [labels[i] for i, s in sounds.items() if _off_level(s, target)]
    yield none_of(
        "realised", f"loudness {target} LUFS within {LOUDNESS_TOLERANCE_LU} LU", off, len(sounds), "off"
    )
    filled = [labels[i] for i, s in sounds.items() if not s.silent_pause]
    yield none_of("realised", "pause of digital silence in its place", filled, len(sounds), "without")


def _off_level(sound: Sound, target: float) -> bool:
    return max(abs(loudness - target) for loudness in sound.loudness) > LOUDNESS_TOLERANCE_LU


def _measured(name: str, records: Sequence[Record], measure: Callable[[Record], float | None]) -> Check:
    """Check that a deviation, as a multiple of what is tolerated, stays within 1 or below.

    A recording on which it can't be measured fails.
    """
    failed, worst = [], 0.0
    for record in records:
        try:
            deviation = measure(record)
        except ListenbenchError:
            deviation = None
        if deviation is None or not deviation <= 1:
            failed.append(record.label)
        if deviation is not None:
            worst = max(worst, deviation)
    figure = f"{len(failed)} of {len(records)} off, largest deviation {worst:.2f} of the tolerance"
    return Check("realised", name, figure, "0 off", not failed, tuple(failed[:MOST_ITEMS]))


def _clips(record: Record) -> tuple[FloatArray, FloatArray]:
    samples = read_audio(record.item.path)
    pause = len(samples) / SAMPLE_RATE - 2 * record.clips[0].window
    clip_a, _, clip_b = cut(samples, pause)
    return clip_a, clip_b


def _pitches(record: Record) -> float | None:
    """Return the largest deviation of a note, or of the pitch level as a whole, in tolerances.

    The notes of a clip in a room or with hiss are not measured one by one; the pitch level always is.
    """
    deviations = [abs(value) / PITCH_TOLERANCE_CENTS for value in _note_cents(record)]
    if not deviations:
        return None
    return max([*deviations, _shift_off(record)] if record.changes else deviations)


def _note_cents(record: Record) -> list[float]:
    """Return the deviations of all notes of the dry clips that are long enough to be measured."""
    values: list[float | None] = []
    for position, samples in enumerate(_clips(record)):
        if position == 0 or not _is_wet(record):
            clip = record.performed[position]
            values += [_cents_off(samples, clip, note) for note in clip.lead.notes]
    return [value for value in values if value is not None]


def _is_wet(record: Record) -> bool:
    return any(isinstance(get_effect(change["effect"]), AudioEffect) for change in record.changes)


def _shift_off(record: Record) -> float:
    """Return by how much the pitch level of clip B as a whole differs from the intended one."""
    moves = [change["parameters"] for change in record.changes if change["effect"] == "transposition"]
    intended = sum(float(parameters["cents"]) for parameters in moves)
    measured = compare_melodies(*_clips(record)).shift * CENTS_A_BIN
    return abs(measured - intended) / SHIFT_TOLERANCE_CENTS


def _cents_off(samples: FloatArray, clip: Clip, note: Note) -> float | None:
    """Return the cents by which a note's partials lie off, None where it is too short to tell."""
    start, end = note.onset + 0.03, min(note.onset + note.duration, note.onset + 0.4)
    if end - start < _SHORTEST_SECONDS:
        return None
    segment = samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)]
    size = 2 ** int(np.ceil(np.log2(len(segment)))) * 8
    spectrum = np.abs(np.fft.rfft(segment * np.hanning(len(segment)), size))
    frequency = 440.0 * 2 ** ((note.pitch - 69 + clip.tuning_cents / 100) / 12)
    deviations = np.arange(-_SEARCH_CENTS, _SEARCH_CENTS + 1)
    places = frequency * 2 ** (deviations[:, None] / 1200) * np.arange(1, _PARTIALS + 1) * size / SAMPLE_RATE
    strength = np.interp(places, np.arange(len(spectrum)), spectrum)
    heard = strength.max(axis=0) > 0.05 * strength.max()
    return float(np.median(deviations[strength.argmax(axis=0)][heard]))


def _chords(record: Record) -> float | None:
    """Return the median deviation of the chord tones of the dry clips, in tolerances.

    The median, since tones of one chord share partials and pull one another's measurement.
    """
    values = _note_cents(record)
    return float(np.median(np.abs(values))) / PITCH_TOLERANCE_CENTS if values else None


def _rates(record: Record) -> float | None:
    """Return the deviation of the pulse rates' ratio from the intended one, in tolerances."""
    clip_a, clip_b = _clips(record)
    if min(len(onset_seconds(clip)) for clip in (clip_a, clip_b)) < 2:
        return None
    intended = record.clips[0].beat / record.clips[1].beat
    return float(abs(rate_ratio(clip_a, clip_b) / intended - 1)) / RATE_TOLERANCE


_SUBJECTS: Mapping[str, tuple[str, Callable[[Record], float | None]]] = {
    "melody": ("pitch of every note, and transposition", _pitches),
    "timbre": ("pitch of every note", _pitches),
    "harmony": ("chord tones", _chords),
    "rhythm": ("ratio of pulse rates", _rates),
}


def _effects(evidence: Evidence, everything: bool) -> Iterator[Check]:
    """Yield, for each family, whether replaying it on the clean clip B gives the STAY recording."""
    clean = {r.name: r for r in evidence.records if r.condition == "clean"}
    families: dict[str, list[Record]] = {}
    for record in evidence.records:
        if record.condition == "stay" and record.name in clean and _is_only_audio(record):
            families.setdefault("+".join(str(c["effect"]) for c in record.changes), []).append(record)
    for family, records in sorted(families.items()):
        chosen = records if everything else records[:: max(1, len(records) // _SPREAD)][:_SPREAD]
        target = evidence.split.loudness_lufs
        off = [r.label for r in chosen if replay_error_db(r, clean[r.name], target) > REPLAY_LIMIT_DB]
        yield none_of("realised", f"{family}: as replayed on the clean clip", off, len(chosen), "off")


def _is_only_audio(record: Record) -> bool:
    return bool(record.changes) and all(
        isinstance(get_effect(change["effect"]), AudioEffect) for change in record.changes
    )


def replay_error_db(record: Record, clean: Record, loudness_lufs: float) -> float:
    """Return the level of what differs from a replay of the effects, below the recording's, in decibels.

    The replay starts from 16-bit samples, the recording started from floats: some -60 dB remain.
    """
    try:
        samples, heard = _clips(clean)[1], _clips(record)[1]
    except DataError:
        return float("inf")
    for change in record.changes:
        effect = get_effect(change["effect"])
        if isinstance(effect, AudioEffect):
            samples = effect.apply(samples, SAMPLE_RATE, change["parameters"])
    expected = dequantised(quantised(normalised(_faded(samples), SAMPLE_RATE, loudness_lufs)))
    if len(expected) != len(heard):
        return float("inf")
    error, level = np.mean((expected - heard) ** 2), np.mean(heard**2)
    return float(10 * np.log10(error / level + 1e-12))


def _faded(samples: FloatArray) -> FloatArray:
    from listenbench.realise import faded

    return faded(samples)
