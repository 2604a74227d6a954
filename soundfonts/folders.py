"""The folders in which soundfonts are looked for, kept, and remembered."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from listenbench.errors import SpecError

PATH_VARIABLE: Final = "LISTENBENCH_SOUNDFONTS"
"""Environment variable with folders and soundfont files, separated as in PATH, that come first."""

CACHE_VARIABLE: Final = "LISTENBENCH_CACHE"
"""Environment variable with the folder for what can be computed again."""

SYSTEM_FOLDERS: Final = tuple(
    Path(prefix) / folder
    for prefix in (
        "/usr/share",
        "/usr/local/share",
        "/opt/homebrew/share",
        "/home/linuxbrew/.linuxbrew/share",
    )
    for folder in ("sounds/sf2", "sounds/sf3", "soundfonts")
)
"""Where Debian, Fedora, Arch and Homebrew put soundfonts."""


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user's folder for soundfonts, which `listenbench soundfonts fetch` fills.

    References
    ----------
    .. [1] XDG Base Directory Specification 0.8, freedesktop.org: relative paths are to be ignored.
    """
    fallback = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return _base("XDG_DATA_HOME", fallback, environment) / "listenbench" / "soundfonts"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user's folder for what can be computed again."""
    chosen = environment.get(CACHE_VARIABLE, "")
    if chosen:
        return Path(chosen).expanduser()
    fallback = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return _base("XDG_CACHE_HOME", fallback, environment) / "listenbench"


def named_places(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the folders and files that the user's environment names, in order.

    Raises
    ------
    SpecError
        If one of them does not exist: going on without it would mean another soundfont, unnoticed.
    """
    texts = (text for text in environment.get(PATH_VARIABLE, "").split(os.pathsep) if text)
    places = tuple(Path(text).expanduser() for text in texts)
    for place in places:
        if not place.exists():
            raise SpecError(
                f"{PATH_VARIABLE} names {place}, which does not exist: correct the variable or unset it"
            )
    return places


def wheel_folder(python_package: str) -> Path | None:
    """Return the folder of an installed Python package, without importing it."""
    spec = find_spec(python_package)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


def _base(variable: str, fallback: str, environment: Mapping[str, str]) -> Path:
    path = Path(environment.get(variable, ""))
    return path if path.is_absolute() else Path.home() / fallback
