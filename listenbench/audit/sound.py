"""What an audit keeps of every recording: hashes, levels, a fingerprint and features."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ParamSpec, TypeVar

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from listenbench.audio import SAMPLE_RATE, FloatArray, Samples, dequantised, read_samples
from listenbench.audit.fingerprint import Fingerprint, fingerprint
from listenbench.dataset import check_inside
from listenbench.errors import DataError
from listenbench.listeners.features import clip_features
from listenbench.listeners.hearing import Array
from listenbench.loudness import integrated_loudness
from listenbench.workers import in_order, processes

P = ParamSpec("P")
T = TypeVar("T")
Mono = TypeVar("Mono", Samples, FloatArray)
Job = tuple[str, Path, float]

_SHORTEST_SECONDS = 0.4
_RECORDINGS_A_CALL = 48
_CALLS_IN_FLIGHT_A_WORKER = 2
_THREADS = 1
"""Of a multiplication: several add up in another order, so that figures would depend on the cores."""


@dataclass(frozen=True)
class Identity:
    """By what a recording and its clips are known again.

    Attributes
    ----------
    sha256, sha256_a, sha256_b : str
        Hashes of the samples of the whole, clip A and clip B.
    fingerprint : Fingerprint
        Of clip A.
    """

    sha256: str
    sha256_a: str
    sha256_b: str
    fingerprint: Fingerprint


@dataclass(frozen=True)
class Sound(Identity):
    """Measurements of one recording.

    Attributes
    ----------
    samples : int
        Length of the whole.
    silent_pause : bool
        Whether the pause between the clips is digital silence.
    clips_equal : bool
        Whether both clips have the same samples.
    loudness : (float, float)
        Of both clips, in LUFS.
    features_a, features_b : ndarray of float
        See `listenbench.listeners.features`.
    """

    samples: int
    silent_pause: bool
    clips_equal: bool
    loudness: tuple[float, float]
    features_a: Array
    features_b: Array


def cut(samples: Mono, pause_seconds: float) -> tuple[Mono, Mono, Mono]:
    """Return clip A, the pause and clip B, the clips being equally long."""
    pause = round(pause_seconds * SAMPLE_RATE)
    length = (len(samples) - pause) // 2
    return samples[:length], samples[length : length + pause], samples[length + pause :]


def identify(path: Path, pause_seconds: float) -> Identity:
    """Find out by what a recording is known again, and no more; errors are those of `measure`."""
    samples, clip_a, _, clip_b = _read(path, pause_seconds)
    with threadpool_limits(_THREADS):
        fingerprint_a = fingerprint(dequantised(clip_a))
    return Identity(_sha256(samples), _sha256(clip_a), _sha256(clip_b), fingerprint_a)


def measure(path: Path, pause_seconds: float, known: dict[str, _Clip] | None = None) -> Sound:
    """Measure a recording.

    Parameters
    ----------
    path : Path
        Where it is, in the folder 'audio' of its data set.
    pause_seconds : float
        Length of the pause between its clips.
    known : dict, optional
        What was found out of clips before, by hash; filled. The recordings of an item have clip A in common.

    Raises
    ------
    DataError
        If it can't be read, or a clip is shorter than 0.4 s or silent.
    """
    samples, clip_a, pause, clip_b = _read(path, pause_seconds)
    known = {} if known is None else known
    hash_a, hash_b = _sha256(clip_a), _sha256(clip_b)
    with threadpool_limits(_THREADS):
        for sha256, clip in ((hash_a, clip_a), (hash_b, clip_b)):
            if sha256 not in known:
                known[sha256] = _Clip(dequantised(clip))
        first, second = known[hash_a], known[hash_b]
        fingerprint_a = first.fingerprint
    return Sound(
        sha256=_sha256(samples),
        sha256_a=hash_a,
        sha256_b=hash_b,
        fingerprint=fingerprint_a,
        samples=len(samples),
        silent_pause=not pause.any(),
        clips_equal=hash_a == hash_b,
        loudness=(first.loudness, second.loudness),
        features_a=first.features,
        features_b=second.features,
    )


def measure_all(
    paths: Mapping[str, Path], pause_seconds: float, workers: int, *, progress: bool
) -> tuple[dict[str, Sound], dict[str, str]]:
    """Measure recordings, in parallel where there is more than one worker.

    It is fastest where recordings with the same clip follow one another.

    Returns
    -------
    (dict of str to Sound, dict of str to str)
        The measurements by id, and what was wrong with the recordings that have none.
    """
    return _examined(_measure_some, paths, pause_seconds, workers, progress)


def identify_all(
    paths: Mapping[str, Path], pause_seconds: float, workers: int, *, progress: bool
) -> tuple[dict[str, Identity], dict[str, str]]:
    """Do with `identify` what `measure_all` does with `measure`."""
    return _examined(_identify_some, paths, pause_seconds, workers, progress)


class _Clip:
    """What is measured of one clip."""

    def __init__(self, samples: FloatArray) -> None:
        self.loudness = integrated_loudness(samples, SAMPLE_RATE)
        self.features = clip_features(samples)
        self._samples = samples

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint, which clips that are clip B alone do without."""
        return fingerprint(self._samples)


