"""The items of a data set, listed without holding their music in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from listenbench.audio import SAMPLE_RATE
from listenbench.dataset import (
    MANIFEST,
    METADATA,
    Row,
    audio_format,
    check_unpacked,
    is_identifier,
    parsed_row,
    read_description,
    read_rows,
    recording_path,
)
from listenbench.display import rung_text
from listenbench.errors import DataError
from listenbench.items import Item
from listenbench.stored_items import item_of_rows
from listenbench.tasks import TASKS, Rung

CONDITIONS: Final = ("clean", "flip", "stay", "both")
"""All conditions, in the order in which an item's recordings stand beside one another."""

_SILENT_SECONDS: Final = 2.0
_LONGEST_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class ListedRecording:
    """A recording as it stands in the list.

    Attributes
    ----------
    id : str
        Opaque name.
    condition : str
        One of `CONDITIONS`.
    factor : str
        The edit or the sound changes; empty for a clean recording.
    seconds : float
        Its length.
    offset : int
        Where its row starts in the manifest, in bytes.
    """

    id: str
    condition: str
    factor: str
    seconds: float
    offset: int


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item as it stands in the list.

    Attributes
    ----------
    name, task, texture : str
        As in the manifest.
    rung : str
        With its unit, for example '200 cents'.
    recordings : tuple of ListedRecording
        In the order of `CONDITIONS`.
    """

    name: str
    task: str
    texture: str
    rung: str
    recordings: tuple[ListedRecording, ...]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item read in full.

    Attributes
    ----------
    item : Item
        Its music, question and answers.
    rows : mapping of str to mapping
        The manifest's row of each id.
    """

    item: Item
    rows: Mapping[str, Row]


@dataclass(frozen=True)
class ItemIndex:
    """What a data set has, and where each row of its manifest starts.

    Attributes
    ----------
    folder : Path
        The data set.
    description : mapping
        The content of dataset.json.
    items : tuple of ListedItem
        In the order of tasks, rungs apart, then of names.
    questions : mapping of str to str
        Question of each recording.
    """

    folder: Path
    description: Mapping[str, Any]
    items: tuple[ListedItem, ...]
    questions: Mapping[str, str]

    @property
    def recordings(self) -> int:
        """The number of recordings."""
        return sum(len(item.recordings) for item in self.items)

    def read(self, number: int) -> StoredItem:
        """Read an item in full.

        Parameters
        ----------
        number : int
            Its place in `items`.

        Raises
        ------
        DataError
            If its rows are damaged, or the manifest has changed since it was listed.
        """
        listed = self.items[number].recordings
        rows = dict(zip((recording.id for recording in listed), self._rows(listed), strict=True))
        if any(row.get("id") != name for name, row in rows.items()):
            raise self._changed()
        return StoredItem(item_of_rows(self.folder, [*rows.values()], self.questions), rows)

    @property
    def suffix(self) -> str:
        """How the recordings are stored, which is also the suffix of their files."""
        return audio_format(self.description)

    def recording_path(self, identifier: str) -> Path | None:
        """Return where a recording lies, or None if the data set lists no such id or lacks the file.

        Raises
        ------
        DataError
            If a link leads out of the data set.
        """
        if identifier not in self.questions:
            return None
        path = recording_path(self.folder, self.description, identifier)
        return path if path.is_file() else None

    def _rows(self, recordings: Sequence[ListedRecording]) -> Iterator[Row]:
        path = self.folder / MANIFEST
        try:
            with path.open("rb") as file:
                for recording in recordings:
                    file.seek(recording.offset)
                    yield parsed_row(path, 0, file.readline())
        except (OSError, DataError):
            raise self._changed() from None

    def _changed(self) -> DataError:
        return DataError(
            f"{self.folder}: the data set has changed since this page was started: start it again"
        )


