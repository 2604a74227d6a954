"""The forms of a leaderboard: a page of HTML, Markdown, and comma-separated values."""

from __future__ import annotations

from html import escape
from types import MappingProxyType
from typing import Final

from listenbench._version import __version__
from listenbench.scoring.leaderboard import FIGURES, REQUIRED, Leaderboard, ranks
from listenbench.scoring.report import csv_cells
from listenbench.scoring.tables import Table, as_csv, as_markdown

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: 0 0 2rem; width: 100%; }
caption { font-weight: bold; padding: 0.5rem 0; text-align: left; }
th, td { border-bottom: 1px solid GrayText; padding: 0.3rem 0.6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
"""


def as_page(board: Leaderboard) -> str:
    """Return a self-contained HTML page; names come from the submissions and are escaped."""
    title = escape(f"Leaderboard: {board.key.name}")
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
        f"<p>{escape(_facts(board))}</p>",
        *map(_html_table, board.tables()),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _html_table(table: Table) -> str:
    title = escape(table.title)
    header = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.header)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    note = f"\n<p>{escape(table.note)}</p>" if table.note else ""
    return (
        f'<div role="region" aria-label="{title}" tabindex="0">\n<table>\n<caption>{title}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>{note}"
    )


def as_document(board: Leaderboard) -> str:
    """Return Markdown."""
    return "\n\n".join([f"# {_facts(board)}", *map(as_markdown, board.tables())]) + "\n"


def as_values(board: Leaderboard) -> str:
    """Return one row a submission, with the name of its table first and the ends of intervals apart."""
    figures = tuple(f"{name}{part}" for name in FIGURES for part in ("", "_low", "_high", "_is_chance"))
    header = ("table", "rank", *REQUIRED, *figures, "missing", "invalid")
    parts = (("zero-shot", board.zero_shot), ("trained", board.trained), ("reference", board.reference))
    rows = [
        (
            name,
            rank,
            *(entry.meta[field] for field in REQUIRED),
            *(cell for figure in FIGURES for cell in csv_cells(entry.group.figures[figure])),
            *(str(entry.group.totals[count]) for count in ("missing", "invalid")),
        )
        for name, entries in parts
        for entry, rank in zip(entries, ranks(entries), strict=True)
    ]
    return as_csv(header, rows) + "\n"


def _facts(board: Leaderboard) -> str:
    fingerprint = f", fingerprint {board.key.fingerprint[:16]}" if board.key.fingerprint else ""
    return f"{board.key.name}: {len(board.key.rows)} files{fingerprint}; listenbench {__version__}"


FORMS: Final = MappingProxyType({".html": as_page, ".md": as_document, ".csv": as_values})
"""The forms by the ending of the file's name."""
