"""Making a data set: plan, realise in parallel, sort the rows, and rename into place at the end."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from tqdm import tqdm

from listenbench import journal
from listenbench.audio import WAV
from listenbench.dataset import FORMAT, Dataset, Row, load
from listenbench.delivery import Delivery, FolderDelivery
from listenbench.errors import DataError, RenderError, SpecError
from listenbench.finishing import finish, versions
from listenbench.items import Item
from listenbench.journal import Entry
from listenbench.plan import plan
from listenbench.recording import Job, noted_item, prepare, record
from listenbench.request import Request, Shard, make_request
from listenbench.soundfonts import FoundSoundfont, find
from listenbench.source_code import source_digest
from listenbench.splits import Split
from listenbench.tables import sorted_entries
from listenbench.workers import WorkerDiedError, in_order, processes
from listenbench.workplace import Workplace, tidy, workplace

_LOGGER: Final = logging.getLogger(__name__)

_ITEMS_A_CALL: Final = 4
_CALLS_IN_FLIGHT_A_WORKER: Final = 4
_CALLS_IN_FLIGHT_ELSEWHERE: Final = 256
_MOST_WORKERS: Final = 4096
"""More than any machine has cores: semaphores hold no number of any size."""


def generate(  # noqa: PLR0913 # one parameter an option of the command
    split: str | Path | Split,
    seed: int = 0,
    out: str | Path | None = None,
    *,
    tasks: Sequence[str] | None = None,
    items: int | None = None,
    variants: Sequence[str] | None = None,
    shard: str | None = None,
    audio_format: str = WAV,
    workers: int | Executor = 1,
    overwrite: bool = False,
    progress: bool = False,
) -> Dataset:
    """Make a data set, or open it if it is there already.

    A run that is interrupted, or ends because a disk is full, leaves its work in a hidden folder beside the
    place of the data set; the same call goes on from there.

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
    shard : str, optional
        'I/N' for the I-th of N parts, which `listenbench.merging.merge` joins.
    audio_format : str
        'wav', or 'flac' for the same samples in about a third of the space.
    workers : int or concurrent.futures.Executor
        Number of processes. A single one is this process itself; with more, a script has to call this under
        `if __name__ == "__main__":`. Or an executor, whose workers must see the same files.
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
        If the folder can't be written, or holds something else and `overwrite` is false, or another process
        works on it.
    """
    part = Shard.parse(shard) if shard is not None else None
    request = make_request(split, seed, tasks, items, variants, part, audio_format)
    target = Path(out) if out is not None else default_target(request)
    # One worker is this process, so that a script needs no guard.
    in_process = workers == 1
    make(
        request,
        FolderDelivery(target),
        workers,
        in_process=in_process,
        overwrite=overwrite,
        progress=progress,
    )
    return load(target)


def make(
    request: Request,
    delivery: Delivery,
    workers: int | Executor = 1,
    *,
    in_process: bool = False,
    overwrite: bool = False,
    progress: bool = False,
) -> None:
    """Make a data set unless it is there already; see `generate`.

    Parameters
    ----------
    request : Request
        What it is to contain.
    delivery : Delivery
        Where it belongs, and in which form.
    in_process : bool
        Whether this process does the work itself, instead of so many workers. It dies if FluidSynth crashes.
    workers, overwrite, progress
        See `generate`.
    """
    if not isinstance(workers, Executor) and (type(workers) is not int or not 1 <= workers <= _MOST_WORKERS):
        raise SpecError(f"workers: {workers!r} is not a whole number from 1 to {_MOST_WORKERS:,}")
    found = {name: find(name) for name in request.split.soundfonts}
    described = {name: _described(font) for name, font in found.items()}
    origin = {"soundfonts": described, "versions": versions(request.audio_format)}
    wanted = {**request.to_dict(), **origin}
    if not overwrite and delivery.is_there({**wanted, **delivery.marks}):
        tidy(delivery.workplace)
        return
    begun_by = [FORMAT, wanted, source_digest()]
    identity = hashlib.sha256(json.dumps(begun_by, sort_keys=True).encode()).hexdigest()[:16]
    with workplace(delivery.workplace, identity) as place, _told_in_one_line(place):
        # Another run may have finished it since.
        if not overwrite and delivery.is_there({**wanted, **delivery.marks}):
            return
        if overwrite:
            delivery.check_replaceable()
        job = _job(request, found, origin, place, elsewhere=isinstance(workers, Executor))
        try:
            _record(request, job, place, None if in_process else workers, progress=progress)
        finally:
            # A run that fails may do so for this, and what was recorded since must not be gone on from: the
            # file may have its old content back by then.
            _check_unchanged(found, described, place)
        finish(place, request, origin, sorted_entries(place.journal, place.sorting), delivery.deliver)


def default_target(request: Request) -> Path:
    """Return the folder of a data set that nobody named: below `data`, by split, seed and part."""
    name = f"{request.split.name}-{request.seed}"
    if request.shard is not None:
        name += f".part-{request.shard.number}-of-{request.shard.count}"
    return Path("data") / name


def _described(font: FoundSoundfont) -> Row:
    """Return what the data set says about a soundfont; warn about a file that the catalogue doesn't know."""
    warning = font.warning()
    if warning:
        _LOGGER.warning("listenbench: warning: %s", warning)
    return {"file": font.path.name, "sha256": font.sha256(), "known": warning is None}


