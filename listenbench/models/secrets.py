"""Keys of services stay in the environment: what is shown or kept of a reply or an error has none of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

HIDDEN: Final = "***"
"""What stands in the place of a key."""

_NAMES: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST: Final = 8
_LONGEST_WORD: Final = 16


def secrets_of(environment: Mapping[str, str] = os.environ, more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the values of variables that by their names hold keys, and further ones, the longest first.

    Values below 8 characters and plain words are left out: they are no keys, and might stand in an answer.
    """
    values = {*more, *(value for name, value in environment.items() if _NAMES.search(name))}
    return tuple(sorted(filter(_may_be_key, values), key=len, reverse=True))


def _may_be_key(value: str) -> bool:
    return len(value) >= (_LONGEST_WORD if value.isalpha() else _SHORTEST)


def redacted(text: str, secrets: Iterable[str] | None = None) -> str:
    """Return a text without secrets, as they are and as they stand in JSON; by default the environment's."""
    for secret in secrets_of() if secrets is None else secrets:
        text = text.replace(secret, HIDDEN).replace(json.dumps(secret)[1:-1], HIDDEN)
    return text


def redacted_value(value: Any, secrets: Iterable[str]) -> Any:
    """Return texts, bytes, and what lists, tuples and mappings hold of them, without secrets."""
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, bytes):
        return redacted(value.decode("utf-8", "surrogateescape"), secrets).encode("utf-8", "surrogateescape")
    if isinstance(value, dict):
        return {name: redacted_value(content, secrets) for name, content in value.items()}
    if isinstance(value, list):
        return [redacted_value(content, secrets) for content in value]
    if isinstance(value, tuple):
        return tuple(redacted_value(content, secrets) for content in value)
    return value


def clear_error(error: BaseException, secrets: Iterable[str]) -> None:
    """Clear an error, and those that led to it, of secrets, wherever their texts are kept."""
    for each in _chain(error):
        each.args = redacted_value(each.args, secrets)
        for name, value in [*vars(each).items()]:
            if isinstance(value, str | bytes | dict | list | tuple):
                with suppress(AttributeError):  # a property without a setter shows one of the others
                    setattr(each, name, redacted_value(value, secrets))


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            pending += [each.__cause__, each.__context__]
            yield each
