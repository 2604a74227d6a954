"""What an audit keeps of every recording: hashes, levels, a fingerprint and features."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from listenbench.audio import SAMPLE_RATE, FloatArray, read_audio
from listenbench.errors import DataError
from listenbench.listeners.features import clip_features
from listenbench.listeners.hearing import Array, erb_bank, power_spectrogram
from listenbench.loudness import integrated_loudness

SAME_BITS = 0.97
"""Share of equal bits from which two fingerprints are of the same sound."""

_FRAME, _HOP = 4096, 1024
_BANDS = (33, 100.0, 8000.0)
_FINGERPRINT_FRAMES = 80


@dataclass(frozen=True)
class Sound:
    """Measurements of one recording.

    Attributes
    ----------
    samples : int
        Length of the whole.
    sha256, sha256_a, sha256_b : str
        Hashes of the samples of the whole, clip A and clip B.
    silent_pause : bool
        Whether the pause between the clips is digital silence.
    clips_equal : bool
        Whether both clips have the same samples.
    loudness : (float, float)
        Of both clips, in LUFS.
    fingerprint : ndarray of bool
        Of clip A.
    features_a, features_b : ndarray of float
        See `listenbench.listeners.features`.
    """

    samples: int
    sha256: str
    sha256_a: str
    sha256_b: str
    silent_pause: bool
    clips_equal: bool
    loudness: tuple[float, float]
    fingerprint: npt.NDArray[np.bool_]
    features_a: Array
    features_b: Array


def cut(samples: FloatArray, pause_seconds: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return clip A, the pause and clip B, the clips being equally long."""
    pause = round(pause_seconds * SAMPLE_RATE)
    length = (len(samples) - pause) // 2
    return samples[:length], samples[length : length + pause], samples[length + pause :]


def measure(path: Path, pause_seconds: float) -> Sound:
    """Measure a recording.

    Raises
    ------
    DataError
        If it can't be read, or a clip is shorter than 0.4 s or silent.
    """
    samples = read_audio(path)
    clip_a, pause, clip_b = cut(samples, pause_seconds)
    if min(len(clip_a), len(clip_b)) < 0.4 * SAMPLE_RATE or not (clip_a.any() and clip_b.any()):
        raise DataError(f"{path}: a clip is silent or shorter than 0.4 s")
    return Sound(
        len(samples),
        _sha256(samples),
        _sha256(clip_a),
        _sha256(clip_b),
        not pause.any(),
        len(clip_a) == len(clip_b) and bool(np.array_equal(clip_a, clip_b)),
        (integrated_loudness(clip_a, SAMPLE_RATE), integrated_loudness(clip_b, SAMPLE_RATE)),
        fingerprint(clip_a),
        clip_features(clip_a),
        clip_features(clip_b),
    )


def measure_all(
    paths: Mapping[str, Path], pause_seconds: float, workers: int, *, progress: bool
) -> tuple[dict[str, Sound], dict[str, str]]:
    """Measure recordings, in parallel where there is more than one worker.

    Returns
    -------
    (dict of str to Sound, dict of str to str)
        The measurements by id, and what was wrong with the recordings that have none.
    """
    jobs = [(identifier, path, pause_seconds) for identifier, path in paths.items()]
    if workers == 1:
        return _sorted_out(map(_try, jobs), len(jobs), progress)
    # Forked children would inherit the threads of numerical libraries in an unknown state.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        return _sorted_out(executor.map(_try, jobs, chunksize=16), len(jobs), progress)


def _try(job: tuple[str, Path, float]) -> tuple[str, Sound | str]:
    identifier, path, pause_seconds = job
    try:
        return identifier, measure(path, pause_seconds)
    except DataError as error:
        return identifier, str(error)


def _sorted_out(
    results: Iterable[tuple[str, Sound | str]], total: int, progress: bool
) -> tuple[dict[str, Sound], dict[str, str]]:
    sounds, problems = {}, {}
    for identifier, result in tqdm(results, total=total, unit="file", disable=None if progress else True):
        if isinstance(result, Sound):
            sounds[identifier] = result
        else:
            problems[identifier] = result
    return sounds, problems


def fingerprint(clip: FloatArray) -> npt.NDArray[np.bool_]:
    """Return the signs of energy differences over bands and time, a fixed number of bits.

    After Haitsma and Kalker, "A Highly Robust Audio Fingerprinting System", ISMIR 2002.
    """
    level = np.log(power_spectrogram(clip, _FRAME, _HOP) @ erb_bank(_FRAME, *_BANDS) + 1e-10)
    bits = np.diff(np.diff(level, axis=1), axis=0)[:_FINGERPRINT_FRAMES] > 0
    result = np.zeros((_FINGERPRINT_FRAMES, bits.shape[1]), dtype=np.bool_)
    result[: len(bits)] = bits
    return result.ravel()


def near_duplicates(
    first: Mapping[str, npt.NDArray[np.bool_]], second: Mapping[str, npt.NDArray[np.bool_]]
) -> list[tuple[str, str]]:
    """Return pairs of different names whose fingerprints agree in `SAME_BITS` of the bits that vary."""
    if not first or not second:
        return []
    names_a, names_b = list(first), list(second)
    bits_a, bits_b = (
        np.where(np.stack(list(prints.values())), np.float32(1), np.float32(-1)) for prints in (first, second)
    )
    agreement = (1 + bits_a @ bits_b.T / bits_a.shape[1]) / 2
    rows, columns = np.nonzero(agreement >= SAME_BITS)
    pairs = {tuple(sorted((names_a[i], names_b[j]))) for i, j in zip(rows, columns, strict=True)}
    return sorted((a, b) for a, b in pairs if a != b)


def _sha256(samples: FloatArray) -> str:
    return hashlib.sha256(samples.tobytes()).hexdigest()
