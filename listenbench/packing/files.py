"""Where the files of a packed data set are written: a folder, or any address that fsspec knows."""

from __future__ import annotations

import contextlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit

from listenbench.dataset import CROISSANT, DESCRIPTION, GOLD, MANIFEST, METADATA, Row
from listenbench.errors import DataError, ListenbenchError
from listenbench.extras import require
from listenbench.packing.options import FOLDER, is_shard_name
from listenbench.workplace import lies_within

UNFINISHED: Final = "unfinished.json"
"""Lies beside what is not whole yet: there is no renaming at an address."""

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:://|::)")


def is_address(text: str) -> bool:
    """Return whether a text is an address for fsspec, such as s3://bucket/data, and no path."""
    return _ADDRESS.match(text) is not None


class Files(ABC):
    """A place for the files of a packed data set."""

    @abstractmethod
    def write(self, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
        """Open a file to write to; it has its name when the block has ended well."""

    @abstractmethod
    def remove_other_shards(self, names: Iterable[str]) -> None:
        """Remove shards of other names, which an interrupted run has left."""


class LocalFiles(Files):
    """Files in a folder, which nobody sees before it gets its name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def write(self, name: str) -> Iterator[BinaryIO]:
        """Open a file."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            yield file

    def remove_other_shards(self, names: Iterable[str]) -> None:
        """Do nothing: the folder is new."""


class RemoteFiles(Files):
    """Files at an address.

    What is there is whole if it has a dataset.json, which is written last.

    Raises
    ------
    SpecError
        If fsspec is not installed.
    DataError
        If it doesn't know the address.
    """

    def __init__(self, address: str) -> None:
        fsspec = require("fsspec.core", "formats", f"--out {_shown(address)}")
        self.shown = _shown(address)
        self._login = urlsplit(address).netloc.rpartition("@")[0]
        with self._told("use"):
            self._system, root = fsspec.url_to_fs(address)
            if "file" in self._protocols():
                self._system.auto_mkdir = True
        self._root = str(root).rstrip("/")
        if not self._root.strip("/"):
            raise DataError(f"{self.shown}: names no folder: add one, as in s3://bucket/folder")

    def leads_to(self, folder: Path) -> bool:
        """Return whether the address is a folder of this machine, or one in it."""
        return "file" in self._protocols() and lies_within(self._root, folder)

    def description(self) -> Row | None:
        """Return the dataset.json that is there, or None.

        Raises
        ------
        DataError
            If it can't be read or is damaged.
        """
        text = self._read(DESCRIPTION)
        if text is None:
            return None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise DataError(f"{self.shown}/{DESCRIPTION}: not JSON: the data set is damaged")
        return value

    def holds_something_else(self) -> bool:
        """Return whether files are there, but neither a data set nor the beginning of one."""
        names = self._names("")
        return bool(names) and DESCRIPTION not in names and UNFINISHED not in names

    def begin(self) -> None:
        """Mark what is there as not whole."""
        with self._told("write to"):
            self._system.pipe_file(f"{self._root}/{UNFINISHED}", b"{}\n")
        for name in (DESCRIPTION, METADATA, GOLD, MANIFEST, CROISSANT):
            if name in self._names(""):
                self._remove(name)

    def end(self) -> None:
        """Remove the mark; dataset.json is there by now."""
        self._remove(UNFINISHED)

    @contextlib.contextmanager
    def write(self, name: str) -> Iterator[BinaryIO]:
        """Open a file; what is written is thrown away if the block ends with an error."""
        with self._told("write to"):
            file = self._system.open(f"{self._root}/{name}", "wb")
            try:
                yield file
            except BaseException:
                _throw_away(file)
                raise
            file.close()

    def remove_other_shards(self, names: Iterable[str]) -> None:
        """Remove shards of other names, which an interrupted run or a replaced data set has left."""
        found = {f"{FOLDER}/{name}" for name in self._names(FOLDER)}
        for name in sorted(filter(is_shard_name, found - set(names))):
            self._remove(name)

    def _protocols(self) -> tuple[str, ...]:
        protocol = self._system.protocol
        return (protocol,) if isinstance(protocol, str) else tuple(protocol)

    def _read(self, name: str) -> bytes | None:
        with self._told("read from"):
            try:
                return bytes(self._system.cat_file(f"{self._root}/{name}"))
            except FileNotFoundError:
                return None

    def _names(self, folder: str) -> set[str]:
        """Return the names of the files and folders in a folder."""
        path = f"{self._root}/{folder}".rstrip("/")
        with self._told("read from"):
            self._system.invalidate_cache()
            try:
                found = self._system.ls(path, detail=False)
            except FileNotFoundError:
                return set()
        return {str(name).rstrip("/").rpartition("/")[2] for name in found if str(name).rstrip("/") != path}

    def _remove(self, name: str) -> None:
        with self._told("write to"), contextlib.suppress(FileNotFoundError):
            self._system.rm_file(f"{self._root}/{name}")

    @contextlib.contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Turn whatever a file system raises into one line."""
        try:
            yield
        except ListenbenchError:
            raise
        except Exception as error:  # noqa: BLE001 # file systems of all kinds raise errors of all kinds
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            if self._login:
                # What a library says of an address may have the password in it.
                reason = str(reason).replace(f"{self._login}@", "")
            raise DataError(f"{self.shown}: can't {what} this address: {reason}") from None


def _throw_away(file: Any) -> None:
    """End a file without a trace where the file system can; else a part of it is left under its name."""
    with contextlib.suppress(Exception):
        file.discard()
    with contextlib.suppress(Exception):
        # A file that counts as closed isn't completed when it is forgotten.
        file.closed = True


def _shown(address: str) -> str:
    """Return an address as messages may show it: without a password."""
    host = urlsplit(address).netloc
    name = host.rpartition("@")[2]
    return (address.replace(host, name, 1) if name != host else address).rstrip("/")
