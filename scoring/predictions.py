"""Predictions: one reply a file, read from JSON Lines or from Python objects.

A line is `{"id": ..., "answer": "A"}`, `{"id": ..., "logprobs": {"A": -0.1, "B": -2.3}}` or
`{"id": ..., "text": "The answer is B."}`; `item_id` may stand for `id`, and further fields are left alone.
The first line may be `{"meta": {...}}`. One source holds one kind of reply, its readout. `null` in place of
the reply says that there was none.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from listenbench.errors import DataError
from listenbench.scoring.answers import (
    INVALID,
    MISSING,
    NO_REPLY,
    Choices,
    Reading,
    read_letter,
    read_logprobs,
)
from listenbench.scoring.conditions import as_in_data_set
from listenbench.scoring.jsonlines import read_json_lines
from listenbench.scoring.key import AnswerKey
from listenbench.scoring.parsing import read_reply
from listenbench.scoring.problems import ProblemLog, printable, quoted

Duplicates = Literal["error", "first", "last"]
"""What to do with a second reply to one file."""

Source = str | os.PathLike[str] | Mapping[str, str | None] | Iterable[Mapping[str, Any]]
"""A path, a mapping of file ids to letters, or mappings with the fields of a line."""

READOUTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "answer": "letters as submitted",
        "logprobs": "log-probabilities of the letters",
        "text": "letters read in generated text",
    }
)
"""The kinds of reply by the field that carries them, each with the words that a report has for it."""

_FIELDS: Final = tuple(READOUTS)
_META_TEXTS: Final = ("model", "version", "readout", "used_training_split", "date", "code_url", "condition")
_CONTRADICTIONS: Final = {("logprob", "text"), ("generated", "logprobs")}
_MAXIMUM_TEXT_LENGTH: Final = 300
_MAXIMUM_DEPTH: Final = 20


@dataclass(frozen=True, slots=True)
class Predictions:
    """The responses to the files of a key.

    Attributes
    ----------
    source : str
        Where they came from.
    meta : mapping
        What the first line says about the model; empty without one.
    readout : str
        A key of `READOUTS`.
    responses : array of uint8, shape (rows,)
        Code of the response to each row of the key.
    invalid_reasons : mapping of str to int
        Why replies had no readable answer, and how often.
    repeated : int
        Number of replies beyond the first to a file.
    """

    source: str
    meta: Mapping[str, Any]
    readout: str
    responses: NDArray[np.uint8]
    invalid_reasons: Mapping[str, int]
    repeated: int

    @property
    def missing(self) -> int:
        """Number of files without a reply."""
        return int(np.count_nonzero(self.responses == MISSING))


def read_predictions(source: Source, key: AnswerKey, duplicates: Duplicates = "error") -> Predictions:
    """Read predictions against a key.

    Parameters
    ----------
    source : path, mapping of str to str, or iterable of mappings
        A file is streamed; its lines are never held together.
    key : AnswerKey
        The files that may be answered.
    duplicates : {"error", "first", "last"}, optional
        Which reply counts when a file has several.

    Raises
    ------
    DataError
        If there are no predictions, or with all lines that can't be used.
    """
    if duplicates not in get_args(Duplicates):
        raise DataError(f"duplicates: {quoted(duplicates)} is none of {', '.join(get_args(Duplicates))}")
    name, entries = _entries(source)
    problems = ProblemLog(name)
    reader = _Reader(key, duplicates)
    for line, value, reason in entries:
        trouble = reason or reader.add(line, value)
        if trouble:
            problems.add(line, trouble)
    problems.raise_if_any()
    if not reader.readout:
        raise DataError(f'{name}: it has no answers; each line should be like {{"id": ..., "answer": "A"}}')
    return reader.finish(name)


def _entries(source: Source) -> tuple[str, Iterator[tuple[int, Any, str]]]:
    if isinstance(source, str | os.PathLike):
        return printable(str(source)), read_json_lines(Path(source))
    if isinstance(source, Mapping):
        pairs = ({"id": file_id, "answer": answer} for file_id, answer in source.items())
        return "predictions", ((number, pair, "") for number, pair in enumerate(pairs, start=1))
    if isinstance(source, Iterable):
        return "predictions", ((number, entry, "") for number, entry in enumerate(source, start=1))
    raise DataError(f"predictions: {quoted(source)} is no path, no mapping and no list of mappings")


class _ReplyError(ValueError):
    """A line can't be used; the message says why."""


