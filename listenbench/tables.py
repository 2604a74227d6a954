"""The three tables of a data set, written in the order of the ids with memory for a few thousand rows."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Final

import numpy as np

from listenbench import journal
from listenbench.dataset import GOLD, MANIFEST, METADATA
from listenbench.journal import Entry

_ROWS_A_RUN: Final = 1024
_RUNS_AT_ONCE: Final = 256
_DIGEST: Final = np.dtype(">u8")


@dataclass(frozen=True, slots=True)
class Totals:
    """What was counted while the tables were written.

    Attributes
    ----------
    recordings : int
        Rows.
    distinct_recordings : int
        Different files among them, by the first 64 bits of their SHA-256.
    """

    recordings: int
    distinct_recordings: int


def sorted_entries(path: Path, scratch: Path) -> Iterator[Entry]:
    """Yield the entries of a journal in the order of their ids.

    Sorted runs go to disk and are merged (Knuth, The Art of Computer Programming 3, section 5.4).

    Parameters
    ----------
    path : Path
        The journal.
    scratch : Path
        A folder for the runs.
    """
    entries = journal.read(path)
    runs: deque[Path] = deque()
    number = count()
    while run := sorted(islice(entries, _ROWS_A_RUN)):
        runs.append(_written(scratch / f"{next(number):06d}", run))
    # Only so many files may be open at once.
    while len(runs) > _RUNS_AT_ONCE:
        several = [runs.popleft() for _ in range(_RUNS_AT_ONCE)]
        runs.append(_written(scratch / f"{next(number):06d}", heapq.merge(*map(journal.read, several))))
        for merged in several:
            merged.unlink()
    yield from heapq.merge(*map(journal.read, runs))


def _written(path: Path, run: Iterable[Entry]) -> Path:
    """Write a run piece by piece, so that memory stays small."""
    path.unlink(missing_ok=True)
    entries = iter(run)
    while piece := list(islice(entries, _ROWS_A_RUN)):
        journal.append(path, piece)
    return path


def write_tables(folder: Path, entries: Iterable[Entry]) -> Totals:
    """Write metadata.jsonl, gold.jsonl and manifest.jsonl.

    Parameters
    ----------
    folder : Path
        The data set.
    entries : iterable of Entry
        In the order of the ids.
    """
    digests = bytearray()
    with ExitStack() as stack:
        metadata, gold, manifest = (
            stack.enter_context((folder / name).open("w", encoding="utf-8", newline="\n"))
            for name in (METADATA, GOLD, MANIFEST)
        )
        for entry in entries:
            metadata.write(entry.metadata + "\n")
            gold.write(entry.gold + "\n")
            manifest.write(entry.manifest + "\n")
            digests += bytes.fromhex(entry.sha256[: 2 * _DIGEST.itemsize])
    numbers = np.frombuffer(digests, dtype=_DIGEST)
    return Totals(len(numbers), len(np.unique(numbers)))
