"""Tables of a page: cells with the number of a submission before their text, or a drawing below it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from listenbench.scoring.tables import Table


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, the number of the submission before it, and a drawing below."""

    text: str
    number: int | None = None
    drawn: Markup | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of a page.

    Attributes
    ----------
    name : str
        Identifies it within the page.
    title : str
        What it shows.
    header : tuple of Cell
        Heads of the columns.
    rows : tuple of tuple of Cell
        Each as long as the header; the first cells are heads of the rows.
    heads : int
        How many cells of a row are heads.
    note : str
        What stands below it.
    """

    name: str
    title: str
    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    heads: int = 1
    note: str = ""


def grid_of(name: str, table: Table) -> Grid:
    """Return a table of the scorer."""
    rows = tuple(tuple(map(Cell, row)) for row in table.rows)
    return Grid(name, table.title, tuple(map(Cell, table.header)), rows, note=table.note)
