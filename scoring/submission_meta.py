"""The first line of a predictions file, which says what made it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from listenbench.scoring.problems import quoted

_META_TEXTS: Final = ("model", "version", "readout", "used_training_split", "date", "code_url", "condition")
_MAXIMUM_TEXT_LENGTH: Final = 300
_MAXIMUM_DEPTH: Final = 20


class ReplyError(ValueError):
    """A line of predictions can't be used; the message says why."""


def checked_meta(meta: object, *, first: bool) -> dict[str, Any]:
    """Return the content of a `meta` line.

    Parameters
    ----------
    meta : object
        What stands there.
    first : bool
        Whether it is the first line.

    Raises
    ------
    ReplyError
        If it isn't, or holds what can't be written in a report.
    """
    if not first:
        raise ReplyError("meta may stand in the first line alone")
    if not isinstance(meta, Mapping):
        raise ReplyError(f"meta is {quoted(meta)}; it must be an object")
    for field in _META_TEXTS:
        text = meta.get(field)
        if text is None:
            continue
        if not isinstance(text, str) or len(text) > _MAXIMUM_TEXT_LENGTH or not text.isprintable():
            raise ReplyError(
                f"meta.{field} is {quoted(text)}; it must be a short text without control characters"
            )
    if not _is_plain(dict(meta), _MAXIMUM_DEPTH):
        raise ReplyError(
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