@contextlib.contextmanager
def _told_in_one_line(place: Workplace) -> Iterator[None]:
    """Turn what can go wrong into one line that says what became of the work; drop work of no use."""
    try:
        yield
    except SpecError:
        # The same request would fail at the same place again.
        place.discard()
        raise
    except OSError as error:
        raise DataError(f"{place.target}: can't write the data set: {error.strerror}{_kept(place)}") from None
    except WorkerDiedError as error:
        items = [noted_item(place, process) for process in error.deaths or _processes_at_work(place)]
        at = " or ".join(sorted(item for item in items if item))
        raise RenderError(f"item {at or 'unknown'}: {error}{_kept(place)}") from None
    except RenderError as error:
        raise RenderError(f"{error}{_kept(place)}") from None
    except DataError as error:
        raise DataError(f"{error}{_kept(place)}") from None


def _processes_at_work(place: Workplace) -> list[int]:
    return [int(entry.name) for entry in place.at_work.iterdir()]


def _kept(place: Workplace) -> str:
    return "; what is finished is kept: the same command goes on from there" if place.holds_work() else ""


def _job(
    request: Request,
    found: Mapping[str, FoundSoundfont],
    origin: Mapping[str, Row],
    place: Workplace,
    *,
    elsewhere: bool,
) -> Job:
    """Return what the workers need; those that run elsewhere check that they have what this machine has."""
    fonts = origin["soundfonts"]
    return Job(
        request.split.model_dump_json(),
        tuple(sorted((name, str(font.path)) for name, font in found.items())),
        str(place.target),
        str(place.folder),
        request.audio_format,
        tuple(origin["versions"].items()) if elsewhere else (),
        tuple((name, fonts[name]["sha256"]) for name in sorted(fonts)) if elsewhere else (),
    )


def _record(
    request: Request, job: Job, place: Workplace, workers: int | Executor | None, *, progress: bool
) -> None:
    """Realise all items that the journal lacks."""
    variants = len(request.split.variants)
    done = journal.recover(place.journal, place.data, variants, request.audio_format)
    with tqdm(
        total=request.items,
        initial=done,
        unit="item",
        disable=not (progress and sys.stderr.isatty()),
        file=sys.stderr,
    ) as bar:
        if done == request.items:
            return
        if isinstance(workers, int):
            # More would start, find nothing to do, and be waited for.
            workers = min(workers, -(-(request.items - done) // _ITEMS_A_CALL))
        for entries in _results(job, islice(_planned(request), done, None), workers):
            journal.append(place.journal, entries)
            bar.update(len(entries) // variants)


def _planned(request: Request) -> Iterator[Item]:
    """Plan the items of a request; those of other parts are planned, too, since no content comes twice."""
    items = plan(request.split, request.seed)
    if request.shard is None:
        return items
    return islice(items, request.shard.number - 1, None, request.shard.count)


def _results(job: Job, items: Iterator[Item], workers: int | Executor | None) -> Iterator[list[Entry]]:
    """Yield the entries of the items in the order of the plan; without workers, this process makes them."""
    batches = iter(lambda: list(islice(items, _ITEMS_A_CALL)), [])
    if isinstance(workers, Executor):
        yield from in_order(workers, partial(record, job), batches, _CALLS_IN_FLIGHT_ELSEWHERE)
    elif workers is None:
        yield from map(partial(record, job), batches)
    else:
        with processes(workers) as pool:
            # Planning the first items takes as long as starting a worker does: both at once.
            for _ in range(workers):
                pool.submit(prepare, job)
            yield from in_order(pool, partial(record, job), batches, workers * _CALLS_IN_FLIGHT_A_WORKER)


def _check_unchanged(
    found: Mapping[str, FoundSoundfont], described: Mapping[str, Row], place: Workplace
) -> None:
    """Refuse recordings of a soundfont that has become another file: FluidSynth reads it in pieces."""
    for name, font in found.items():
        if font.sha256() != described[name]["sha256"]:
            place.discard()
            raise RenderError(
                f"{font.path}: the soundfont changed while it was in use: start again when it is complete"
            )
