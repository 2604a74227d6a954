"""Items read back from a data set on disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from listenbench.dataset import GOLD, MANIFEST, METADATA, Row, read_description, read_rows
from listenbench.edits import Edit
from listenbench.errors import DataError, ListenbenchError
from listenbench.items import Change, Item, Performance, Variant
from listenbench.music import Clip
from listenbench.takes import Take


def find_item(folder: str | Path, name: str) -> Item:
    """Return an item of a data set, with those of its variants that the data set has.

    Parameters
    ----------
    folder : str or Path
        The data set.
    name : str
        Name of the item, for example 'melody-000012', or the id of one of its files.

    Raises
    ------
    DataError
        If the folder holds no data set, the data set no such item, or the item's rows are damaged.
    """
    path = Path(folder)
    read_description(path)
    rows = list(read_rows(path / MANIFEST))
    wanted = {row.get("item") for row in rows if name in (row.get("item"), row.get("id"))}
    if not wanted:
        example = rows[0].get("item") if rows else "none"
        raise DataError(f"{path}: no item and no file is called {name!r}; a name that there is: {example}")
    found = [row for row in rows if row.get("item") in wanted]
    ids = {row.get("id") for row in found}
    questions = {row["id"]: row.get("question") for row in read_rows(path / METADATA) if row.get("id") in ids}
    return item_of_rows(path, found, questions)


def items_with(folder: str | Path, ids: Collection[str]) -> dict[str, Item]:
    """Return the items that some files belong to, by the ids of these files; the tables are read once.

    Parameters
    ----------
    folder : str or Path
        The data set.
    ids : collection of str
        Ids of files.

    Raises
    ------
    DataError
        If the folder holds no data set, the data set no such file, or an item's rows are damaged.
    """
    path = Path(folder)
    read_description(path)
    rows: dict[Any, list[Row]] = {}
    for row in read_rows(path / MANIFEST):
        if row.get("id") in ids:
            rows.setdefault(row.get("item"), []).append(row)
    missing = set(ids) - {row["id"] for found in rows.values() for row in found}
    if missing:
        raise DataError(f"{path / MANIFEST}: it has no file {min(missing)!r}, which {GOLD} has")
    questions = {row["id"]: row.get("question") for row in read_rows(path / METADATA) if row.get("id") in ids}
    return {row["id"]: item_of_rows(path, found, questions) for found in rows.values() for row in found}


def item_of_rows(folder: Path, rows: Sequence[Row], questions: Mapping[str, Any]) -> Item:
    """Return the item that some rows of the manifest describe.

    Parameters
    ----------
    folder : Path
        The data set, for messages.
    rows : sequence of mapping
        All rows of the item, in any order.
    questions : mapping of str to str
        Question of each id.

    Raises
    ------
    DataError
        If the rows are damaged.
    """
    try:
        return _item(rows, questions)
    except (AttributeError, LookupError, TypeError, ValueError, ListenbenchError) as error:
        raise DataError(
            f"{folder / MANIFEST}: the rows of item {rows[0].get('item')} are damaged: {error!r}"
        ) from None


def _item(rows: Sequence[Row], questions: Mapping[str, Any]) -> Item:
    first = rows[0]
    task, _, index = first["item"].rpartition("-")
    order = ("clean", "flip", "stay", "both")
    return Item(
        task=task,
        index=int(index),
        rung=first["rung"],
        question=str(questions[first["id"]]),
        choices=tuple(first["choices"]),
        texture=first.get("texture", "solo"),
        clip_a=_performance(first["clip_a"]),
        variants=tuple(map(_variant, sorted(rows, key=lambda row: order.index(row["condition"])))),
        content=first["content"],
        material=first["material"],
    )


def _variant(row: Row) -> Variant:
    return Variant(
        id=row["id"],
        condition=row["condition"],
        answer=row["answer"],
        relation=row["relation"],
        factor=row["factor"],
        clip_b=_performance(row["clip_b"]),
        difference=Edit.from_dict(row["difference"]) if row["difference"] else None,
    )


def _performance(data: Mapping[str, Any]) -> Performance:
    return Performance(
        clip=Clip.from_dict(data["clip"]),
        take=Take.from_dict(data["take"]),
        soundfont=data["soundfont"],
        changes=tuple(
            Change(change["effect"], dict(change["parameters"].items())) for change in data["changes"]
        ),
    )
