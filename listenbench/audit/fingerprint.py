"""Fingerprints of clips: which of two different recordings sound nearly alike.

Two kinds are kept of every clip. Signs of energy differences over bands and time, after Haitsma and Kalker,
"A Highly Robust Audio Fingerprinting System", ISMIR 2002, tell pitches and timbres apart, but not figures of
percussion: between the strokes, all sounds of one kind die away alike. Places where the level of a band rises
tell those apart, by the strokes alone; for percussion, both kinds have to agree, and each stroke be in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from listenbench.audio import FloatArray
from listenbench.listeners.hearing import Array, erb_bank, power_spectrogram

SAME_SIGNS = 0.8
"""Share of equal signs from which two pitched clips sound nearly alike.

Of 3 million pairs of items in each task, one reached it, of harmony; of two takes of a melody or line, 97 %
did, of chords, half."""

SAME_RISES = 0.87
"""Share of common rises from which two clips of percussion have nearly the same strokes."""

SAME_SOUND = 0.7
"""Share of equal signs from which two clips of percussion with the same strokes have the same sound.

Other sounds have 0.5 to 0.55, takes with one sound 0.81 to 1."""

_STROKE = 0.3
_NO_STROKE = 0.1
_STROKE_FRAMES = 5

_FRAME, _HOP = 4096, 1024
_BANDS = (33, 100.0, 8000.0)
_SIGN_FRAMES = 80
_SILENT = 1e-6
_RISE = 10**0.15
_RISE_FLOOR = 1e-4

Places = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a clip sounds like, moment by moment.

    Attributes
    ----------
    signs : ndarray of int8, shape (frames, bands - 1)
        -1, 0 or 1: whether the difference of neighbouring bands falls or grows; 0 where both are silent. Of
        the first 1.9 s, since releases that go on behind them differ from take to take.
    rises : ndarray of int8, shape (frames, bands)
        1 where the level of a band rises by 1.5 dB or more within 23 ms, else 0. Of the whole clip: a slow
        figure is longer than 1.9 s.
    """

    signs: Places
    rises: Places


def fingerprint(clip: FloatArray) -> Fingerprint:
    """Return the fingerprint of a clip."""
    spectrogram = power_spectrogram(clip, _FRAME, _HOP, precision=np.float32)
    power = (spectrogram @ erb_bank(_FRAME, *_BANDS, np.float32)).astype(np.float64)
    return Fingerprint(_signs(power[: _SIGN_FRAMES + 1], power.max()), _rises(power))


def _signs(power: Array, loudest: float) -> Places:
    floor = _SILENT * loudest
    signs = np.sign(np.diff(np.diff(np.log(power + floor), axis=1), axis=0))
    # A difference of four neighbours says something where one of them sounds at all.
    sounding = power > floor
    heard = sounding[1:, 1:] | sounding[:-1, 1:] | sounding[1:, :-1] | sounding[:-1, :-1]
    return np.where(heard, signs, 0).astype(np.int8)


def _rises(power: Array) -> Places:
    level = power + _RISE_FLOOR * power.max()
    rises: Places = (level[1:] > _RISE * level[:-1]).astype(np.int8)
    return rises


def near_duplicates(
    task: str, first: Mapping[str, Fingerprint], second: Mapping[str, Fingerprint]
) -> list[tuple[str, str]]:
    """Return pairs of different names whose fingerprints agree as those of the same music and sound do."""
    if not first or not second:
        return []
    names_a, names_b = list(first), list(second)
    signs = equal_signs(*_stacked([[p.signs for p in side.values()] for side in (first, second)]))
    if task == "rhythm":
        sides = [[p.rises for p in side.values()] for side in (first, second)]
        rises = common_rises(*_stacked(sides))
        candidates = np.argwhere((rises >= SAME_RISES) & (signs >= SAME_SOUND))
        found = [(i, j) for i, j in candidates if same_strokes(sides[0][i], sides[1][j])]
    else:
        found = [(i, j) for i, j in np.argwhere(signs >= SAME_SIGNS)]
    pairs = {tuple(sorted((names_a[i], names_b[j]))) for i, j in found}
    return sorted((a, b) for a, b in pairs if a != b)


def equal_signs(first: Places, second: Places) -> Array:
    """Return the share of signs in which each of some fingerprints agrees with each of some others.

    Parameters
    ----------
    first, second : ndarray of int8, shapes (n, places) and (m, places)
        Signs.

    Returns
    -------
    ndarray of float, shape (n, m)
        1 for the same, about 0.5 for unrelated sounds; 0 where one of them doesn't sound in half of the
        places where the other does.
    """
    signs_a, signs_b = first.astype(np.float32), second.astype(np.float32)
    places_a, places_b = np.abs(signs_a), np.abs(signs_b)
    common = places_a @ places_b.T
    most = np.maximum(places_a.sum(axis=1)[:, None], places_b.sum(axis=1)[None, :])
    agreement = (1 + signs_a @ signs_b.T / np.maximum(common, 1)) / 2
    result: Array = np.where(common >= 0.5 * most, agreement, 0.0)
    return result


def common_rises(first: Places, second: Places) -> Array:
    """Return the share of common rises of each of some fingerprints and each of some others.

    Parameters
    ----------
    first, second : ndarray of int8, shapes (n, places) and (m, places)
        Rises.

    Returns
    -------
    ndarray of float, shape (n, m)
        Twice the number of common places by the sum of both numbers of places (Dice, Ecology 26, 1945): 1 for
        the same, 0 where nothing rises in either.
    """
    rises_a, rises_b = first.astype(np.float32), second.astype(np.float32)
    total = rises_a.sum(axis=1)[:, None] + rises_b.sum(axis=1)[None, :]
    result: Array = 2 * (rises_a @ rises_b.T) / np.maximum(total, 1)
    return result


def same_strokes(first: Places, second: Places) -> bool:
    """Return whether every stroke of one clip of percussion has one of the other within 46 ms.

    In a slow figure one stroke more is so small a share of all rises that their number doesn't tell.

    Parameters
    ----------
    first, second : ndarray of int8, shape (frames, bands)
        Rises; the longer clip is compared as far as the shorter one reaches.
    """
    from scipy.ndimage import maximum_filter1d

    frames = min(len(first), len(second))
    heights = [places[:frames].mean(axis=1) for places in (first, second)]
    surroundings = [maximum_filter1d(height, _STROKE_FRAMES, mode="constant") for height in heights]
    return not any(
        np.any((height >= _STROKE) & (surrounding < _NO_STROKE))
        for height, surrounding in zip(heights, reversed(surroundings), strict=True)
    )


def _stacked(sides: Sequence[Sequence[Places]]) -> list[Places]:
    """Return the fingerprints of two data sets, one a row, as far as the clips of both data sets reach."""
    frames = min(max(len(places) for places in side) for side in sides)
    return [np.stack([_of_length(places, frames).ravel() for places in side]) for side in sides]


def _of_length(places: Places, frames: int) -> Places:
    """Return the first so many frames, with silence after them where there are fewer."""
    return np.pad(places[:frames], ((0, max(0, frames - len(places))), (0, 0)))
