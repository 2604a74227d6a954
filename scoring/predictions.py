"""Predictions: one reply a file, read from JSON Lines or from Python objects.

A line is `{"id": ..., "answer": "A"}`, `{"id": ..., "logprobs": {"A": -0.1, "B": -2.3}}` or
`{"id": ..., "text": "The answer is B."}`; `item_id` may stand for `id`, and further fields are left alone.
The first line may be `{"meta": {...}}`. One source holds one kind of reply, its readout. `null` in place of
the reply says that there was none. Where lines name a `listener`, several may answer the same file, and only
the answers that are there count: see `listenbench.scoring.trials`.
"""

from __future__ import annotations

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
from listenbench.scoring.submission_meta import ReplyError, checked_meta
from listenbench.scoring.trials import LISTENER, Trials, key_of_trials, ordered_trials

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
_CONTRADICTIONS: Final = {("logprob", "text"), ("generated", "logprobs")}
_MAXIMUM_NAME_LENGTH: Final = 100


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
        Code of the response to each row of the key; where there are `trials`, of each of them.
    invalid_reasons : mapping of str to int
        Why replies had no readable answer, and how often.
    repeated : int
        Number of replies beyond the first to a file.
    trials : Trials or None
        Who answered which file, where lines name a listener.
    """

    source: str
    meta: Mapping[str, Any]
    readout: str
    responses: NDArray[np.uint8]
    invalid_reasons: Mapping[str, int]
    repeated: int
    trials: Trials | None = None

    @property
    def missing(self) -> int:
        """Number of files, or of trials, without a reply."""
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


class _Reader:
    def __init__(self, key: AnswerKey, duplicates: Duplicates) -> None:
        self.readout = ""
        self._key = key
        self._duplicates = duplicates
        self._meta: dict[str, Any] = {}
        self._started = False
        self._repeated = 0
        self._responses = bytearray([MISSING]) * len(key.rows)
        self._line_of_slot = array("q", [0]) * len(key.rows)
        self._reason_of_slot = bytearray(len(key.rows))
        self._reasons: dict[str, int] = {}
        self._trials: dict[tuple[str, int], int] | None = None

    def add(self, line: int, value: object) -> str:
        """Add a line; return what is wrong with it, or an empty text."""
        try:
            self._add(line, value)
        except ReplyError as error:
            return str(error)
        finally:
            self._started = True
        return ""

    def _add(self, line: int, value: object) -> None:
        if not isinstance(value, dict | Mapping):
            raise ReplyError("the line is not a JSON object")
        if "meta" in value and "id" not in value and "item_id" not in value:
            self._meta = checked_meta(value["meta"], first=not self._started)
            return
        file_id = _file_id(value)
        row = self._key.rows.get(file_id)
        if row is None:
            raise ReplyError(f"the id {quoted(file_id)} is not in the key {quoted(self._key.name)}")
        field = self._field(value)
        reading = self._reading(field, value[field], row)
        slot = self._slot(value.get(LISTENER), row)
        self.readout = field
        if self._line_of_slot[slot]:
            self._repeated += 1
            if self._duplicates == "error":
                raise ReplyError(
                    f"the id {quoted(file_id)} was answered in line {self._line_of_slot[slot]} already; "
                    "say which one counts with --duplicates first or last"
                )
            if self._duplicates == "first":
                return
        self._set(slot, line, reading)

    def _slot(self, listener: object, row: int) -> int:
        """Return where a reply belongs: at its row, or, where lines name listeners, at its trial."""
        if self.readout and (listener is None) != (self._trials is None):
            have = "no field" if listener is None else "the field"
            raise ReplyError(f"it has {have} {LISTENER}, unlike earlier lines: all lines name one, or none")
        if listener is None:
            return row
        if not isinstance(listener, str) or not _is_name(listener):
            raise ReplyError(f"{LISTENER} is {quoted(listener)}; it must be a short text")
        if self._trials is None:
            self._trials = {}
            self._responses.clear()
            self._reason_of_slot.clear()
            self._line_of_slot = array("q")
        slot = self._trials.setdefault((listener, row), len(self._trials))
        if slot == len(self._responses):
            self._responses.append(MISSING)
            self._reason_of_slot.append(0)
            self._line_of_slot.append(0)
        return slot

    def _set(self, slot: int, line: int, reading: Reading) -> None:
        self._line_of_slot[slot] = line
        self._responses[slot] = reading.code
        invalid = reading.code == INVALID
        self._reason_of_slot[slot] = (
            self._reasons.setdefault(reading.reason, len(self._reasons) + 1) if invalid else 0
        )

    def _field(self, value: Mapping[str, Any]) -> str:
        """Return the field that carries the reply, the same one in all lines."""
        fields = [field for field in _FIELDS if field in value]
        if len(fields) != 1:
            have = " and ".join(fields) if fields else "none"
            raise ReplyError(f"it must have one of the fields {', '.join(_FIELDS)}; it has {have}")
        field = fields[0]
        if self.readout and field != self.readout:
            raise ReplyError(
                f"it has the field {field}, and earlier lines have {self.readout}: don't mix readouts"
            )
        if (self._meta.get("readout"), field) in _CONTRADICTIONS:
            raise ReplyError(f"it has the field {field}, but meta.readout is {quoted(self._meta['readout'])}")
        return field

    def _reading(self, field: str, content: object, row: int) -> Reading:
        if content is None:
            return NO_REPLY
        choices = self._key.choices[self._key.choices_of_row[row]]
        if field == "logprobs":
            return _logprobs_reading(content, choices)
        if not isinstance(content, str):
            raise ReplyError(f"{field} is {quoted(content)}; it must be a text")
        return read_letter(content, choices) if field == "answer" else read_reply(content, choices)

    def finish(self, source: str) -> Predictions:
        counts = np.bincount(np.frombuffer(self._reason_of_slot, np.uint8), minlength=len(self._reasons) + 1)
        reasons = {reason: int(counts[code]) for reason, code in self._reasons.items() if counts[code]}
        responses, asked, trials = np.frombuffer(bytes(self._responses), np.uint8), self._key, None
        if self._trials is not None:
            trials, order = ordered_trials(self._trials, self._key)
            responses, asked = responses[order], key_of_trials(self._key, trials)
        return Predictions(
            source=source,
            meta=MappingProxyType(self._meta),
            readout=self.readout,
            responses=as_in_data_set(responses, self._meta, asked),
            invalid_reasons=MappingProxyType(dict(sorted(reasons.items()))),
            repeated=self._repeated,
            trials=trials,
        )


def _file_id(value: Mapping[str, Any]) -> str:
    file_id = value.get("id")
    if isinstance(file_id, str) and "item_id" not in value:
        return file_id
    ids = [value[field] for field in ("id", "item_id") if value.get(field) is not None]
    if not ids:
        raise ReplyError("no id")
    if any(not isinstance(file_id, str) or file_id != ids[0] for file_id in ids):
        raise ReplyError(f"id is {quoted(ids[0] if len(ids) == 1 else ids)}; it must be one text")
    return str(ids[0])


def _logprobs_reading(content: object, choices: Choices) -> Reading:
    if not isinstance(content, Mapping):
        raise ReplyError(f"logprobs is {quoted(content)}; it must be an object with a number a letter")
    try:
        return read_logprobs(content, choices)
    except TypeError as error:
        raise ReplyError(str(error)) from error


def _is_name(text: str) -> bool:
    return bool(text.strip()) and len(text) <= _MAXIMUM_NAME_LENGTH and text.isprintable()
