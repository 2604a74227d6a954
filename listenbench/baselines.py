"""Reference listeners: they see what a model sees, never the key, and write a predictions file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from listenbench._version import __version__
from listenbench.dataset import Dataset
from listenbench.errors import DataError, SpecError
from listenbench.randomness import checked_seed, stream

LETTERS = ("A", "B")

_CONSTANT = {"always-a": "A", "always-b": "B"}


def predict(name: str, dataset: Dataset, seed: int = 0) -> dict[str, str]:
    """Return a listener's answers by id.

    Parameters
    ----------
    name : str
        'always-a', 'always-b' or 'random'.
    dataset : Dataset
        What to answer.
    seed : int
        Seed of 'random', whose answer to an item depends on the item's id alone.

    Raises
    ------
    SpecError
        If there is no such listener.
    """
    if name in _CONSTANT:
        return {item.id: _CONSTANT[name] for item in dataset}
    if name == "random":
        seed = checked_seed(seed)
        return {item.id: LETTERS[int(stream(seed, "random", item.id).integers(2))] for item in dataset}
    raise SpecError(f"baseline {name!r} is not known; known baselines: always-a, always-b, random")


def write_predictions(path: str | Path, model: str, predictions: Mapping[str, str]) -> None:
    """Write a predictions file, whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file; one that exists is replaced.
    model : str
        Name for the `meta` line.
    predictions : mapping of str to str
        Answers by id.

    Raises
    ------
    DataError
        If the file can't be written.
    """
    target = Path(path)
    meta = {"model": model, "version": __version__, "readout": "generated", "used_training_split": "none"}
    lines = [json.dumps({"meta": meta})]
    lines += [json.dumps({"id": identifier, "answer": answer}) for identifier, answer in predictions.items()]
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write("\n".join(lines) + "\n")
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise DataError(f"{target}: can't write the predictions: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
