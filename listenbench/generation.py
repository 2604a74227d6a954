"""Making a data set: plan, realise in parallel, write, and rename into place at the end."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from listenbench import fluidsynth
from listenbench.audio import encoded
from listenbench.dataset import (
    AUDIO,
    DESCRIPTION,
    FORMAT,
    GOLD,
    MANIFEST,
    METADATA,
    Dataset,
    Row,
    fingerprint,
    load,
    read_description,
    write_description,
    write_rows,
)
from listenbench.errors import DataError, RenderError, SpecError
from listenbench.items import Item
from listenbench.plan import plan
from listenbench.randomness import checked_seed
from listenbench.realise import Studio
from listenbench.records import gold_row, manifest_row, metadata_row
from listenbench.soundfonts import FoundSoundfont, find
from listenbench.splits import CONDITIONS, Split, load_split

_LOGGER: Final = logging.getLogger(__name__)

# 1980-01-01, the earliest that zip archives can keep.
_TIME_OF_FILES: Final = 315_532_800

_ITEMS_A_CALL: Final = 4
_CALLS_IN_FLIGHT_A_WORKER: Final = 4
_RECORDED_PACKAGES: Final = (
    "listenbench",
    "music21",
    "numpy",
    "pedalboard",
    "pyloudnorm",
    "pyroomacoustics",
    "scipy",
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a data set is to contain; everything that its bytes depend on.

    Attributes
    ----------
    split : Split
        The split with its number of items, variants and tasks as asked for.
    seed : int
        0 to 2**64 - 1.
    """

    split: Split
    seed: int

    def to_dict(self) -> Row:
        """Return the request as plain data for JSON."""
        return {"seed": self.seed, "split": self.split.model_dump(mode="json")}


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker process needs beside the items; hashable, so that a worker prepares it once."""

    split: str
    soundfonts: tuple[tuple[str, str], ...]
    folder: str


def make_request(
    split: str | Path | Split,
    seed: int,
    tasks: Sequence[str] | None = None,
    items: int | None = None,
    variants: Sequence[str] | None = None,
) -> Request:
    """Return the request that a split and the options on top of it amount to.

    Raises
    ------
    SpecError
        If one of them is wrong.
    """
    base = split if isinstance(split, Split) else load_split(split)
    changes: dict[str, Any] = base.model_dump(mode="json")
    if tasks is not None:
        unknown = [task for task in tasks if task not in base.tasks]
        if unknown or not tasks:
            raise SpecError(
                f"tasks: {', '.join(unknown) or 'none'} asked for; "
                f"split {base.name!r} has {', '.join(base.tasks)}"
            )
        changes["tasks"] = {name: changes["tasks"][name] for name in base.tasks if name in tasks}
    if items is not None:
        if isinstance(items, bool) or not isinstance(items, int) or items < 1:
            raise SpecError(f"items: {items!r} is not a whole number of 1 or more")
        changes["items"] = items
    if variants is not None:
        unknown = [condition for condition in variants if condition not in CONDITIONS]
        if unknown or not variants:
            raise SpecError(
                f"variants: {', '.join(unknown) or 'none'} asked for; there are {', '.join(CONDITIONS)}"
            )
        changes["variants"] = list(variants)
    return Request(Split.model_validate(changes), checked_seed(seed))


def generate(
    split: str | Path | Split,
    seed: int = 0,
    out: str | Path | None = None,
    *,
    tasks: Sequence[str] | None = None,
    items: int | None = None,
    variants: Sequence[str] | None = None,
    workers: int = 1,
    overwrite: bool = False,
    progress: bool = False,
) -> Dataset:
    """Make a data set, or open it if it is there already.

    Parameters
    ----------
    split : str, Path or Split
        Name of a split, path of a TOML file, or the split itself.
    seed : int
        0 to 2**64 - 1. The same seed and split give the same bytes.
    out : str or Path, optional
        The folder to make; 'data/<split>-<seed>' by default.
    tasks, items, variants : optional
        Which tasks, how many items a task, and which conditions, where not as the split says.
    workers : int
        Processes. With more than one, a script has to call this under `if __name__ == "__main__":`.
    overwrite : bool
        Whether a data set in the same folder is replaced, even by the same one.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.

    Returns
    -------
    Dataset
        The finished data set.

    Raises
    ------
    SpecError
        If an option or the split is wrong.
    RenderError
        If a soundfont is missing or an item can't be rendered.
    DataError
        If the folder can't be written, or holds something else and `overwrite` is false.
    """
    request = make_request(split, seed, tasks, items, variants)
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise SpecError(f"workers: {workers!r} is not a whole number of 1 or more")
    target = Path(out) if out is not None else Path("data") / f"{request.split.name}-{request.seed}"
    found = {name: find(name) for name in request.split.soundfonts}
    described = {name: _described(font) for name, font in found.items()}
    if not overwrite and _is_there(target, request, described):
        return load(target)
    if overwrite:
        _check_replaceable(target)
    with _partial_folder(target) as partial:
        paths = {name: str(font.path) for name, font in found.items()}
        rows = _record(request, paths, partial, workers, progress=progress)
        _write_tables(partial, rows)
        _write_description(partial, request, described, rows)
        _hide_times(partial)
        _move_into_place(partial, target)
    return load(target)


def _described(font: FoundSoundfont) -> Row:
    """Return what the data set says about a soundfont; warn about a file that the catalogue doesn't know."""
    warning = font.warning()
    if warning:
        _LOGGER.warning("listenbench: warning: %s", warning)
    return {"file": font.path.name, "sha256": font.sha256(), "known": warning is None}


