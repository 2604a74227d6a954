"""The source code that is at work, as one number."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("listenbench", "listenbench.effects", "listenbench.soundfonts", "listenbench.splits")
"""Packages whose code decides what is recorded; within a checkout they lie in folders of their own."""


def source_digest() -> str:
    """Return the SHA-256 over all Python files that decide what is recorded.

    Work that was begun by other code of the same version, as happens in development, must not be gone on
    with: the data set would be one that no code makes.
    """
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for folder in _folders(package):
            for path in sorted(folder.rglob("*.py")):
                name = path.relative_to(folder).as_posix()
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{package} {name} {content}\n".encode())
    return digest.hexdigest()


def _folders(package: str) -> list[Path]:
    spec = find_spec(package)
    locations = spec.submodule_search_locations if spec is not None else None
    return [Path(location) for location in locations or ()]
