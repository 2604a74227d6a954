"""The predictions file of a listener."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from listenbench._version import __version__
from listenbench.errors import DataError
from listenbench.whole_files import write_whole


def write_predictions(
    path: str | Path,
    model: str,
    predictions: Mapping[str, str],
    trained_on: str = "none",
    fingerprint: str | None = None,
) -> None:
    """Write a predictions file, whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file; one that exists is replaced.
    model : str
        Name for the `meta` line.
    predictions : mapping of str to str
        Answers by id.
    trained_on : str
        The training data that the `meta` line declares.
    fingerprint : str, optional
        That of the data set that was answered, which the `meta` line then names: the scorer refuses others.

    Raises
    ------
    DataError
        If the file can't be written.
    """
    target = Path(path)
    meta = {"model": model, "version": __version__, "readout": "generated", "used_training_split": trained_on}
    if fingerprint is not None:
        meta["dataset_fingerprint"] = fingerprint
    lines = [json.dumps({"meta": meta})]
    lines += [json.dumps({"id": identifier, "answer": answer}) for identifier, answer in predictions.items()]
    try:
        write_whole(target, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise DataError(f"{target}: can't write the predictions: {error.strerror}") from None
