"""SHA-256 of large files, remembered between runs."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from listenbench.errors import RenderError
from listenbench.soundfonts.folders import cache_folder
from listenbench.whole_files import write_whole

SMALLEST_REMEMBERED: Final = 1 << 20
"""Bytes below which hashing again is as fast as looking it up.

It also keeps files out that can be written and hashed within one tick of the file system's clock, for
which equal times don't mean equal content.
"""


def sha256_of(path: Path, cache: Path | None = None) -> str:
    """Return a file's SHA-256 in hexadecimal.

    Parameters
    ----------
    path : Path
        The file.
    cache : Path, optional
        Folder for remembered hashes; by default the user's cache folder. A hash is taken from there only
        if path, device, inode, size and both times of the file are what they were. A cache that can't be
        read or written is left alone.

    Raises
    ------
    RenderError
        If the file can't be read, or changes while it is read.
    """
    folder = cache or cache_folder() / "sha256"
    path = path.absolute()
    record = folder / (hashlib.sha256(os.fsencode(path)).hexdigest() + ".json")
    try:
        identity = _identity(path)
        remembered = _recall(record, identity)
        if remembered is not None:
            return remembered
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if _identity(path) != identity:
            raise RenderError(f"{path}: the file changed while it was read; try again when it is complete")
    except OSError as error:
        raise RenderError(f"{path}: can't read this file: {error.strerror}") from None
    if identity["size"] >= SMALLEST_REMEMBERED:
        _remember(record, identity | {"sha256": digest})
    return digest


def _identity(path: Path) -> dict[str, Any]:
    status = path.stat()
    return {
        "path": str(path),
        "device": status.st_dev,
        "inode": status.st_ino,
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
    }


def _recall(record: Path, identity: dict[str, Any]) -> str | None:
    try:
        stored = json.loads(record.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    digest = stored.get("sha256") if isinstance(stored, dict) else None
    return digest if isinstance(digest, str) and stored == identity | {"sha256": digest} else None


def _remember(record: Path, content: dict[str, Any]) -> None:
    """Write the record whole or not at all; a machine without a writable cache only hashes again."""
    with contextlib.suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        write_whole(record, json.dumps(content).encode())
