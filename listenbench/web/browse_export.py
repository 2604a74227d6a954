"""The page of items as static files, for any web server or for the disk.

index.html           the page
items/<n>.js         what it shows of an item
pictures/<id>.png    waveform and spectrogram
audio/<id>.<format>  the recordings
export.json          what was exported; also the sign that the folder may be replaced by another export
"""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from listenbench.audio import read_audio
from listenbench.dataset import recording_name
from listenbench.errors import DataError
from listenbench.web.browse_page import index_page, item_script
from listenbench.web.item_index import ItemIndex
from listenbench.web.sound_picture import sound_picture
from listenbench.workplace import Workplace, absolute, is_empty_folder, workplace

FORMAT: Final = "listenbench-browse-1"
"""Version of the layout of an export."""

_DESCRIPTION: Final = "export.json"
_ITEMS: Final = "items"
_PICTURES: Final = "pictures"
_IDENTITY: Final = "browse-export"


@dataclass(frozen=True, slots=True)
class Export:
    """What was exported.

    Attributes
    ----------
    folder : str
        Where it is.
    items, recordings : int
        How many.
    answers : bool
        Whether answers, edits and notes are in it.
    bytes : int
        Size of all files together.
    """

    folder: str
    items: int
    recordings: int
    answers: bool
    bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def to_text(self) -> str:
        """Return a line for people."""
        kind = "with answers" if self.answers else "without answers"
        return (
            f"{self.folder}: {self.items:,} items, {self.recordings:,} recordings, {kind}, "
            f"{self.bytes:,} bytes"
        )


def export(index: ItemIndex, target: Path, *, answers: bool) -> Export:
    """Write the page of items as static files; shows progress on standard error.

    Parameters
    ----------
    index : ItemIndex
        The data set.
    target : Path
        Folder to make. An earlier export there is replaced when the new one is whole; anything else is
        left alone.
    answers : bool
        Whether answers, edits and notes are to be in it.

    Raises
    ------
    DataError
        If the folder holds something else, nothing can be written there, or a recording is
        missing or damaged.
    """
    _check_replaceable(index.folder, target)
    with workplace(target, _IDENTITY, "--export") as place:
        # What an earlier run has left may be with answers.
        place.discard()
        place.prepare()
        try:
            size = _write_files(index, place, answers=answers)
            place.publish()
        except OSError as error:
            raise DataError(f"{target}: can't write the export: {error.strerror or error}") from None
    return Export(str(target), len(index.items), index.recordings, answers, size)


def _check_replaceable(data: Path, target: Path) -> None:
    here, there = data.resolve(), absolute(target).resolve()
    if here == there or here in there.parents or there in here.parents:
        raise DataError(
            f"{target}: neither in the data set nor around it may an export lie: give another folder"
        )
    if not target.exists() or is_empty_folder(target):
        return
    try:
        known = json.loads((target / _DESCRIPTION).read_text("utf-8")).get("format") == FORMAT
    except (OSError, ValueError, AttributeError, RecursionError):
        known = False
    if not known:
        raise DataError(f"{target}: there is something else, which is left alone: give another folder")


def _write_files(index: ItemIndex, place: Workplace, *, answers: bool) -> int:
    """Write all files and return their size in bytes."""
    for name in (_ITEMS, _PICTURES):
        (place.data / name).mkdir()
    description = {
        "format": FORMAT,
        "name": index.description.get("name"),
        "fingerprint": index.description.get("fingerprint"),
        "items": len(index.items),
        "recordings": index.recordings,
        "answers": answers,
    }
    size = _write_text(place.data / _DESCRIPTION, json.dumps(description, indent=2) + "\n")
    size += _write_text(place.data / "index.html", index_page(index, answers=answers))
    pool = ThreadPoolExecutor()
    try:
        sizes = pool.map(partial(_write_item, index, place.data, answers), range(len(index.items)))
        written: int = sum(tqdm(sizes, "export", len(index.items), unit="item", disable=None))
        return size + written
    finally:
        pool.shutdown(cancel_futures=True)


def _write_item(index: ItemIndex, folder: Path, answers: bool, number: int) -> int:
    """Write the script of an item, its recordings and their pictures; return their size in bytes."""
    script = folder / _ITEMS / f"{number}.js"
    size = _write_text(script, item_script(index, number, answers=answers))
    for recording in index.items[number].recordings:
        source = index.recording_path(recording.id)
        if source is None:
            raise DataError(f"{index.folder}: recording {recording.id} is missing: the data set is damaged")
        picture = sound_picture(read_audio(source))
        size += (folder / _PICTURES / f"{recording.id}.png").write_bytes(picture)
        copy = folder / recording_name(recording.id, index.suffix)
        shutil.copyfile(source, copy)
        size += copy.stat().st_size
    return size


def _write_text(path: Path, text: str) -> int:
    """Write a text, in which a question mark takes the place of what UTF-8 can't carry; return its size."""
    return path.write_bytes(text.encode("utf-8", "replace"))
