"""The soundfont catalogue: what each soundfont is, and how to get it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, TypeVar

from listenbench.errors import SpecError

_CATALOG = "catalog.toml"
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that is known to be a soundfont of the catalogue.

    Attributes
    ----------
    sha256 : str
        64 hexadecimal digits.
    note : str
        Which file that is: maker or package, version.
    """

    sha256: str
    note: str


@dataclass(frozen=True, slots=True)
class Download:
    """Where a soundfont can be fetched from, without a package manager.

    Attributes
    ----------
    address : str
        The address of the file itself.
    host : str
        Whose address that is.
    file_name : str
        The name that the file gets.
    sha256 : str or None
        What the file has to be; None where nobody has vouched for a hash.
    """

    address: str
    host: str
    file_name: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One soundfont of the catalogue.

    Attributes
    ----------
    name : str
        What splits call it.
    title : str
        Its full name.
    licence : str
        SPDX identifier, or the licence's name where SPDX has none.
    file_names : tuple of str
        The names that its file has, the preferred one first.
    known : tuple of KnownFile
        Files that are this soundfont. Any other file of that name is used with a warning.
    debian_package : str
        The package of Debian and Ubuntu that has it, or ''.
    python_package : str
        The package in whose wheel it comes along, or ''.
    download : Download or None
        Where it can be fetched from.
    """

    name: str
    title: str
    licence: str
    file_names: tuple[str, ...]
    known: tuple[KnownFile, ...] = ()
    debian_package: str = ""
    python_package: str = ""
    download: Download | None = None

    def known_file(self, sha256: str) -> KnownFile | None:
        """Return the known file with this hash, or None if the catalogue has none."""
        return next((known for known in self.known if known.sha256 == sha256), None)

    def install_commands(self) -> Mapping[str, str]:
        """Return the commands that install it, by system: 'debian' (and Ubuntu), 'macos', 'other'."""
        if self.download is not None:
            anywhere = f"listenbench soundfonts fetch {self.name}"
        elif self.python_package:
            anywhere = f"pip install {self.python_package}"
        else:
            anywhere = ""
        debian = f"apt-get install {self.debian_package}" if self.debian_package else anywhere
        commands = {"debian": debian, "macos": anywhere, "other": anywhere}
        return MappingProxyType({system: command for system, command in commands.items() if command})

    def how_to_get(self) -> str:
        """Return half a sentence on how to install it, for error messages."""
        commands = self.install_commands()
        ways = []
        if self.debian_package:
            ways.append(f"'{commands['debian']}' (Debian, Ubuntu)")
        if "other" in commands:
            ways.append(f"'{commands['other']}'" + (" (any system)" if ways else ""))
        if not ways:
            return f"a file {self.file_names[0]} that LISTENBENCH_SOUNDFONTS names, or its folder"
        return " or ".join(ways)


@cache
def catalog() -> Mapping[str, CatalogEntry]:
    """Return the entries of the catalogue by name, in the catalogue's order.

    Raises
    ------
    SpecError
        If the catalogue is not TOML, or an entry lacks something or has something unknown.
    """
    text = (resources.files("listenbench.soundfonts") / _CATALOG).read_text("utf-8")
    return entries_in(text)


def entries_in(text: str) -> Mapping[str, CatalogEntry]:
    """Return the entries that the text of a catalogue has, by name.

    Raises
    ------
    SpecError
        As for `catalog`.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{_CATALOG}: not TOML: {error}") from None
    return MappingProxyType({name: _entry(name, table) for name, table in tables.items()})


def entry_of(name: str) -> CatalogEntry:
    """Return one entry of the catalogue.

    Raises
    ------
    SpecError
        If the catalogue has no soundfont of that name; the message lists those that it has.
    """
    entries = catalog()
    if name not in entries:
        raise SpecError(f"soundfont {name!r} is not in the catalogue; known soundfonts: {', '.join(entries)}")
    return entries[name]


def _entry(name: str, table: Any) -> CatalogEntry:
    where = f"{_CATALOG}: {name}"
    if not isinstance(table, Mapping):
        raise SpecError(f"{where}: must be a table")
    values = dict(table)
    names = values.get("file_names", ["x"])
    if not isinstance(names, list) or not names or not all(isinstance(each, str) for each in names):
        raise SpecError(f"{where}: file_names must be a list of names in brackets, not empty")
    known = values.get("known", [])
    if not isinstance(known, list):
        raise SpecError(f"{where}: known must be tables, each under [[{name}.known]]")
    if "file_names" in values:
        values["file_names"] = tuple(names)
    values["known"] = tuple(_made(KnownFile, each, f"{where}: known") for each in known)
    if "download" in values:
        values["download"] = _made(Download, values["download"], f"{where}: download")
    return _made(CatalogEntry, {**values, "name": name}, where)


def _made(kind: type[Entry], table: Any, where: str) -> Entry:
    """Return a dataclass made of a table, whose plain values are all text."""
    if not isinstance(table, Mapping):
        raise SpecError(f"{where}: must be a table")
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type] # no type variable says "dataclass"
    for key, value in table.items():
        if key not in known:
            raise SpecError(f"{where}: {key}: unknown name; known: {', '.join(known)}")
        if known[key].type in {"str", "str | None"} and not isinstance(value, str):
            raise SpecError(f"{where}: {key}: must be text in quotes")
    missing = [name for name, field in known.items() if field.default is MISSING and name not in table]
    if missing:
        raise SpecError(f"{where}: {missing[0]} is missing")
    return kind(**table)
