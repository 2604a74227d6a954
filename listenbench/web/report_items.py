"""The worst items of a report: what was asked and answered, with the recordings in the page."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from listenbench.audio import SAMPLE_RATE, read_samples
from listenbench.dataset import Row, read_description, recording_path
from listenbench.display import changes_text, edit_text, rung_text
from listenbench.items import Item, Variant
from listenbench.scoring.answers import LETTERS
from listenbench.scoring.hardest import AnsweredFile, HardItem
from listenbench.stored_items import items_with
from listenbench.tasks import get_task

MAXIMUM_AUDIO_BYTES: Final = 16_000_000
"""FLAC in one page, at most; items beyond it are left out."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One recording of an item.

    Attributes
    ----------
    file : AnsweredFile
        The file with all answers.
    choice : str
        What the right letter means.
    change : str
        What was done to clip B: the edit, or the sound change.
    flac : bytes
        The recording.
    """

    file: AnsweredFile
    choice: str
    change: str
    flac: bytes

    @property
    def address(self) -> str:
        """The recording as the address of an audio element."""
        return f"data:audio/flac;base64,{base64.b64encode(self.flac).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class WorstItem:
    """An item with wrong answers, to be listened to.

    Attributes
    ----------
    name, rung, texture, question : str
        Of the item.
    hard : HardItem
        Its wrong answers.
    recordings : tuple of Heard
        Its files.
    """

    name: str
    rung: str
    texture: str
    question: str
    hard: HardItem
    recordings: tuple[Heard, ...]


def worst_items(folder: Path, hard_items: Sequence[HardItem]) -> Iterator[WorstItem]:
    """Yield the items with their recordings, until there is `MAXIMUM_AUDIO_BYTES` of sound.

    Raises
    ------
    DataError
        If the data set lacks an item or a recording, or has a damaged one.
    """
    ids = {file.id for item in hard_items for file in item.files}
    items = items_with(folder, ids) if ids else {}
    description, size = read_description(folder), 0
    for hard in hard_items:
        found = _worst_item(folder, description, hard, items[hard.files[0].id])
        size += sum(len(recording.flac) for recording in found.recordings)
        if size > MAXIMUM_AUDIO_BYTES:
            return
        yield found


def _worst_item(folder: Path, description: Row, hard: HardItem, item: Item) -> WorstItem:
    variants = {variant.id: variant for variant in item.variants}
    return WorstItem(
        name=item.name,
        rung=rung_text(item.rung, get_task(item.task).unit),
        texture=item.texture,
        question=item.question,
        hard=hard,
        recordings=tuple(
            Heard(
                file,
                item.choices[LETTERS.index(file.answer)],
                _change(item, variants[file.id]),
                flac(recording_path(folder, description, file.id)),
            )
            for file in hard.files
        ),
    )


def _change(item: Item, variant: Variant) -> str:
    """Return how clip B came about, as far as it explains the condition."""
    texts = (edit_text(item, variant), changes_text(variant.clip_b))
    return ", ".join(text for text in texts if text != "none") or "the same music"


def flac(path: Path) -> bytes:
    """Return a recording as FLAC, sample by sample the same at about half the size.

    Raises
    ------
    DataError
        If the recording is missing or damaged.
    """
    import soundfile

    buffer = BytesIO()
    soundfile.write(buffer, read_samples(path), SAMPLE_RATE, format="FLAC", subtype="PCM_16")
    return buffer.getvalue()
