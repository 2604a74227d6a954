"""The package lists of setup.cfg name every folder and every kind of file that belongs to the package."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "listenbench": "listenbench",
    "effects": "listenbench.effects",
    "scoring": "listenbench.scoring",
    "soundfonts": "listenbench.soundfonts",
    "splits": "listenbench.splits",
}


def import_name(folder: Path) -> str:
    top, *rest = folder.relative_to(CHECKOUT).parts
    return ".".join([FOLDERS[top], *rest])


def package_of(path: Path) -> str:
    """Return the package that a data file belongs to: that of the nearest folder that is one."""
    folder = next(parent for parent in path.parents if (parent / "__init__.py").is_file())
    return import_name(folder)


def files_below(pattern: str) -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (CHECKOUT / folder).rglob(pattern))


@pytest.fixture
def settings() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(CHECKOUT / "setup.cfg", encoding="utf-8")
    return parser


def test_every_package_is_listed(settings: configparser.ConfigParser) -> None:
    there = [import_name(path.parent) for path in files_below("__init__.py")]
    assert len(there) >= len(FOLDERS)
    assert settings["options"]["packages"].split() == sorted(there)


def test_every_module_lies_in_a_package(settings: configparser.ConfigParser) -> None:
    listed = settings["options"]["packages"].split()
    assert [path for path in files_below("*.py") if import_name(path.parent) not in listed] == []


def test_every_data_file_is_packaged(settings: configparser.ConfigParser) -> None:
    patterns = {name: value.split() for name, value in settings["options.package_data"].items()}
    forgotten = [
        path
        for path in files_below("*")
        if path.is_file()
        and path.suffix not in {".py", ".pyc"}
        and not any(path.match(pattern) for pattern in patterns.get(package_of(path), []))
    ]
    assert forgotten == []
