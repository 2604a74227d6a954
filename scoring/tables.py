"""Tables, and their forms: aligned text, Markdown, CSV and LaTeX rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_LATEX_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
_MARKDOWN_SPECIAL: Final = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#~&"})
_FORMULA_STARTS: Final = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes
    ----------
    title : str
        What it shows.
    header : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        Each as long as the header.
    note : str
        What stands below it.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def as_text(table: Table) -> str:
    """Return the table with aligned columns; all but the first are flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(table.header, *table.rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]).rstrip()

    body = [line(table.header), "  ".join("-" * width for width in widths), *map(line, table.rows)]
    return "\n".join([table.title, *body, *([table.note] if table.note else [])])


def as_markdown(table: Table) -> str:
    """Return the table in the form of GitHub Flavored Markdown, with special characters escaped."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.translate(_MARKDOWN_SPECIAL) for cell in cells)} |"

    rule = "|".join(["---", *(["---:"] * (len(table.header) - 1))])
    lines = [line(table.header), f"|{rule}|", *map(line, table.rows)]
    return "\n".join([f"**{table.title}**", "", *lines, *(["", table.note] if table.note else [])])


def as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return comma-separated values (RFC 4180, with LF).

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return stream.getvalue().rstrip("\n")


def _harmless(cell: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run; numbers stay as they are."""
    if not cell.startswith(_FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def as_latex(table: Table) -> str:
    """Return the rows of a LaTeX tabular, with the header as a comment above them."""
    lines = [" & ".join(cell.translate(_LATEX_SPECIAL) for cell in row) + r" \\" for row in table.rows]
    header = " & ".join(table.header)
    return "\n".join([f"% {table.title}", f"% {header}", *lines])