def _read(path: Path, pause_seconds: float) -> tuple[Samples, Samples, Samples, Samples]:
    """Return a recording, its clip A, its pause and its clip B."""
    check_inside(path.parents[1], path)
    samples = read_samples(path)
    clip_a, pause, clip_b = cut(samples, pause_seconds)
    if min(len(clip_a), len(clip_b)) < _SHORTEST_SECONDS * SAMPLE_RATE or not (clip_a.any() and clip_b.any()):
        raise DataError(f"{path}: a clip is silent or shorter than {_SHORTEST_SECONDS} s")
    return samples, clip_a, pause, clip_b


def _sha256(samples: Samples) -> str:
    return hashlib.sha256(samples.tobytes()).hexdigest()


def _examined(
    examine: Callable[[Sequence[Job]], list[tuple[str, T | str]]],
    paths: Mapping[str, Path],
    pause_seconds: float,
    workers: int,
    progress: bool,
) -> tuple[dict[str, T], dict[str, str]]:
    """Return what is found out of recordings, some a call, and what was wrong with the others."""
    jobs = [(identifier, path, pause_seconds) for identifier, path in paths.items()]
    calls = (jobs[start : start + _RECORDINGS_A_CALL] for start in range(0, len(jobs), _RECORDINGS_A_CALL))
    if workers == 1:
        return _sorted_out(map(examine, calls), len(jobs), progress)
    with processes(workers) as pool:
        results = in_order(pool, examine, calls, _CALLS_IN_FLIGHT_A_WORKER * workers)
        return _sorted_out(results, len(jobs), progress)


def _measure_some(jobs: Sequence[Job]) -> list[tuple[str, Sound | str]]:
    known: dict[str, _Clip] = {}
    return [(identifier, _tried(measure, path, pause, known)) for identifier, path, pause in jobs]


def _identify_some(jobs: Sequence[Job]) -> list[tuple[str, Identity | str]]:
    return [(identifier, _tried(identify, path, pause)) for identifier, path, pause in jobs]


def _tried(examine: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | str:
    try:
        return examine(*args, **kwargs)
    except DataError as error:
        return str(error)


def _sorted_out(
    results: Iterable[list[tuple[str, T | str]]], total: int, progress: bool
) -> tuple[dict[str, T], dict[str, str]]:
    found: dict[str, T] = {}
    problems: dict[str, str] = {}
    with tqdm(total=total, unit="file", disable=None if progress else True) as bar:
        for call in results:
            for identifier, result in call:
                if isinstance(result, str):
                    problems[identifier] = result
                else:
                    found[identifier] = result
            bar.update(len(call))
    return found, problems
