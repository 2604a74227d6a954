"""The predictions file of a listening test: each answer is on disk before the listener sees what comes next.

The sessions hold every answer, and the file is what they come to, line by line in the order of the answers.
A file that lacks the end (the process was killed, the disk was full) is completed; one that says anything
else is somebody else's, and is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from listenbench.dataset import json_line
from listenbench.errors import DataError
from listenbench.web.listening.store import Answer
from listenbench.whole_files import write_whole


def meta_line(meta: Mapping[str, Any]) -> str:
    """Return the first line."""
    return json_line({"meta": meta})


def answer_line(answer: Answer) -> str:
    """Return the line of an answer, as the scorer reads it, with how it came about."""
    trial = answer.trial
    return json_line(
        {
            "id": trial.material,
            "answer": trial.answer,
            "listener": answer.code,
            "place": trial.place + 1,
            "seconds": trial.seconds,
            "replays": max(0, trial.plays - 1),
            "heard_before": trial.heard_before,
            "headphones": answer.headphones,
        }
    )


class AnswersFile:
    """The open predictions file.

    Parameters
    ----------
    path : Path
        The file.
    lines : iterable of str
        All lines that it should have.

    Raises
    ------
    DataError
        If it holds anything else, or can't be written.
    """

    def __init__(self, path: Path, lines: Iterable[str]) -> None:
        self._path = path
        content = "".join(lines).encode()
        try:
            there = path.read_bytes() if path.exists() else b""
            if not content.startswith(there):
                raise DataError(
                    f"{path}: it has other lines than the sessions beside it: move it away, or give "
                    "another --out"
                )
            if there != content:
                write_whole(path, content, durable=True)
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND)
            self._size = len(content)
        except OSError as error:
            raise DataError(f"{path}: can't write the predictions: {error.strerror}") from None

    def append(self, lines: Iterable[str]) -> None:
        """Add whole lines and wait until they are on disk; without room for them, add nothing.

        Raises
        ------
        OSError
            If they can't be written.
        """
        data = "".join(lines).encode()
        try:
            written = 0
            while written < len(data):
                written += os.write(self._handle, data[written:])
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise
        self._size += len(data)

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)