class _Reader:
    def __init__(self, key: AnswerKey, duplicates: Duplicates) -> None:
        self.readout = ""
        self._key = key
        self._duplicates = duplicates
        self._meta: dict[str, Any] = {}
        self._started = False
        self._repeated = 0
        self._responses = bytearray([MISSING]) * len(key.rows)
        self._line_of_row = array("q", [0]) * len(key.rows)
        self._reason_of_row = bytearray(len(key.rows))
        self._reasons: dict[str, int] = {}

    def add(self, line: int, value: object) -> str:
        """Add a line; return what is wrong with it, or an empty text."""
        try:
            self._add(line, value)
        except _ReplyError as error:
            return str(error)
        finally:
            self._started = True
        return ""

    def _add(self, line: int, value: object) -> None:
        if not isinstance(value, dict | Mapping):
            raise _ReplyError("the line is not a JSON object")
        if "meta" in value and "id" not in value and "item_id" not in value:
            self._meta = _checked_meta(value["meta"], first=not self._started)
            return
        file_id = _file_id(value)
        row = self._key.rows.get(file_id)
        if row is None:
            raise _ReplyError(f"the id {quoted(file_id)} is not in the key {quoted(self._key.name)}")
        field = self._field(value)
        reading = self._reading(field, value[field], row)
        self.readout = field
        if self._line_of_row[row]:
            self._repeated += 1
            if self._duplicates == "error":
                raise _ReplyError(
                    f"the id {quoted(file_id)} was answered in line {self._line_of_row[row]} already; "
                    "say which one counts with --duplicates first or last"
                )
            if self._duplicates == "first":
                return
        self._set(row, line, reading)

    def _set(self, row: int, line: int, reading: Reading) -> None:
        self._line_of_row[row] = line
        self._responses[row] = reading.code
        invalid = reading.code == INVALID
        self._reason_of_row[row] = (
            self._reasons.setdefault(reading.reason, len(self._reasons) + 1) if invalid else 0
        )

    def _field(self, value: Mapping[str, Any]) -> str:
        """Return the field that carries the reply, the same one in all lines."""
        fields = [field for field in _FIELDS if field in value]
        if len(fields) != 1:
            have = " and ".join(fields) if fields else "none"
            raise _ReplyError(f"it must have one of the fields {', '.join(_FIELDS)}; it has {have}")
        field = fields[0]
        if self.readout and field != self.readout:
            raise _ReplyError(
                f"it has the field {field}, and earlier lines have {self.readout}: don't mix readouts"
            )
        if (self._meta.get("readout"), field) in _CONTRADICTIONS:
            raise _ReplyError(
                f"it has the field {field}, but meta.readout is {quoted(self._meta['readout'])}"
            )
        return field

    def _reading(self, field: str, content: object, row: int) -> Reading:
        if content is None:
            return NO_REPLY
        choices = self._key.choices[self._key.choices_of_row[row]]
        if field == "logprobs":
            return _logprobs_reading(content, choices)
        if not isinstance(content, str):
            raise _ReplyError(f"{field} is {quoted(content)}; it must be a text")
        return read_letter(content, choices) if field == "answer" else read_reply(content, choices)

    def finish(self, source: str) -> Predictions:
        counts = np.bincount(np.frombuffer(self._reason_of_row, np.uint8), minlength=len(self._reasons) + 1)
        reasons = {reason: int(counts[code]) for reason, code in self._reasons.items() if counts[code]}
        return Predictions(
            source=source,
            meta=MappingProxyType(self._meta),
            readout=self.readout,
            responses=as_in_data_set(np.frombuffer(bytes(self._responses), np.uint8), self._meta, self._key),
            invalid_reasons=MappingProxyType(dict(sorted(reasons.items()))),
            repeated=self._repeated,
        )


def _file_id(value: Mapping[str, Any]) -> str:
    file_id = value.get("id")
    if isinstance(file_id, str) and "item_id" not in value:
        return file_id
    ids = [value[field] for field in ("id", "item_id") if value.get(field) is not None]
    if not ids:
        raise _ReplyError("no id")
    if any(not isinstance(file_id, str) or file_id != ids[0] for file_id in ids):
        raise _ReplyError(f"id is {quoted(ids[0] if len(ids) == 1 else ids)}; it must be one text")
    return str(ids[0])


def _logprobs_reading(content: object, choices: Choices) -> Reading:
    if not isinstance(content, Mapping):
        raise _ReplyError(f"logprobs is {quoted(content)}; it must be an object with a number a letter")
    try:
        return read_logprobs(content, choices)
    except TypeError as error:
        raise _ReplyError(str(error)) from error


def _checked_meta(meta: object, *, first: bool) -> dict[str, Any]:
    if not first:
        raise _ReplyError("meta may stand in the first line alone")
    if not isinstance(meta, Mapping):
        raise _ReplyError(f"meta is {quoted(meta)}; it must be an object")
    for field in _META_TEXTS:
        text = meta.get(field)
        if text is None:
            continue
        if not isinstance(text, str) or len(text) > _MAXIMUM_TEXT_LENGTH or not text.isprintable():
            raise _ReplyError(
                f"meta.{field} is {quoted(text)}; it must be a short text without control characters"
            )
    if not _is_plain(dict(meta), _MAXIMUM_DEPTH):
        raise _ReplyError(
            f"meta may hold texts, finite numbers, lists and objects, {_MAXIMUM_DEPTH} deep at most"
        )
    return dict(meta)


def _is_plain(value: object, depth: int) -> bool:
    """Whether a value can be written as standard JSON, nested no deeper than `depth`."""
    if isinstance(value, dict):
        names = all(isinstance(name, str) for name in value)
        return depth > 0 and names and all(_is_plain(content, depth - 1) for content in value.values())
    if isinstance(value, list | tuple):
        return depth > 0 and all(_is_plain(content, depth - 1) for content in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)
