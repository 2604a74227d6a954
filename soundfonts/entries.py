"""The soundfont catalogue: what each soundfont is, and how to get it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from listenbench.errors import SpecError


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
        Files that are this soundfont.
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
    known: tuple[KnownFile, ...]
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
        return " or ".join(ways)


@cache
def catalog() -> Mapping[str, CatalogEntry]:
    """Return the entries of the catalogue by name, in the catalogue's order."""
    text = (resources.files("listenbench.soundfonts") / "catalog.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return MappingProxyType({name: _entry(name, table) for name, table in tables.items()})


def entry_of(name: str) -> CatalogEntry:
    """Return one entry of the catalogue.

    Raises
    ------
    SpecError
        If the catalogue has no soundfont of that name; the message lists those that it has.
    """
    try:
        return catalog()[name]
    except KeyError:
        raise SpecError(
            f"soundfont {name!r} is not in the catalogue; known soundfonts: {', '.join(catalog())}"
        ) from None


def _entry(name: str, table: Mapping[str, Any]) -> CatalogEntry:
    download = table.get("download")
    return CatalogEntry(
        name=name,
        title=table["title"],
        licence=table["licence"],
        file_names=tuple(table["file_names"]),
        known=tuple(KnownFile(**known) for known in table["known"]),
        debian_package=table.get("debian_package", ""),
        python_package=table.get("python_package", ""),
        download=Download(**download) if download else None,
    )