def _is_there(target: Path, request: Request, soundfonts: Row) -> bool:
    """Return whether the target holds the very data set already; refuse anything else that it holds."""
    if not target.exists() or _is_empty_folder(target):
        return False
    try:
        description = read_description(target)
        wanted = {**request.to_dict(), "soundfonts": soundfonts, "versions": _versions()}
        same = all(description.get(key) == value for key, value in wanted.items())
        if same and fingerprint(target) == description.get("fingerprint"):
            return True
    except (DataError, OSError):
        pass
    raise DataError(
        f"{target}: there is something else already: give another --out, or --overwrite to replace a data set"
    )


def _check_replaceable(target: Path) -> None:
    """Refuse to replace anything but a data set."""
    if target.exists() and not (target / DESCRIPTION).is_file() and not _is_empty_folder(target):
        raise DataError(
            f"{target}: this is no data set: only a data set is ever replaced; give another --out"
        )


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


@contextlib.contextmanager
def _partial_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder beside the target; remove it again unless it was moved away."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
        (partial / AUDIO).mkdir()
        # mkdtemp makes folders that nobody else can read.
        partial.chmod(0o755)
    except OSError as error:
        raise DataError(f"{target}: can't write here: {error.strerror}") from None
    try:
        yield partial
    except OSError as error:
        raise DataError(f"{target}: can't write the data set: {error.strerror}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _record(
    request: Request, soundfonts: Mapping[str, str], folder: Path, workers: int, *, progress: bool
) -> list[tuple[Row, Row, Row]]:
    """Realise all items into `folder`; return their rows, in the order of the ids."""
    job = _Job(request.split.model_dump_json(), tuple(sorted(soundfonts.items())), str(folder))
    items = plan(request.split, request.seed)
    total = request.split.items * len(request.split.tasks)
    rows: list[tuple[Row, Row, Row]] = []
    with tqdm(
        total=total, unit="item", disable=not (progress and sys.stderr.isatty()), file=sys.stderr
    ) as bar:
        for count, results in _results(job, items, workers):
            rows += results
            bar.update(count)
    return sorted(rows, key=lambda row: row[0]["id"])


