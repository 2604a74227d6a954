"""A page read back: its tables as texts, and all of its elements."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "hr"}
Attributes = dict[str, str | None]


class PageReader(HTMLParser):
    """Collects the tables of a page by id, and its elements with their attributes.

    Attributes
    ----------
    tables : dict of str to list of list of str
        Texts of the cells, header first.
    elements : list of (str, dict)
        Tag and attributes.
    texts : list of str
        All texts outside of scripts and styles.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.elements: list[tuple[str, Attributes]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self._table: list[list[str]] | None = None
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self._table = self.tables[str(attributes["id"])] = []
        elif tag == "tr" and self._table is not None:
            self._table.append([])
        elif tag in ("th", "td") and self._table is not None:
            self._table[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "table":
            self._table = None

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("script", "style"):
            return
        self.texts.append(data)
        if self._table and self._table[-1] and {"th", "td"} & set(self._open):
            self._table[-1][-1] = " ".join(f"{self._table[-1][-1]} {data}".split())

    @property
    def text(self) -> str:
        """All texts, with single spaces."""
        return " ".join(" ".join(self.texts).split())

    def body(self, table: str) -> list[list[str]]:
        """Return the rows of a table below its header."""
        return self.tables[table][1:]

    def attributes(self, tag: str) -> list[Attributes]:
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]
