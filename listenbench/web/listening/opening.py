"""Opening a listening test: the data set, the sessions beside the predictions, and whether they fit."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from listenbench._version import __version__
from listenbench.dataset import Dataset, load
from listenbench.errors import DataError, SpecError
from listenbench.randomness import checked_seed
from listenbench.web.listening.answers import AnswersFile, answer_line, meta_line
from listenbench.web.listening.course import ListeningTest, Material
from listenbench.web.listening.design import Candidate, choose_practice, recording_lists
from listenbench.web.listening.stages import Course
from listenbench.web.listening.store import Store
from listenbench.whole_files import write_whole

MODEL: Final = "human listeners"
READOUT: Final = "listening test"

_SUFFIX: Final = ".sessions"
_IDENTITY: Final = ("dataset_fingerprint", "seed", "items", "practice", "listeners_per_recording")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a listening test is to be.

    Attributes
    ----------
    data, out : Path
        The data set, and the predictions file.
    items : int
        Recordings a listener.
    practice : int
        Practice recordings.
    listeners_per_recording : int
        How many listeners hear the same recordings.
    seed : int
        Seed of lists and orders.
    headphone_check : bool
        Whether headphones are checked.
    break_every : int
        Answers between two breaks; 0 for none.
    """

    data: Path
    out: Path
    items: int = 48
    practice: int = 4
    listeners_per_recording: int = 2
    seed: int = 0
    headphone_check: bool = True
    break_every: int = 24


def open_test(settings: Settings) -> ListeningTest:
    """Open a listening test, new or as it was left.

    Raises
    ------
    DataError
        If the data set can't be used, another process runs the test, or its files belong to another one.
    SpecError
        If the data set is too small for the settings.
    """
    _check(settings)
    dataset = load(settings.data)
    candidates = _candidates(dataset)
    practice = choose_practice(candidates, settings.practice, _easiest(dataset), settings.seed)
    used = {each.item for each in practice}
    lists = recording_lists(
        [each for each in candidates if each.item not in used], settings.items, settings.seed
    )
    material = Material(
        items={item.id: item for item in dataset},
        truth={each.id: each.answer for each in practice},
        practice=practice,
        lists=lists,
        sharers=settings.listeners_per_recording,
        seed=settings.seed,
        silence_seconds=float(_split(dataset).get("silence_seconds", 1.0)),
        loudness_lufs=float(_split(dataset).get("loudness_lufs", -23.0)),
    )
    meta = _meta(dataset, settings, practice)
    store = _open_store(settings.out, meta)
    try:
        _check_identity(settings.out, store.facts()["meta"], meta)
        answers = AnswersFile(settings.out, _lines(store))
    except BaseException:
        store.close()
        raise
    course = Course(settings.headphone_check, settings.practice, settings.break_every)
    return ListeningTest(course, material, store, answers)


def forget(out: Path, code: str) -> None:
    """Remove a listener's answers from sessions and predictions.

    Raises
    ------
    DataError
        If there is no such listening test or listener, or a file can't be written.
    """
    path = sessions_path(out)
    if not path.exists():
        raise DataError(
            f"{path}: there are no sessions here: --out names the predictions of a listening test"
        )
    store = Store(path, {})
    try:
        if not store.forget(code):
            raise DataError(f"{out}: no listener has the code {code!r}")
        write_whole(out, "".join(_lines(store)).encode(), durable=True)
    except OSError as error:
        raise DataError(f"{out}: can't write the predictions: {error.strerror}") from None
    finally:
        store.close()


def sessions_path(out: Path) -> Path:
    """Return where the sessions of a predictions file lie."""
    return out.with_name(f"{out.name}{_SUFFIX}")


def _check(settings: Settings) -> None:
    checked_seed(settings.seed)
    if settings.out.is_dir() or not settings.out.absolute().parent.is_dir():
        raise DataError(f"{settings.out}: not the path of a file in a folder that is there")


def _open_store(out: Path, meta: Mapping[str, Any]) -> Store:
    path = sessions_path(out)
    if out.exists() and not path.exists():
        raise DataError(
            f"{out}: it is there already, without the sessions of a listening test ({path.name}): "
            "give another --out"
        )
    return Store(path, {"meta": dict(meta), "name": secrets.token_hex(4)})


def _lines(store: Store) -> list[str]:
    return [meta_line(store.facts()["meta"]), *map(answer_line, store.answers())]


def _meta(dataset: Dataset, settings: Settings, practice: tuple[Candidate, ...]) -> dict[str, Any]:
    return {
        "model": MODEL,
        "version": __version__,
        "readout": READOUT,
        "used_training_split": "none",
        "dataset_fingerprint": dataset.description.get("fingerprint"),
        "seed": settings.seed,
        "items": settings.items,
        "listeners_per_recording": settings.listeners_per_recording,
        "practice": settings.practice,
        "practice_items": [each.item for each in practice],
    }


def _check_identity(out: Path, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name in _IDENTITY:
        if there.get(name) != wanted[name]:
            raise DataError(
                f"{sessions_path(out)}: these sessions have {name} {there.get(name)!r}, and this call has "
                f"{wanted[name]!r}: give the same options, or another --out"
            )


def _candidates(dataset: Dataset) -> list[Candidate]:
    items = {item.id: item for item in dataset}
    try:
        candidates = [Candidate.of_row(row) for row in dataset.gold().values()]
    except KeyError as error:
        raise DataError(
            f"{dataset.folder}: a row of the key has no {error}: the data set is damaged"
        ) from None
    for each in candidates:
        if each.id not in items or not items[each.id].path.is_file():
            raise DataError(f"{dataset.folder}: recording {each.id!r} is missing: the data set is damaged")
    if not candidates:
        raise SpecError(f"{dataset.folder}: the data set has no recordings")
    return candidates


def _split(dataset: Dataset) -> Mapping[str, Any]:
    split = dataset.description.get("split")
    return split if isinstance(split, dict) else {}


def _easiest(dataset: Dataset) -> dict[str, str]:
    """Return the last rung of each task, as text: splits list them from the hardest to the easiest."""
    tasks = _split(dataset).get("tasks", {})
    rungs = {task: spec.get("rungs") for task, spec in tasks.items() if isinstance(spec, dict)}
    return {task: str(values[-1]) for task, values in rungs.items() if values}
