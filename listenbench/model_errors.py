"""What a pydantic model refuses, in words that need no knowledge of pydantic: key, value, what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

Key = tuple[int | str, ...]

_LONGEST_VALUE: Final = 80
_KINDS: Final = frozenset({"int", "float", "str"})
"""Where several types are allowed, pydantic reports each, with the name of the type at the end of the key."""

_TEMPLATES: Final = MappingProxyType(
    {
        "literal_error": "must be {expected}",
        "greater_than": "must be above {gt}",
        "greater_than_equal": "must be at least {ge}",
        "less_than": "must be below {lt}",
        "less_than_equal": "must be at most {le}",
        "too_short": "needs {min_length} or more entries",
        "too_long": "takes {max_length} entries at most",
        "finite_number": "must be a finite number",
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_type": "must be a number",
        "float_parsing": "must be a number",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "string_type": "must be text in quotes",
        "tuple_type": "must be a list in brackets",
        "mapping_type": "must be a table",
        "dict_type": "must be a table",
        "model_type": "must be a table",
        "model_attributes_type": "must be a table",
        "is_instance_of": "must be a table",
    }
)


def described(error: ValidationError, model: type[BaseModel], data: object) -> str:
    """Return everything that is wrong with data for a model, in one line.

    Parameters
    ----------
    error : ValidationError
        What the model raised.
    model : type of BaseModel
        The model.
    data : object
        What it was given; a single value in place of a list is told from a list by it.
    """
    entries = [entry for entry in error.errors() if not _follows(entry, error)]
    return "; ".join(dict.fromkeys(_problem(entry, model, data) for entry in entries))


def _follows(entry: Any, error: ValidationError) -> bool:
    """Return whether a list is called too short only because something in it is wrong."""
    key = entry["loc"]
    others = [other["loc"] for other in error.errors()]
    return entry["type"] == "too_short" and any(len(o) > len(key) and o[: len(key)] == key for o in others)


def _problem(entry: Any, model: type[BaseModel], data: object) -> str:
    key: Key = entry["loc"]
    kind, several = str(entry["type"]), ""
    if kind == "missing":
        return f"{_written(key)}: missing"
    if kind == "extra_forbidden":
        return f"{_written(key)}: unknown name; known: {', '.join(_names(model, key[:-1]))}"
    if key and key[-1] in _KINDS:
        return f"{_written(key[:-1])}: must be a number or text, got {_shown(entry['input'])}"
    if key and isinstance(key[-1], int) and not _is_list(data, key[:-1]):
        key, several = key[:-1], ", or a list of them"
    message = _TEMPLATES[kind].format(**entry.get("ctx", {})) if kind in _TEMPLATES else str(entry["msg"])
    message = message.removeprefix("Value error, ") + several
    return f"{_written(key)}: {message}, got {_shown(entry['input'])}" if key else message


def _written(key: Key) -> str:
    """Return a key as 'table.name', and with the place in a list, from 0, in brackets."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in key]
    return "".join(parts).removeprefix(".")


def _names(model: type[BaseModel], key: Key) -> Sequence[str]:
    """Return the names that a model, or a table of models within it, knows at a key."""
    place: Any = model
    for part in key:
        is_model = isinstance(place, type) and issubclass(place, BaseModel)
        place = place.model_fields[str(part)].annotation if is_model else get_args(place)[-1]
    return tuple(place.model_fields)


def _is_list(data: object, key: Key) -> bool:
    for part in key:
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, Sequence) and isinstance(part, int) and part < len(data):
            data = data[part]
    return isinstance(data, Sequence) and not isinstance(data, str)


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[: _LONGEST_VALUE - 3]}..."
