"""Leaks: what a file or a row tells without being listened to or read as a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from listenbench.audio import (
    FLAC,
    FLAC_HEADER_BYTES,
    SAMPLE_RATE,
    WAV,
    encoded,
    encoder_versions,
    read_samples,
)
from listenbench.audit.check import Check, listed, none_of
from listenbench.audit.evidence import Evidence
from listenbench.dataset import CROISSANT, METADATA, Row, audio_format, read_rows
from listenbench.errors import DataError

_SHOWN = frozenset({"file_name", "id", "question", "choices"})
_OPAQUE = re.compile(r"[0-9a-f]{20}")
_HEADER_BYTES = 44
_COLUMN = re.compile(r'"(?:column|jsonPath)"\s*:\s*"(?!cr:)([^"]*)"')


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
    yield from _croissant(evidence, ids)
    short = [r.label for r in evidence.records if _take_starts_again(r.manifest)]
    yield none_of("leaks", "takes shorter than a clip", short, len(rows), "recordings")
    paths = {r.id: r.item.path for r in evidence.records if r.item.path.is_file()}
    suffix = audio_format(evidence.description)
    if suffix == WAV:
        yield from _sizes(evidence, paths)
    else:
        yield from _lengths(evidence, paths)
    times = {path.stat().st_mtime_ns for path in paths.values()}
    yield Check("leaks", "modification times of recordings", f"{len(times)} different", "1", len(times) == 1)
    plain = _plain if suffix == WAV else _plain_flac
    odd = [identifier for identifier, path in paths.items() if not plain(path)]
    yield none_of("leaks", "headers with anything but the format", odd, len(paths), "files")
    if suffix == FLAC:
        yield _as_encoded(evidence, paths)


def _take_starts_again(manifest: Row) -> bool:
    """Return whether a clip repeats the deviations of its first notes, which tells that it has more of them.

    Music that a STAY change draws again has as many notes whatever the answer, and is not asked about.
    """
    performances = (manifest["clip_a"], manifest["clip_b"])
    return any(
        0 < len(performance["take"]["onset_seconds"]) < sum(map(_notes, performance["clip"]["parts"]))
        for performance in performances
    )


def _notes(part: Row) -> int:
    return len(part["notes"])


def _croissant(evidence: Evidence, ids: list[str]) -> Iterator[Check]:
    """Yield whether the Croissant description names a recording, or describes what a model must not see."""
    try:
        text = (evidence.folder / CROISSANT).read_text("utf-8")
        columns = set(_COLUMN.findall(text))
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError):
        text, columns = "", {"unreadable"}
    named = [identifier for identifier in ids if identifier in text]
    yield none_of("leaks", f"recordings that {CROISSANT} names", named, len(ids), "recordings")
    yield none_of("leaks", f"columns that {CROISSANT} offers beside", columns - _SHOWN, max(1, len(columns)))


def _sizes(evidence: Evidence, paths: dict[str, Path]) -> Iterator[Check]:
    """Yield whether all recordings of a task have the size that window and pause give."""
    for task in evidence.tasks:
        size = _HEADER_BYTES + 2 * _samples(evidence, task)
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


def _lengths(evidence: Evidence, paths: dict[str, Path]) -> Iterator[Check]:
    """Yield whether all FLAC recordings of a task state the length that window and pause give.

    Their size follows from their samples, and so it tells no more than they do, if nothing else is in them.
    """
    for task in evidence.tasks:
        samples = _samples(evidence, task)
        found = [record for record in evidence.of(task) if record.id in paths]
        wrong = [record.label for record in found if _stated_samples(paths[record.id]) != samples]
        yield none_of(
            "leaks", f"{task}: recordings of another length than {samples:,} samples", wrong, len(found)
        )


def _samples(evidence: Evidence, task: str) -> int:
    seconds = 2 * evidence.split.tasks[task].window_seconds + evidence.split.silence_seconds
    return round(seconds * SAMPLE_RATE)


def _stated_samples(path: Path) -> int:
    """Return the 36 bits of STREAMINFO that state the number of samples (RFC 9639, section 8.2)."""
    with path.open("rb") as file:
        header = file.read(FLAC_HEADER_BYTES)
    return int.from_bytes(header[21:26], "big") & 0xF_FFFF_FFFF


def _plain_flac(path: Path) -> bool:
    """Return whether a FLAC file has no metadata but STREAMINFO."""
    with path.open("rb") as file:
        return file.read(8) == b"fLaC\x80\x00\x00\x22"


def _as_encoded(evidence: Evidence, paths: dict[str, Path]) -> Check:
    """Return whether every FLAC file is what its samples give, so that nothing is hidden in it."""
    name = "files that hold anything but their samples"
    made_with = evidence.description.get("versions", {})
    if any(made_with.get(key) != value for key, value in encoder_versions(FLAC).items()):
        return listed("leaks", name, "made with another version of libsndfile: can't be told")
    return none_of("leaks", name, (i for i, path in paths.items() if not _is_as_encoded(path)), len(paths))


def _is_as_encoded(path: Path) -> bool:
    try:
        return encoded(read_samples(path), FLAC) == path.read_bytes()
    except DataError:
        return False


def _plain(path: Path) -> bool:
    """Return whether a WAV file has a header of 44 bytes and nothing but samples after it."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    names = header[:4], header[8:16], header[36:40]
    length = int.from_bytes(header[40:44], "little")
    return names == (b"RIFF", b"WAVEfmt ", b"data") and path.stat().st_size == _HEADER_BYTES + length
