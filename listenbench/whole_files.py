"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file under a temporary name beside its place, then rename it: what was there stays until then.

    Parameters
    ----------
    path : Path
        The file.
    content : bytes
        All of it.
    durable : bool
        Whether to wait until content and name are on disk.

    Raises
    ------
    OSError
        If it can't be written; nothing is left of the temporary file.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
        if durable:
            _sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _sync_folder(folder: Path) -> None:
    """Wait until a new name is on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
