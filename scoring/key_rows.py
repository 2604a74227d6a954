"""Rows of an answer key, checked one by one and gathered into columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.answers import FEWEST, LETTERS, Choices, checked_choices, letters_of
from listenbench.scoring.problems import quoted

CONDITIONS: Final = ("clean", "flip", "stay", "both")
"""The conditions, in the order of the columns of `AnswerKey.row_of`."""

FIELDS: Final = ("task", "rung", "stay_factor", "flip_factor", "texture")
"""What items are grouped by."""

MAXIMUM_NAMES: Final = 1000
"""More distinct tasks, rungs or factors than this are taken for a field in the wrong place."""

PUBLISHED_CHOICES: Final[Mapping[str, Choices]] = MappingProxyType(
    {
        "melody": ("same", "different"),
        "harmony": ("same", "different"),
        "timbre": ("same", "different"),
        "rhythm": ("first", "second"),
    }
)
"""What the letters of the published benchmark (MusicListenBench, 2026) mean, in their order."""

_MAXIMUM_NAME_LENGTH: Final = 200
_MAXIMUM_RUNG: Final = 1e15
_ABSENT: Final = -1
_NO_ROWS: Final = (_ABSENT,) * len(CONDITIONS)
_LETTER_CODES: Final = {letter: code for code, letter in enumerate(LETTERS)}
_CONDITION_CODES: Final = {condition: code for code, condition in enumerate(CONDITIONS)}
_ITEM_FIELDS: Final = ("task", "rung", "texture")
_FACTOR_FIELDS: Final = {CONDITIONS.index("flip"): "flip_factor", CONDITIONS.index("stay"): "stay_factor"}


class _RowError(ValueError):
    """A row can't be used; the message says why."""


class KeyBuilder:
    """Gathers rows; memory grows by a few hundred bytes a row."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self._truth = bytearray()
        self._unproved: dict[int, int] = {}
        self._choices: dict[Choices, int] = {(): 0}
        self._choices_of_row = array("i")
        self._items: dict[str, int] = {}
        self._item_of_row = array("i")
        self._row_of = array("i")
        self._names: dict[str, dict[str, int]] = {field: {} for field in FIELDS}
        self._kinds: dict[tuple[int, int, int], int] = {}
        self._kind_of_values: dict[tuple[Any, ...], int] = {}
        self._kind_of_item = array("i")
        self._factors = {field: array("i") for field in _FACTOR_FIELDS.values()}

    @property
    def has_choices(self) -> bool:
        """Whether any row says what its letters mean."""
        return any(self._choices_of_row)

    def add(self, value: object, line: int = 0) -> str:
        """Add a row from a line of the file; return what is wrong with it, or an empty text."""
        try:
            self._add(value, line)
        except _RowError as error:
            return str(error)
        return ""

    def _add(self, value: object, line: int) -> None:
        row = _checked_object(value)
        file_id = _checked_id(row)
        if file_id in self.rows:
            raise _RowError(f"the id {quoted(file_id)} stands in the key twice")
        answer = _checked_code(row, "answer", _LETTER_CODES)
        condition = _checked_code(row, "condition", _CONDITION_CODES)
        choices = row.get("choices")
        choices_code = 0 if choices is None else self._choices_code(choices, answer)
        item = self._item(row, condition)
        number = len(self.rows)
        self.rows[file_id] = number
        if answer >= FEWEST and choices is None:
            self._unproved[number] = line
        self._row_of[item * len(CONDITIONS) + condition] = number
        self._truth.append(answer)
        self._choices_of_row.append(choices_code)
        self._item_of_row.append(item)

    def _item(self, row: Mapping[str, Any], condition: int) -> int:
        """Return the number of the row's item, after a check that the row fits to it."""
        kind = self._kind(row)
        name = row.get("item")
        item = self._items.get(name) if isinstance(name, str) else None
        if item is None:
            item = self._new_item(_checked_name(name, "item"), kind)
        elif self._row_of[item * len(CONDITIONS) + condition] != _ABSENT:
            raise _RowError(f"item {quoted(name)} has two {CONDITIONS[condition]} rows; it may have one")
        elif self._kind_of_item[item] != kind:
            field = self._other_field(self._kind_of_item[item], kind)
            raise _RowError(f"item {quoted(name)} has another {field} in an earlier row")
        factor_field = _FACTOR_FIELDS.get(condition, "stay_factor")
        factor = self._name_code(factor_field, row.get("factor"), optional=True)
        if condition in _FACTOR_FIELDS:
            self._factors[factor_field][item] = factor
        return item

    def _new_item(self, name: str, kind: int) -> int:
        item = self._items[name] = len(self._items)
        self._row_of.extend(_NO_ROWS)
        self._kind_of_item.append(kind)
        for factors in self._factors.values():
            factors.append(_ABSENT)
        return item

    def _kind(self, row: Mapping[str, Any]) -> int:
        """Return the number of the row's combination of task, rung and texture."""
        task, rung, texture = row.get("task"), row.get("rung"), row.get("texture")
        raw = (task, type(rung), rung, texture)
        try:
            kind = self._kind_of_values.get(raw)
        except TypeError:
            kind = None
        if kind is None:
            codes = (
                self._name_code("task", task),
                self._name_code("rung", _rung_name(rung)),
                self._name_code("texture", texture, optional=True),
            )
            kind = self._kinds.setdefault(codes, len(self._kinds))
            self._kind_of_values[raw] = kind
        return kind

    def _other_field(self, first: int, second: int) -> str:
        kinds = list(self._kinds)
        pairs = zip(_ITEM_FIELDS, kinds[first], kinds[second], strict=True)
        return next(field for field, before, now in pairs if before != now)

    def _name_code(self, field: str, value: object, *, optional: bool = False) -> int:
        """Return the code of a name, a new one if need be; of None, where that is allowed, -1."""
        if optional and value is None:
            return _ABSENT
        codes = self._names[field]
        code = codes.get(value) if isinstance(value, str) else None
        if code is not None:
            return code
        name = _checked_name(value, field.removeprefix("stay_").removeprefix("flip_"))
        if len(codes) >= MAXIMUM_NAMES:
            raise _RowError(f"{field}: more than {MAXIMUM_NAMES} distinct values; is the field right?")
        return codes.setdefault(name, len(codes))

    def _choices_code(self, value: object, answer: int) -> int:
        choices = checked_choices(value)
        if choices is None:
            raise _RowError(
                f"choices are {quoted(value)}; they must be one text a letter, "
                f"{FEWEST} to {len(LETTERS)} of them"
            )
        if answer >= len(choices):
            raise _RowError(f"the answer is {LETTERS[answer]}, and there are {len(choices)} choices")
        if choices not in self._choices and len(self._choices) > MAXIMUM_NAMES:
            raise _RowError(f"choices: more than {MAXIMUM_NAMES} distinct values")
        return self._choices.setdefault(choices, len(self._choices))

    def add_choices(self, value: object) -> str:
        """Add what the letters of one file mean; return what is wrong, or an empty text."""
        try:
            row = _checked_object(value)
            number = self.rows.get(_checked_id(row))
            if number is not None and row.get("choices") is not None:
                self._choices_of_row[number] = self._choices_code(row["choices"], self._truth[number])
        except _RowError as error:
            return str(error)
        return ""

    def assume_published_choices(self) -> None:
        """Take the letters of tasks with a published name to mean what they mean there."""
        by_code = {}
        for task, code in self._names["task"].items():
            if task in PUBLISHED_CHOICES:
                by_code[code] = self._choices_code(PUBLISHED_CHOICES[task], answer=0)
        of_kind = [by_code.get(task, 0) for task, _, _ in self._kinds]
        kinds = self._kind_of_item
        self._choices_of_row = array("i", (of_kind[kinds[item]] for item in self._item_of_row))

    def answers_without_choice(self) -> Iterator[tuple[int, str]]:
        """Yield where an answer is none of the letters of its question: line, and what is wrong."""
        choices = list(self._choices)
        for number, line in self._unproved.items():
            letters = letters_of(choices[self._choices_of_row[number]])
            answer = LETTERS[self._truth[number]]
            if answer not in letters:
                yield line, f"answer is {answer!r}; it must be one of {', '.join(letters)}"

    def finish(self) -> dict[str, Any]:
        """Return the columns of an `AnswerKey`, with names and codes in an order of their own.

        That order is by value, not by the order of the rows, so that shuffling a key changes nothing.
        """
        kinds = np.array(list(self._kinds), np.int32)[np.array(self._kind_of_item, np.int32)]
        columns = dict(zip(_ITEM_FIELDS, kinds.T, strict=True))
        columns |= {field: np.array(factors, np.int32) for field, factors in self._factors.items()}
        names, codes = {}, {}
        for field in FIELDS:
            ordered = _ordered(self._names[field])
            names[field] = tuple(ordered)
            codes[field] = _renumbered(columns[field], [self._names[field][name] for name in ordered])
        return {
            "rows": self.rows,
            "truth": np.frombuffer(bytes(self._truth), np.uint8),
            "choices": tuple(self._choices),
            "choices_of_row": np.array(self._choices_of_row, np.int32),
            "row_of": np.array(self._row_of, np.int32).reshape(-1, len(CONDITIONS)),
            "names": MappingProxyType(names),
            "codes": MappingProxyType(codes),
        }


