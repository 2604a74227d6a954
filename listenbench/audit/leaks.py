"""Leaks: what a file or a row tells without being listened to or read as a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from listenbench.audit.check import Check, none_of
from listenbench.audit.evidence import Evidence
from listenbench.dataset import METADATA, read_rows

_SHOWN = frozenset({"file_name", "id", "question", "choices"})
_OPAQUE = re.compile(r"[0-9a-f]{20}")
_HEADER_BYTES = 44


def check_leaks(evidence: Evidence) -> Iterator[Check]:
    """Yield what metadata, names, order, sizes, times and headers tell."""
    rows = list(read_rows(evidence.folder / METADATA))
    talkative = [str(row.get("id")) for row in rows if set(row) != _SHOWN]
    yield none_of("leaks", "metadata rows with other keys", talkative, len(rows), "rows")
    telling = [r.id for r in evidence.records if not _OPAQUE.fullmatch(r.id)]
    yield none_of("leaks", "ids that are not 20 hexadecimal digits", telling, len(rows), "ids")
    ids = [str(row.get("id")) for row in rows]
    displaced = [a for a, b in zip(ids, sorted(ids), strict=True) if a != b]
    yield none_of("leaks", "rows not in the order of the ids", displaced, len(rows), "rows")
    paths = {r.id: r.item.path for r in evidence.records if r.item.path.is_file()}
    yield from _sizes(evidence, paths)
    times = {path.stat().st_mtime_ns for path in paths.values()}
    yield Check("leaks", "modification times of recordings", f"{len(times)} different", "1", len(times) == 1)
    odd = [identifier for identifier, path in paths.items() if not _plain(path)]
    yield none_of("leaks", "headers with anything but the format", odd, len(paths), "files")


def _sizes(evidence: Evidence, paths: dict[str, Path]) -> Iterator[Check]:
    """Yield whether all recordings of a task have the size that window and pause give."""
    for task in evidence.tasks:
        seconds = 2 * evidence.split.tasks[task].window_seconds + evidence.split.silence_seconds
        size = _HEADER_BYTES + 2 * round(seconds * 44_100)
        sizes: dict[int, list[str]] = defaultdict(list)
        for record in evidence.of(task):
            if record.id in paths:
                sizes[paths[record.id].stat().st_size].append(record.label)
        wrong = [label for other, labels in sizes.items() if other != size for label in labels]
        yield none_of(
            "leaks",
            f"{task}: files of another size than {size:,} bytes",
            wrong,
            sum(map(len, sizes.values())),
        )


def _plain(path: Path) -> bool:
    """Return whether a WAV file has a header of 44 bytes and nothing but samples after it."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    names = header[:4], header[8:16], header[36:40]
    length = int.from_bytes(header[40:44], "little")
    return names == (b"RIFF", b"WAVEfmt ", b"data") and path.stat().st_size == _HEADER_BYTES + length
