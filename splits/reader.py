"""Reading a split: one of those that come with listenbench, or a user's TOML file."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from listenbench.errors import SpecError
from listenbench.model_errors import described
from listenbench.soundfonts import entry_of
from listenbench.splits.model import Split


def split_names() -> tuple[str, ...]:
    """Return the names of the splits that come with listenbench, sorted."""
    folder = resources.files("listenbench.splits")
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def load_split(name_or_path: str | Path) -> Split:
    """Read and validate a split.

    Parameters
    ----------
    name_or_path : str or Path
        A name out of `split_names`, or the path of a TOML file, which ends in '.toml'.

    Raises
    ------
    SpecError
        If there is no such split, or the file breaks a rule; the message names file, key and value.
    """
    text, where = _text(str(name_or_path))
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{where}: not TOML: {error}") from None
    try:
        split = Split.model_validate(table)
    except ValidationError as error:
        raise SpecError(f"{where}: {described(error, Split, table)}") from None
    try:
        for name in split.soundfonts:
            entry_of(name)
    except SpecError as error:
        raise SpecError(f"{where}: soundfonts: {error}") from None
    return split


def _text(name: str) -> tuple[str, str]:
    if not name.endswith(".toml"):
        if name not in split_names():
            raise SpecError(
                f"split {name!r} is not known; known splits: {', '.join(split_names())}; "
                "a split of your own is given as a path that ends in .toml"
            )
        return (resources.files("listenbench.splits") / f"{name}.toml").read_text("utf-8"), f"{name}.toml"
    try:
        return Path(name).read_text("utf-8"), name
    except OSError as error:
        raise SpecError(f"{name}: can't read this split: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SpecError(f"{name}: can't read this split: it is not UTF-8 text") from None
