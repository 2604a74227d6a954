"""The page of items: a list of them all, and one script an item, which the page loads when the item is seen.

Everything an item shows comes as a script rather than as data, since a page opened from a file may load
scripts and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from listenbench.compose.accompaniment import TEXTURES
from listenbench.dataset import Row
from listenbench.display import Line, answer_text, edit_text, item_lines
from listenbench.errors import DataError
from listenbench.items import Item, Variant
from listenbench.tasks import TASKS
from listenbench.web.item_index import (
    CONDITIONS,
    ItemIndex,
    ListedItem,
    ListedRecording,
    StoredItem,
    in_order,
    rungs_in_order,
)
from listenbench.web.pages import page
from listenbench.web.piano_roll import HEIGHT as ROLL_HEIGHT
from listenbench.web.piano_roll import PianoRoll, piano_rolls
from listenbench.web.sound_picture import SPECTROGRAM_ROWS, WAVEFORM_ROWS, WIDTH

PICTURE_ROWS: Final = WAVEFORM_ROWS + SPECTROGRAM_ROWS
"""Rows of the picture of a recording."""

_OWN_LINES: Final = ("edit", "answer")
"""Lines of an item's table that the page shows beside each recording instead."""

_FINGERPRINT_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Column:
    """What the page shows of one recording.

    Attributes
    ----------
    id, condition, factor : str
        As in the list.
    seconds : float
        Its length.
    a_ends, b_starts : float
        End of clip A and start of clip B, in seconds.
    roll : PianoRoll or None
        The music; None where answers are left out.
    answer, edit : str
        The right letter with its meaning, and how clip B's music differs; empty where answers are left out.
    parameters : tuple of (str, str)
        How the recording was made, in names and values.
    """

    id: str
    condition: str
    factor: str
    seconds: float
    a_ends: float
    b_starts: float
    roll: PianoRoll | None
    answer: str
    edit: str
    parameters: tuple[tuple[str, str], ...]


def index_page(index: ItemIndex, *, answers: bool) -> str:
    """Return the page that lists the items.

    Parameters
    ----------
    index : ItemIndex
        The data set.
    answers : bool
        Whether the page can show answers, and the music they could be read from.
    """
    listing = _listing(index.items)
    heading = _heading(index)
    return page("browse.html", answers=answers, filters=_filters(index.items), listing=listing, **heading)


def page_without_items() -> str:
    """Return the page with nothing from a data set in it, only what is our own."""
    return page("browse.html", answers=True, filters=[], listing={}, name="", facts=[])


def item_script(index: ItemIndex, number: int, *, answers: bool) -> str:
    """Return the script that hands an item to the page.

    An item whose rows are damaged says so in its place.

    Parameters
    ----------
    index : ItemIndex
        The data set.
    number : int
        The item's place in the index.
    answers : bool
        Whether answers, and the music they could be read from, are in it.
    """
    return f"listenbench.receive({number}, {json.dumps(item_html(index, number, answers=answers))});\n"


def item_html(index: ItemIndex, number: int, *, answers: bool) -> str:
    """Return what the page shows of an item, as HTML."""
    listed = index.items[number]
    try:
        stored = index.read(number)
        columns = _columns(stored, listed.recordings, answers=answers)
    except DataError as error:
        return page("browse_item.html", problem=str(error))
    item = stored.item
    return page(
        "browse_item.html",
        problem="",
        answers=answers,
        item=item,
        columns=columns,
        suffix=index.suffix,
        choices=[*zip("AB", item.choices, strict=False)],
        heads=["clip A", *(f"clip B, {column.condition}" for column in columns)],
        lines=_table(item) if answers else [],
        material=[(name, _plain(value)) for name, value in item.material.items()],
        picture={"width": WIDTH, "height": PICTURE_ROWS},
        octaves=_octaves(),
        roll_height=ROLL_HEIGHT,
    )


def _heading(index: ItemIndex) -> dict[str, Any]:
    """Return the name of a data set, and what else stands at the head of the page."""
    described = index.description
    name = str(described.get("name", index.folder.name))
    facts = [f"{len(index.items):,} items", f"{index.recordings:,} recordings"]
    if "seed" in described:
        facts.insert(0, f"seed {described['seed']}")
    if "fingerprint" in described:
        facts.append(f"fingerprint {str(described['fingerprint'])[:_FINGERPRINT_DIGITS]}")
    return {"name": name, "facts": facts}


def _filters(items: Sequence[ListedItem]) -> list[dict[str, Any]]:
    """Return the filters, each with the values that occur, in the order of a listener's questions."""
    factors = {recording.factor for item in items for recording in item.recordings} - {""}
    conditions = {recording.condition for item in items for recording in item.recordings}
    values = {
        "task": in_order({item.task for item in items}, [*TASKS]),
        "rung": rungs_in_order(items),
        "condition": in_order(conditions, CONDITIONS),
        "factor": sorted(factors),
        "texture": in_order({item.texture for item in items}, TEXTURES),
    }
    return [{"name": name, "values": occurring} for name, occurring in values.items()]


def _listing(items: Sequence[ListedItem]) -> dict[str, Any]:
    """Return what the page needs of all items in order to filter them, briefly."""
    return {
        "items": [
            [
                item.name,
                item.task,
                item.rung,
                item.texture,
                [_brief(recording) for recording in item.recordings],
            ]
            for item in items
        ]
    }


def _brief(recording: ListedRecording) -> list[str]:
    return [recording.id, recording.condition, recording.factor]


def _columns(stored: StoredItem, listed: Sequence[ListedRecording], *, answers: bool) -> list[Column]:
    item = stored.item
    rolls: Sequence[PianoRoll | None] = (
        piano_rolls(item, listed[0].seconds) if answers else [None] * len(listed)
    )
    return [
        _column(item, variant, recording, roll, stored.rows[recording.id])
        for variant, recording, roll in zip(item.variants, listed, rolls, strict=True)
    ]


def _column(
    item: Item, variant: Variant, recording: ListedRecording, roll: PianoRoll | None, row: Row
) -> Column:
    return Column(
        id=recording.id,
        condition=recording.condition,
        factor=recording.factor,
        seconds=recording.seconds,
        a_ends=min(item.clip_a.clip.window, recording.seconds),
        b_starts=max(0.0, recording.seconds - variant.clip_b.clip.window),
        roll=roll,
        answer=answer_text(item, variant) if roll else "",
        edit=_edit(item, variant) if roll else "",
        parameters=tuple(_parameters(variant, row)) if roll else (),
    )


def _edit(item: Item, variant: Variant) -> str:
    return edit_text(item, variant) if variant.difference else "not edited"


def _table(item: Item) -> list[Line]:
    return [line for line in item_lines(item, item.variants) if line.label not in _OWN_LINES]


def _parameters(variant: Variant, row: Row) -> Iterator[tuple[str, str]]:
    """Yield how a recording was made and what was measured on it."""
    for change in variant.clip_b.changes:
        for name, value in change.parameters.items():
            yield f"{change.effect}: {name}", _plain(value)
    for name in ("id", "relation", "samples", "peaks_dbfs", "sha256"):
        if name in row:
            yield name, _plain(row[name])


def _plain(value: Any) -> str:
    """Return a value as a reader takes it in: numbers in short, lists in one line."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    return str(value) if str(value) else "none"


def _octaves() -> list[tuple[float, str]]:
    """Return the lines over the spectrogram: rows from the top of the picture, and what they stand for."""
    octaves = range(1, SPECTROGRAM_ROWS // 12, 2)
    return [(PICTURE_ROWS - 12 * octave - 0.5, f"A{octave + 1}") for octave in octaves]