def read_index(folder: Path) -> ItemIndex:
    """List the items of a data set.

    Shows progress on standard error where it takes more than two seconds.

    Raises
    ------
    DataError
        If the folder holds no data set, its recordings are packed in shards, or a row is damaged: naming file
        and line.
    """
    description = read_description(folder)
    check_unpacked(folder, description)
    questions = _questions(folder / METADATA)
    kinds: dict[str, tuple[str, str, str]] = {}
    recordings: dict[str, dict[str, ListedRecording]] = {}
    path = folder / MANIFEST
    for number, offset, row in _numbered_rows(path):
        place = f"{path}:{number}"
        kind, recording = _kind(place, row), _recording(place, row, offset)
        if recording.id not in questions:
            raise DataError(f"{place}: {METADATA} has no row {recording.id!r}: the data set is damaged")
        name = _text(place, row, "item")
        if kinds.setdefault(name, kind) != kind:
            raise DataError(f"{place}: item {name!r} has another task, rung or texture in an earlier row")
        if recordings.setdefault(name, {}).setdefault(recording.condition, recording) is not recording:
            raise DataError(f"{place}: item {name!r} has two {recording.condition} rows")
    items = sorted(
        (ListedItem(name, *kinds[name], _ordered(listed)) for name, listed in recordings.items()),
        key=lambda item: (_rank(item.task, [*TASKS]), item.name),
    )
    return ItemIndex(folder, description, tuple(items), questions)


def rungs_in_order(items: Sequence[ListedItem]) -> list[str]:
    """Return the rungs that occur, task by task, each task's in the order of its magnitudes."""
    known = [rung_text(rung, task.unit) for task in TASKS.values() for rung in task.rungs]
    return in_order({item.rung for item in items}, known)


def in_order(values: set[str], known: Sequence[str]) -> list[str]:
    """Return values, those that are known first and in that order, the others by alphabet."""
    return sorted(values, key=lambda value: _rank(value, known))


def _rank(value: str, known: Sequence[str]) -> tuple[int, str]:
    return (known.index(value) if value in known else len(known), value)


def _questions(path: Path) -> dict[str, str]:
    questions = {}
    for number, row in enumerate(read_rows(path), start=1):
        identifier, question = row.get("id"), row.get("question")
        if not is_identifier(identifier) or not isinstance(question, str):
            raise DataError(f"{path}:{number}: not a row of a data set")
        questions[str(identifier)] = question
    return questions


def _numbered_rows(path: Path) -> Iterator[tuple[int, int, Row]]:
    """Yield each row of a JSON Lines file after its line number, from 1, and its place in bytes."""
    try:
        size = path.stat().st_size
        with (
            path.open("rb") as file,
            tqdm(total=size, unit="B", unit_scale=True, delay=_SILENT_SECONDS, disable=None) as bar,
        ):
            offset = 0
            for number, line in enumerate(file, start=1):
                yield number, offset, parsed_row(path, number, line)
                offset += len(line)
                bar.update(len(line))
    except OSError as error:
        raise DataError(f"{path}: can't read this file: {error.strerror}") from None


def _kind(place: str, row: Row) -> tuple[str, str, str]:
    """Return task, texture and rung."""
    task = _text(place, row, "task")
    texture = _text(place, {"texture": "solo", **row}, "texture")
    return task, texture, _rung(place, row, task)


def _recording(place: str, row: Row, offset: int) -> ListedRecording:
    identifier, condition, samples = row.get("id"), row.get("condition"), row.get("samples")
    if not is_identifier(identifier):
        raise DataError(f"{place}: id {str(identifier)[:80]!r} is no id of a recording")
    if condition not in CONDITIONS:
        raise DataError(f"{place}: condition {str(condition)[:80]!r} is none of {', '.join(CONDITIONS)}")
    if not isinstance(samples, int) or not 0 < samples < _LONGEST_SECONDS * SAMPLE_RATE:
        raise DataError(f"{place}: samples {str(samples)[:80]!r} is not the length of a recording")
    factor = "" if row.get("factor") is None else _text(place, row, "factor")
    return ListedRecording(str(identifier), str(condition), factor, samples / SAMPLE_RATE, offset)


def _text(place: str, row: Row, field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value:
        raise DataError(f"{place}: {field} is {str(value)[:80]!r}: it must be a text")
    return value


def _rung(place: str, row: Row, task: str) -> str:
    rung = row.get("rung")
    if isinstance(rung, bool) or not isinstance(rung, Rung):
        raise DataError(f"{place}: rung is {str(rung)[:80]!r}: it must be a text or a number")
    return rung_text(rung, TASKS[task].unit if task in TASKS else "")


def _ordered(recordings: Mapping[str, ListedRecording]) -> tuple[ListedRecording, ...]:
    return tuple(recordings[condition] for condition in CONDITIONS if condition in recordings)
