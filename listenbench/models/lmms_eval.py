"""A data set as a task of the harness lmms-eval: the functions that its task folder names, and the folder.

lmms-eval reads `listenbench.yaml` in a folder that `--include_path` names, and finds there the documents of
the task and the functions below. They need nothing of lmms-eval.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from listenbench.audio import SAMPLE_RATE, read_audio
from listenbench.dataset import Dataset
from listenbench.errors import DataError, SpecError
from listenbench.scoring.parsing import parse_answer

TASK: Final = "listenbench"
"""Name of the task."""

YAML: Final = f"{TASK}.yaml"
DOCUMENTS: Final = "documents.jsonl"
FUNCTIONS: Final = "utils.py"
PREDICTIONS: Final = "listenbench_predictions.jsonl"

_METRICS: Final[Mapping[str, tuple[str, ...]]] = {
    "clean": ("clean_accuracy",),
    "flip": ("miss_rate", "acc_fs"),
    "stay": ("false_flip_rate", "acc_fs"),
    "both": ("both_accuracy",),
}
_OF_WRONG: Final = frozenset({"miss_rate", "false_flip_rate"})
_NAMES: Final = ("acc_fs", "doc_to_audio", "mean", "process_results", "write_predictions")

Document = Mapping[str, Any]
"""A line of the documents: a recording with its question and, on the evaluator's side, its answer."""

Outcome = Mapping[str, Any]
"""What became of a document: `score` (0 or 1), `item`, `condition`; or `id` and `text`."""


# ---- The functions that the task folder names


def doc_to_audio(document: Document) -> list[dict[str, Any]]:
    """Return the recording as lmms-eval's models take it: samples, rate and path."""
    path = Path(document["audio"])
    return [{"path": str(path), "array": read_audio(path), "sampling_rate": SAMPLE_RATE}]


def process_results(document: Document, results: Sequence[str]) -> dict[str, Outcome]:
    """Return what a reply counts for, by metric; it is read as listenbench reads it.

    A rate of errors counts what is wrong, all others count what is right.
    """
    right = parse_answer(results[0], document["choices"]) == document["answer"]
    condition = document["condition"]
    outcomes: dict[str, Outcome] = {
        metric: {
            "score": int(right != (metric in _OF_WRONG)),
            "item": document["item"],
            "condition": condition,
        }
        for metric in _METRICS[condition]
    }
    return {**outcomes, "answers_written": {"id": document["id"], "text": results[0]}}


def mean(outcomes: Sequence[Outcome]) -> float:
    """Return the mean score, as a share of 1: the unit of lmms-eval's standard errors."""
    return float(sum(outcome["score"] for outcome in outcomes) / len(outcomes))


def acc_fs(outcomes: Sequence[Outcome]) -> float:
    """Return Acc_FS as a share of 1, 1 - (MR + FFR) / 2; not a number without FLIP or without STAY files."""
    shares = []
    for condition in ("flip", "stay"):
        some = [outcome for outcome in outcomes if outcome["condition"] == condition]
        shares.append(mean(some) if some else float("nan"))
    return sum(shares) / 2


def write_predictions(outcomes: Sequence[Outcome], args: Any = None) -> int:
    """Write the replies as a predictions file of listenbench, in lmms-eval's folder for submissions.

    Parameters
    ----------
    outcomes : sequence of mapping
        Ids and replies.
    args : namespace, optional
        The command line of lmms-eval, with `output_path` and `model`.

    Returns
    -------
    int
        The number of replies.
    """
    folder = Path(getattr(args, "output_path", None) or ".") / "submissions"
    folder.mkdir(parents=True, exist_ok=True)
    meta = {"model": str(getattr(args, "model", "unknown")), "readout": "generated"}
    _write_lines(folder / PREDICTIONS, [{"meta": meta}, *outcomes])
    return len(outcomes)


# ---- The folder


def write_task_folder(dataset: Dataset, folder: Path, name: str = TASK) -> None:
    """Write a folder for `lmms-eval --include_path`, whole or not at all.

    Parameters
    ----------
    dataset : Dataset
        What is asked. The folder points to its recordings, which have to stay where they are.
    folder : Path
        What is written; it must not be there yet.
    name : str
        What the task is called.

    Raises
    ------
    DataError
        If the folder is there or can't be written, or the data set is damaged.
    SpecError
        If the name is not one of letters, digits, `-` and `_`.
    """
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise SpecError(f"name: {name!r}: a task's name consists of letters, digits, - and _")
    if folder.exists():
        raise DataError(f"{folder}: it is there already: delete it, or name another folder with --out")
    documents = _documents(dataset)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise DataError(f"{folder}: can't write this folder: {error.strerror}") from None
    try:
        _write_lines(temporary / DOCUMENTS, documents)
        (temporary / YAML).write_text(_yaml(name, folder.absolute() / DOCUMENTS), "utf-8")
        (temporary / FUNCTIONS).write_text(_functions(), "utf-8")
        temporary.chmod(0o755)
        temporary.rename(folder)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise DataError(f"{folder}: can't write this folder: {error.strerror}") from None


def _documents(dataset: Dataset) -> list[Document]:
    gold = dataset.gold()
    documents: list[Document] = []
    for item in dataset:
        row = gold.get(item.id, {})
        if row.get("condition") not in _METRICS or not {"answer", "task", "item"} <= row.keys():
            raise DataError(f"{dataset.folder}: no whole row for item {item.id} in gold.jsonl: it is damaged")
        documents.append(
            {
                "id": item.id,
                "question": item.question,
                "audio": str(item.path.absolute()),
                "choices": list(item.choices),
                **{field: str(row[field]) for field in ("answer", "task", "item", "condition")},
            }
        )
    return documents


def _yaml(name: str, documents: Path) -> str:
    # A text in JSON's quotes is one in YAML's too.
    head = (
        f"task: {json.dumps(name)}\ndataset_kwargs:\n  data_files:\n    test: {json.dumps(str(documents))}\n"
    )
    return head + files("listenbench.models").joinpath("lmms_eval.yaml").read_text("utf-8")


def _functions() -> str:
    names = ", ".join(_NAMES)
    return f'"""The functions of {YAML}."""\n\nfrom listenbench.models.lmms_eval import {names}\n'


def _write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, "utf-8")
