"""JSON Lines, read as a stream: one value a line, whatever the file holds.

UTF-8, with or without a byte order mark; lines end in LF or CRLF; blank lines are skipped. A value that
Python's json module takes beyond the standard (NaN, Infinity) is taken, so that the field it stands in
decides what it means. See https://jsonlines.org and RFC 8259.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

from listenbench.errors import DataError
from listenbench.scoring.problems import quoted

MAXIMUM_LINE_BYTES: Final = 16 * 2**20
"""A longer line is refused instead of being held in memory."""

_WHITESPACE: Final = " \t\r\n"
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TOO_LONG: Final = f"the line is longer than {MAXIMUM_LINE_BYTES} bytes"


class _RepeatedKeyError(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"the key {quoted(repeated)} stands in one object more than once")
    return value


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)


def read_json_lines(path: Path) -> Iterator[tuple[int, Any, str]]:
    """Yield the lines of a file one by one.

    Parameters
    ----------
    path : Path
        A file, or a pipe: it is read once and never held as a whole.

    Yields
    ------
    tuple of (int, object, str)
        Line number counted from 1, the value, and the reason why there is no value (empty when there is one).

    Raises
    ------
    DataError
        If the file can't be read.
    """
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(_lines(stream), start=1):
                content = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                if not content.isspace():
                    yield number, *_decoded(content)
    except OSError as error:
        raise DataError(f"{path}: it can't be read: {error.strerror or error}") from error


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield raw lines; of a line that is too long, one byte more than allowed."""
    while raw := stream.readline(MAXIMUM_LINE_BYTES + 1):
        yield raw
        while len(raw) > MAXIMUM_LINE_BYTES and not raw.endswith(b"\n"):
            raw = stream.readline(MAXIMUM_LINE_BYTES + 1)


def _decoded(raw: bytes) -> tuple[Any, str]:
    """Return the value of a line, and why there is none."""
    if len(raw) > MAXIMUM_LINE_BYTES:
        return None, _TOO_LONG
    try:
        text = raw.decode("utf-8").strip(_WHITESPACE)
        value, end = _DECODER.raw_decode(text)
        return (
            (value, "")
            if end == len(text)
            else (None, f"not JSON: more after the value, at column {end + 1}")
        )
    except (ValueError, RecursionError) as error:
        return None, _reason(raw, error)


def _reason(raw: bytes, error: ValueError | RecursionError) -> str:
    match error:
        case UnicodeDecodeError() if raw.startswith(_UTF16_MARKS):
            return "the file is UTF-16; save it as UTF-8"
        case UnicodeDecodeError():
            return f"not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8"
        case json.JSONDecodeError():
            return f"not JSON: {error.msg} at column {error.colno}"
        case _RepeatedKeyError():
            return str(error)
        case RecursionError():
            return "not JSON: nested too deeply"
        case _:
            return "not JSON: a number with too many digits"
