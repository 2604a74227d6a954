"""Finding a soundfont of the catalogue on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from listenbench.errors import RenderError, SpecError
from listenbench.soundfonts.digest import sha256_of
from listenbench.soundfonts.entries import CatalogEntry, KnownFile, catalog, entry_of
from listenbench.soundfonts.folders import (
    PATH_VARIABLE,
    SYSTEM_FOLDERS,
    data_folder,
    named_places,
    wheel_folder,
)
from listenbench.soundfonts.riff import check_whole


@dataclass(frozen=True, slots=True)
class FoundSoundfont:
    """A soundfont's file on this machine.

    Attributes
    ----------
    entry : CatalogEntry
        Which soundfont it is taken for, by the name of the file.
    path : Path
        Where it was found.
    size : int
        Bytes.
    """

    entry: CatalogEntry
    path: Path
    size: int

    @property
    def resolved(self) -> Path:
        """The file behind any symbolic links."""
        return self.path.resolve()

    def sha256(self) -> str:
        """Return the file's SHA-256, remembered on disk for as long as the file stays the same.

        Raises
        ------
        RenderError
            If the file can't be read.
        """
        return sha256_of(self.resolved)

    def known_file(self) -> KnownFile | None:
        """Return which known file it is by its hash, or None if the catalogue has no such hash."""
        return self.entry.known_file(self.sha256())

    def warning(self) -> str | None:
        """Return one line that says that the file is unknown, or None for a known file."""
        if self.known_file() is not None:
            return None
        return (
            f"{self.path}: no file of {self.entry.title} that the catalogue knows has this SHA-256: "
            f"{self.sha256()}; sounds may differ from those of a known file"
        )


def find(name: str, environment: Mapping[str, str] = os.environ) -> FoundSoundfont:
    """Find a soundfont of the catalogue and check that its file is whole.

    The search goes through the folders and files that LISTENBENCH_SOUNDFONTS names, the user's data
    folder, the system's folders and, for a soundfont that comes with a Python package, that package. The
    first file counts, whatever comes later: nothing is substituted silently.

    Parameters
    ----------
    name : str
        The soundfont's name in the catalogue.
    environment : mapping
        Environment variables.

    Raises
    ------
    SpecError
        If the catalogue has no such name, or LISTENBENCH_SOUNDFONTS is wrong.
    RenderError
        If the soundfont is not on this machine (the message says how to get it), or its file is broken.
    """
    entry = entry_of(name)
    found = locate(entry, environment)
    if found is None:
        raise RenderError(
            f"soundfont {name!r} ({entry.title}) is not on this machine: get it with {entry.how_to_get()}"
        )
    check_whole(found.path)
    return found


def locate(entry: CatalogEntry, environment: Mapping[str, str] = os.environ) -> FoundSoundfont | None:
    """Return the file that `find` would take, unchecked, or None if there is none.

    Raises
    ------
    SpecError
        If LISTENBENCH_SOUNDFONTS is wrong.
    """
    for path in _candidates(entry, environment):
        if path.is_file():
            return FoundSoundfont(entry, path, path.stat().st_size)
    return None


def _candidates(entry: CatalogEntry, environment: Mapping[str, str]) -> Iterator[Path]:
    for place in named_places(environment):
        if place.is_dir():
            yield from _in_folders(entry, [place])
        else:
            _check_named_file(place)
            if place.name in entry.file_names:
                yield place
    yield from _in_folders(entry, [data_folder(environment)])
    yield from _in_folders(entry, SYSTEM_FOLDERS)
    if entry.python_package:
        folder = wheel_folder(entry.python_package)
        yield from _in_folders(entry, [folder] if folder else [])


def _in_folders(entry: CatalogEntry, folders: Sequence[Path]) -> Iterator[Path]:
    """Yield paths so that a better file name counts more than an earlier folder."""
    for name in entry.file_names:
        for folder in folders:
            yield folder / name


def _check_named_file(path: Path) -> None:
    names = [name for entry in catalog().values() for name in entry.file_names]
    if path.name not in names:
        raise SpecError(
            f"{PATH_VARIABLE} names {path}, whose file name no soundfont of the catalogue has; "
            f"file names that are looked for: {', '.join(names)}"
        )
