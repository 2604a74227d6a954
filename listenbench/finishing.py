"""The last steps of a data set: its tables, its description, its place."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from listenbench import fluidsynth
from listenbench.audio import encoder_versions
from listenbench.croissant import write_croissant
from listenbench.dataset import (
    DESCRIPTION,
    FORMAT,
    MANIFEST,
    Row,
    fingerprint,
    read_rows,
    write_description,
)
from listenbench.journal import Entry
from listenbench.request import Request
from listenbench.self_report import self_report
from listenbench.tables import Totals, write_tables
from listenbench.workplace import Workplace

TIME_OF_FILES: Final = 315_532_800
"""Seconds of 1980-01-01, the earliest time that zip archives can keep: that of every file of a data set."""

_RECORDED_PACKAGES: Final = (
    "listenbench",
    "numpy",
    "pedalboard",
    "pyloudnorm",
    "pyroomacoustics",
    "scipy",
)


def versions(audio_format: str) -> Row:
    """Return the versions of everything that the bytes of a recording come from."""
    packages = {name: metadata.version(name) for name in _RECORDED_PACKAGES}
    programs = {"python": platform.python_version(), "fluidsynth": fluidsynth.version()}
    return {**programs, **packages, **encoder_versions(audio_format)}


def finish(
    place: Workplace,
    request: Request,
    origin: Mapping[str, Any],
    entries: Iterable[Entry],
    deliver: Callable[[Workplace], None] = Workplace.publish,
) -> None:
    """Complete a data set whose recordings are all there, and put it in its place.

    Parameters
    ----------
    place : Workplace
        Holds the recordings.
    request : Request
        What was asked for.
    origin : mapping
        What the bytes come from beside the request: `soundfonts` and `versions`.
    entries : iterable of Entry
        All recordings in the order of their ids.
    deliver : callable
        Puts the data set in its place and removes the workplace.

    Raises
    ------
    OSError
        If something can't be written.
    """
    totals = write_tables(place.data, entries)
    write_description(place.data / DESCRIPTION, _description(request, origin, totals, place.data))
    hide_times(place.data)
    deliver(place)


def _description(request: Request, origin: Mapping[str, Any], totals: Totals, folder: Path) -> Row:
    return {
        "format": FORMAT,
        "name": request.split.name,
        **request.to_dict(),
        "counts": {
            "recordings": totals.recordings,
            "items": request.items,
            "distinct_recordings": totals.distinct_recordings,
            "by_condition": dict.fromkeys(request.split.variants, request.items),
        },
        "self_report": self_report(read_rows(folder / MANIFEST)),
        "soundfonts": origin["soundfonts"],
        "versions": origin["versions"],
        "croissant": write_croissant(folder, request.split, request.audio_format),
        "fingerprint": fingerprint(folder),
    }


def hide_times(folder: Path) -> None:
    """Give every file the same time of modification: their order would tell which of them make an item."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            os.utime(path, (TIME_OF_FILES, TIME_OF_FILES))