def _results(
    job: _Job, items: Iterator[Item], workers: int
) -> Iterator[tuple[int, list[tuple[Row, Row, Row]]]]:
    """Yield (number of items, their rows) in the order in which they are done."""
    batches = iter(lambda: list(islice(items, _ITEMS_A_CALL)), [])
    if workers == 1:
        for batch in batches:
            yield len(batch), _record_items(job, batch)
        return
    with _executor(workers) as executor:
        try:
            yield from _in_parallel(executor, job, batches, workers * _CALLS_IN_FLIGHT_A_WORKER)
        except BrokenProcessPool:
            raise RenderError("a worker process died: is the machine out of memory?") from None
        finally:
            executor.shutdown(cancel_futures=True)


def _executor(workers: int) -> Executor:
    """Return an executor of so many processes."""
    try:
        # Forked children would inherit the threads and locks of the audio libraries in an unknown state.
        return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    except OSError as error:
        raise RenderError(f"can't start worker processes ({error.strerror}): try --workers 1") from None


def _in_parallel(
    executor: Executor, job: _Job, batches: Iterable[list[Item]], in_flight: int
) -> Iterator[tuple[int, list[tuple[Row, Row, Row]]]]:
    """Keep so many batches in flight, so that memory doesn't grow with the number of items."""
    pending: list[tuple[int, Future[list[tuple[Row, Row, Row]]]]] = []
    for batch in batches:
        pending.append((len(batch), executor.submit(_record_items, job, batch)))
        if len(pending) >= in_flight:
            count, future = pending.pop(0)
            yield count, future.result()
    for count, future in pending:
        yield count, future.result()


def _record_items(job: _Job, items: list[Item]) -> list[tuple[Row, Row, Row]]:
    """Realise items and write their recordings; runs in the worker processes."""
    studio = _studio(job.split, job.soundfonts)
    rows = []
    for item in items:
        for recording in studio.realise(item):
            data = encoded(recording.samples)
            (Path(job.folder) / AUDIO / f"{recording.variant.id}.wav").write_bytes(data)
            sha256 = hashlib.sha256(data).hexdigest()
            rows.append(
                (
                    metadata_row(item, recording.variant.id),
                    gold_row(item, recording),
                    manifest_row(item, recording, sha256),
                )
            )
    return rows


@lru_cache(maxsize=1)
def _studio(split: str, soundfonts: tuple[tuple[str, str], ...]) -> Studio:
    paths = {name: Path(path) for name, path in soundfonts}
    return Studio(Split.model_validate_json(split), paths)


def _write_tables(folder: Path, rows: list[tuple[Row, Row, Row]]) -> None:
    for position, name in enumerate((METADATA, GOLD, MANIFEST)):
        write_rows(folder / name, (row[position] for row in rows))


def _write_description(
    folder: Path, request: Request, soundfonts: Row, rows: list[tuple[Row, Row, Row]]
) -> None:
    split = request.split
    description = {
        "format": FORMAT,
        "name": split.name,
        **request.to_dict(),
        "counts": {
            "recordings": len(rows),
            "items": split.items * len(split.tasks),
            "distinct_recordings": len({manifest["sha256"] for _, _, manifest in rows}),
            "by_condition": {
                condition: sum(gold["condition"] == condition for _, gold, _ in rows)
                for condition in split.variants
            },
        },
        "soundfonts": soundfonts,
        "versions": _versions(),
        "fingerprint": fingerprint(folder),
    }
    write_description(folder / DESCRIPTION, description)


def _versions() -> Row:
    """Return the versions of everything that the bytes of a recording come from."""
    packages = {name: metadata.version(name) for name in _RECORDED_PACKAGES}
    return {"python": platform.python_version(), "fluidsynth": fluidsynth.version(), **packages}


def _hide_times(folder: Path) -> None:
    """Give every file the same time of modification: their order would tell which of them make an item."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            os.utime(path, (_TIME_OF_FILES, _TIME_OF_FILES))


def _move_into_place(partial: Path, target: Path) -> None:
    """Rename the finished folder; a data set that it replaces is removed only then."""
    if not target.exists():
        partial.rename(target)
        return
    old = partial.with_suffix(".replaced")
    target.rename(old)
    try:
        partial.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
