"""The replies of an unfinished run, written as they arrive, so that a resumed run asks nothing twice.

The file lies beside the predictions, has their form, and is renamed when it is whole. A line that was cut off
by a crash is dropped. One run at a time may write it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from listenbench.errors import DataError
from listenbench.scoring.jsonlines import read_json_lines
from listenbench.whole_files import write_whole

SUFFIX: Final = ".part"
"""What an unfinished predictions file has at the end of its name."""

# Half of a surrogate pair, which a model may generate, has no form in UTF-8, but one in JSON: this.
_ESCAPED: Final = "backslashreplace"


class Journal:
    """Replies by id, on disk as soon as they are added.

    Parameters
    ----------
    target : Path
        The predictions file that is to come.
    identity : mapping
        What a resumed run has to share with the one that began the file.
    known : mapping of str to mapping
        Replies of an earlier run of the same identity.

    Raises
    ------
    DataError
        If the file can't be written, is in use, or belongs to a run with other settings.
    """

    def __init__(
        self, target: Path, identity: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self.path = target.with_name(target.name + SUFFIX)
        self.lines: dict[str, Mapping[str, Any]] = dict(known)
        self.meta: dict[str, Any] = dict(identity)
        self._target = target
        try:
            self._file = self.path.open("a", encoding="utf-8", errors=_ESCAPED)
        except OSError as error:
            raise DataError(f"{self.path}: can't write this file: {error.strerror}") from None
        try:
            self._lock()
            self._resume(identity)
        except DataError:
            self._file.close()
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataError(f"{self.path}: another run is writing this file") from None

    def _resume(self, identity: Mapping[str, Any]) -> None:
        content = self.path.read_bytes()
        os.truncate(self.path, content.rfind(b"\n") + 1)
        entries = [value for _, value, reason in read_json_lines(self.path) if not reason]
        if not entries:
            return
        meta = entries[0].get("meta", {})
        check_identity(self.path, meta, identity, f"delete it, or name another file than {self._target}")
        self.meta.update(meta)
        self.lines.update({line["id"]: line for line in entries[1:]})

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; where nothing was written, remove it."""
        with suppress(OSError):  # what can't be written was reported when it was added
            self._file.close()
        if self.path.exists() and not self.path.stat().st_size:
            self.path.unlink()

    def add(self, line: Mapping[str, Any]) -> None:
        """Write a reply.

        Raises
        ------
        DataError
            If the file can't be written.
        """
        if not self.path.stat().st_size:
            self._write({"meta": self.meta})
        self._write(line)
        self.lines[line["id"]] = line

    def _write(self, value: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise DataError(f"{self.path}: can't write this file: {error.strerror}") from None

    def finish(self, meta: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]) -> None:
        """Write the predictions file, whole, and remove the unfinished one.

        Raises
        ------
        DataError
            If the file can't be written.
        """
        text = "".join(
            json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in _all(meta, lines)
        )
        try:
            write_whole(self._target, text.encode("utf-8", _ESCAPED), durable=True)
        except OSError as error:
            raise DataError(f"{self._target}: can't write the predictions: {error.strerror}") from None
        self.path.unlink()


def _all(meta: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    yield {"meta": meta}
    yield from lines


def finished_lines(target: Path, identity: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the replies in a predictions file of the same run, without those that are missing.

    Raises
    ------
    DataError
        If the file is of a run with other settings.
    """
    if not target.exists():
        return {}
    entries = [
        value for _, value, reason in read_json_lines(target) if not reason and isinstance(value, dict)
    ]
    meta = entries[0].get("meta", {}) if entries else {}
    check_identity(
        target, meta, identity, "name another file with --out, or replace this one with --overwrite"
    )
    return {line["id"]: line for line in entries[1:] if line.get("text", line.get("logprobs")) is not None}


def check_identity(path: Path, meta: Mapping[str, Any], identity: Mapping[str, Any], advice: str) -> None:
    """Refuse a file of another run.

    Raises
    ------
    DataError
        Naming the first setting that differs, and what to do.
    """
    for name, value in identity.items():
        if meta.get(name) != value:
            raise DataError(
                f"{path}: it belongs to a run with {name} {meta.get(name)!r}, and this one has "
                f"{value!r}: {advice}"
            )