def number_of(label: str) -> float | None:
    """Return the number that a rung's name is, or None for a rung without one."""
    try:
        value = float(label)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _ordered(names: Mapping[str, int]) -> list[str]:
    """Order names: numbers first, by value, then texts by alphabet."""

    def rank(name: str) -> tuple[bool, float, str]:
        number = number_of(name)
        return (number is None, number or 0.0, name)

    return sorted(names, key=rank)


def _renumbered(codes: NDArray[np.int32], old_codes: list[int]) -> NDArray[np.int32]:
    table = np.full(len(old_codes) + 1, _ABSENT, np.int32)
    table[old_codes] = np.arange(len(old_codes), dtype=np.int32)
    return table[codes]


def _checked_object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _RowError("the line is not a JSON object")
    return value


def _checked_id(row: Mapping[str, Any]) -> str:
    file_id = row.get("id")
    if file_id is None:
        raise _RowError("no id")
    if not isinstance(file_id, str) or not file_id:
        raise _RowError(f"id is {quoted(file_id)}; it must be a text")
    return file_id


def _checked_code(row: Mapping[str, Any], field: str, codes: Mapping[str, int]) -> int:
    value = row.get(field)
    code = codes.get(value) if isinstance(value, str) else None
    if code is None:
        raise _RowError(f"{field} is {quoted(value)}; it must be one of {', '.join(codes)}")
    return code


def _checked_name(value: object, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _RowError(f"{field} is {quoted(value)}; it must be a text")
    if len(value) > _MAXIMUM_NAME_LENGTH or not value.isprintable():
        raise _RowError(f"{field} is {quoted(value)}: too long, or with a control character")
    return value


def _rung_name(value: object) -> str:
    """Return the name of a rung: 100 and 100.0 are "100"."""
    if isinstance(value, str):
        return value
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not -_MAXIMUM_RUNG < value < _MAXIMUM_RUNG
    ):
        raise _RowError(f"rung is {quoted(value)}; it must be a text or a finite number")
    return str(int(value)) if value == int(value) else repr(value)
