"""What a worker does: realise items, write their recordings, and describe them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from listenbench.audio import WAV, encoded, stored, wav_header
from listenbench.dataset import file_sha256, json_line, recording_name
from listenbench.errors import ListenbenchError, RenderError
from listenbench.finishing import versions
from listenbench.items import Item
from listenbench.journal import Entry
from listenbench.realise import Recording, Studio
from listenbench.records import gold_row, manifest_row, metadata_row
from listenbench.splits import Split
from listenbench.workplace import Workplace

_ONE_AT_A_TIME: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs beside the items; hashable, so that a worker prepares it once.

    Attributes
    ----------
    split : str
        The split as JSON.
    soundfonts : tuple of (name, path)
        The file of each soundfont that the split names.
    target, folder : str
        The workplace.
    audio_format : str
        How recordings are stored.
    versions, sha256s : tuple of (name, text)
        What a worker that is started elsewhere must have: versions of everything that the bytes come from,
        and hashes of the soundfonts. Empty where workers share this installation.
    """

    split: str
    soundfonts: tuple[tuple[str, str], ...]
    target: str
    folder: str
    audio_format: str
    versions: tuple[tuple[str, str], ...] = ()
    sha256s: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> Workplace:
        """The workplace."""
        return Workplace(Path(self.target), Path(self.folder))


def record(job: Job, items: Sequence[Item]) -> list[Entry]:
    """Realise items and write their recordings.

    Raises
    ------
    RenderError
        Naming the item, if it can't be realised, for whatever reason.
    OSError
        If a recording can't be written.
    """
    # FluidSynth is for one thread at a time, and workers of other executors may have several.
    with _ONE_AT_A_TIME:
        return _recorded(job, items)


def prepare(job: Job) -> None:
    """Load what the first items would load otherwise, so that it is there when they come.

    Whatever goes wrong here does so again at the first item.
    """
    from scipy import signal as _signal  # noqa: F401 # the filters of loudness

    with _ONE_AT_A_TIME:
        _studio(job)


def _recorded(job: Job, items: Sequence[Item]) -> list[Entry]:
    studio = _studio(job)
    entries: list[Entry] = []
    with _noting(job.place) as note:
        for item in items:
            note(item)
            try:
                entries += [written(job, item, recording) for recording in studio.realise(item)]
            except (OSError, RenderError):
                raise
            except Exception as error:  # an unforeseen failure, too, is of use only with the item's name
                reason = str(error) if isinstance(error, ListenbenchError) else repr(error)
                raise RenderError(f"item {item.name}: {reason}") from error
    return entries


@contextlib.contextmanager
def _noting(place: Workplace) -> Iterator[Callable[[Item], None]]:
    """Yield what leaves word of the item that this process is at, for the case that it dies."""
    path = place.at_work / str(os.getpid())
    with path.open("wb", buffering=0) as file:

        def note(item: Item) -> None:
            file.seek(0)
            file.truncate()
            file.write(item.name.encode())

        yield note
    path.unlink(missing_ok=True)


def noted_item(place: Workplace, process: int) -> str | None:
    """Return the name of the item that a process was at, or None if it was at none."""
    try:
        return (place.at_work / str(process)).read_text("utf-8") or None
    except OSError:
        return None


def written(job: Job, item: Item, recording: Recording) -> Entry:
    """Write a recording and return its entry in the journal.

    Raises
    ------
    OSError
        If it can't be written; nothing is left of it then.
    """
    identifier, pieces = recording.variant.id, _encoded(recording, job.audio_format)
    _write_whole(job.place, recording_name(identifier, job.audio_format), pieces)
    sha256 = _sha256(pieces)
    rows = (
        metadata_row(item, identifier, job.audio_format),
        gold_row(item, recording),
        manifest_row(item, recording, sha256),
    )
    return Entry(identifier, sha256, *(json_line(row).rstrip("\n") for row in rows))


def _encoded(recording: Recording, audio_format: str) -> tuple[bytes, ...]:
    """Return a file in pieces; what comes before the last one is mostly the same in the whole item."""
    if audio_format == WAV:
        return wav_header(len(recording)), recording.start, stored(recording.clip_b)
    return (encoded(recording.samples, audio_format),)


def _sha256(pieces: tuple[bytes, ...]) -> str:
    digest = _digest_before_last(pieces[:-1]).copy()
    digest.update(pieces[-1])
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _digest_before_last(pieces: tuple[bytes, ...]) -> hashlib._Hash:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest


def _write_whole(place: Workplace, name: str, pieces: Iterable[bytes]) -> None:
    """Write a recording so that it is whole where it has its name."""
    temporary = place.writing / f"{os.getpid()}-{Path(name).name}"
    try:
        with temporary.open("wb") as file:
            file.writelines(pieces)
        temporary.replace(place.data / name)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


@lru_cache(maxsize=1)
def _studio(job: Job) -> Studio:
    _check_same(job)
    paths = {name: Path(path) for name, path in job.soundfonts}
    return Studio(Split.model_validate_json(job.split), paths)


def _check_same(job: Job) -> None:
    """Refuse to work where other bytes would come out."""
    here = versions(job.audio_format) if job.versions else {}
    for name, version in job.versions:
        if here.get(name) != version:
            raise RenderError(
                f"worker on {platform.node()}: it has {name} {here.get(name)}, and the data set is made with "
                f"{version}: give all machines the same versions"
            )
    paths = dict(job.soundfonts)
    for name, sha256 in job.sha256s:
        if file_sha256(Path(paths[name])) != sha256:
            raise RenderError(
                f"worker on {platform.node()}: its {paths[name]} is another file than that of this machine: "
                "give all machines the same soundfonts"
            )
