"""Reading a data set for an audit: every recording with all that the tables say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from listenbench.dataset import (
    GOLD,
    MANIFEST,
    METADATA,
    DatasetItem,
    Row,
    audio_format,
    check_unpacked,
    read_description,
    read_rows,
    recording_name,
)
from listenbench.errors import DataError, SpecError
from listenbench.listeners.reading import Request, read
from listenbench.music import Clip
from listenbench.splits import Split
from listenbench.takes import Take, perform


@dataclass(frozen=True)
class Record:
    """One recording as the tables describe it.

    Attributes
    ----------
    item : DatasetItem
        What a model may see.
    gold : mapping
        The evaluator's row.
    manifest : mapping
        The provenance.
    """

    item: DatasetItem
    gold: Row
    manifest: Row

    @property
    def id(self) -> str:
        """The recording's name."""
        return self.item.id

    @property
    def task(self) -> str:
        """The task."""
        return str(self.gold["task"])

    @property
    def name(self) -> str:
        """The item that it belongs to."""
        return str(self.gold["item"])

    @property
    def condition(self) -> str:
        """'clean', 'flip', 'stay' or 'both'."""
        return str(self.gold["condition"])

    @property
    def answer(self) -> str:
        """The right letter."""
        return str(self.gold["answer"])

    @property
    def label(self) -> str:
        """Item and condition, as reports name a recording."""
        return f"{self.name} {self.condition} ({self.id})"

    @cached_property
    def request(self) -> Request:
        """The question as a listener reads it."""
        return read(self.item)

    @property
    def choice(self) -> str:
        """What the right letter means, for example 'same' or 'first'."""
        return self.request.choices["AB".index(self.answer)]

    @cached_property
    def changed(self) -> bool:
        """Whether the right answer says that clip B is different, or faster."""
        return self.answer == self.request.letter_for(changed=True)

    @cached_property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips as symbols, after changes to symbols."""
        a, b = (Clip.from_dict(self.manifest[name]["clip"]) for name in ("clip_a", "clip_b"))
        return a, b

    @cached_property
    def performed(self) -> tuple[Clip, Clip]:
        """Both clips as their takes play them."""
        takes = (Take.from_dict(self.manifest[name]["take"]) for name in ("clip_a", "clip_b"))
        a, b = (perform(clip, take) for clip, take in zip(self.clips, takes, strict=True))
        return a, b

    @property
    def changes(self) -> list[Mapping[str, Any]]:
        """The STAY effects of clip B, with their parameters."""
        return list(self.manifest["clip_b"]["changes"])

    @property
    def soundfonts(self) -> tuple[str, str]:
        """Names of the soundfonts of both clips."""
        return self.manifest["clip_a"]["soundfont"], self.manifest["clip_b"]["soundfont"]


@dataclass(frozen=True)
class Evidence:
    """A data set under audit.

    Attributes
    ----------
    folder : Path
        Where it is.
    description : mapping
        Content of dataset.json.
    split : Split
        The split as used.
    records : tuple of Record
        The recordings that all three tables describe, in the order of the metadata.
    """

    folder: Path
    description: Mapping[str, Any]
    split: Split
    records: tuple[Record, ...]

    def of(self, task: str, *conditions: str) -> list[Record]:
        """Return the records of a task, of some conditions or of all."""
        return [r for r in self.records if r.task == task and (not conditions or r.condition in conditions)]

    @property
    def tasks(self) -> list[str]:
        """The tasks that have recordings, in the split's order."""
        present = {record.task for record in self.records}
        return [task for task in self.split.tasks if task in present]


def read_evidence(folder: Path) -> Evidence:
    """Read a data set for an audit.

    Raises
    ------
    DataError
        If a table can't be read, a row lacks what an audit needs, or no recording is left.
    """
    description = read_description(folder)
    check_unpacked(folder, description)
    try:
        split = Split.model_validate(description["split"])
    except (KeyError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{folder}: dataset.json doesn't hold the split as used: {reason}") from None
    tables = [{str(row.get("id")): row for row in read_rows(folder / name)} for name in (GOLD, MANIFEST)]
    records = []
    for number, row in enumerate(read_rows(folder / METADATA), start=1):
        identifier = str(row.get("id"))
        if all(identifier in table for table in tables):
            where = f"{folder / METADATA}, line {number}"
            path = folder / recording_name(identifier, audio_format(description))
            records.append(_record(path, where, row, tables[0][identifier], tables[1][identifier]))
    if not records:
        raise DataError(f"{folder}: no recording stands in all three tables: nothing to audit")
    return Evidence(folder, description, split, tuple(records))


def _record(path: Path, where: str, row: Row, gold: Row, manifest: Row) -> Record:
    try:
        choices = tuple(str(choice) for choice in row["choices"])
        record = Record(DatasetItem(str(row["id"]), str(row["question"]), choices, path), gold, manifest)
        _ = (record.task, record.name, record.condition, record.choice, record.request)
        _ = (record.performed, record.changes, record.soundfonts, manifest["content"], manifest["material"])
    except (LookupError, TypeError, ValueError, SpecError) as error:
        raise DataError(f"{where}: the rows of this recording are damaged: {error!r}") from None
    return record
