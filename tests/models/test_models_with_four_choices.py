"""A data set whose questions have four choices, asked over HTTP and scored."""

from __future__ import annotations

import json
import math
import shutil

import pytest
from model_server import Answer, serving

from listenbench.dataset import load
from listenbench.scoring import score

pytest.importorskip("inspect_ai", reason="inspect_ai isn't installed: pip install 'listenbench[inspect]'")

CHOICES = ["major", "minor", "diminished", "augmented"]
QUESTION = (
    "Which chord is it? Answer A if it is major, B if it is minor, C if it is diminished or D if it is "
)
INSTRUCTION = "augmented. Reply with the letter only."


@pytest.fixture(scope="session")
def chords(dataset, tmp_path_factory):
    """Return a data set of three recordings, all of the same item, whose right letter is C."""
    folder = tmp_path_factory.mktemp("chords") / "data"
    (folder / "audio").mkdir(parents=True)
    shutil.copy(dataset.folder / "dataset.json", folder)
    gold, shown = [], []
    for item, condition in zip(dataset.items, ("clean", "flip", "stay"), strict=False):
        shutil.copy(item.path, folder / "audio")
        file_name = f"audio/{item.path.name}"
        shown.append(
            {"file_name": file_name, "id": item.id, "question": QUESTION + INSTRUCTION, "choices": CHOICES}
        )
        base = {"id": item.id, "answer": "C", "task": "chords", "item": "one", "rung": 1}
        gold.append({**base, "condition": condition, "factor": None if condition == "clean" else "x"})
    for name, rows in (("metadata.jsonl", shown), ("gold.jsonl", gold)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return load(folder)


def test_four_letters_in_log_probabilities(ask, chords):
    tokens = [(" C", math.log(0.4)), ("B", math.log(0.3)), ("c", math.log(0.1)), ("A", math.log(0.1))]
    with serving(lambda _request: Answer(" C", logprobs=[*tokens, ("D", math.log(0.05))])) as server:
        outcome = ask(server, "--readout", "logprob", "--no-preflight", data=chords.folder)
    assert outcome.status == 0, outcome.stderr
    assert outcome.meta["counts"]["answered"] == 3
    values = outcome.lines[1]["logprobs"]
    assert list(values) == ["A", "B", "C", "D"]
    assert values["C"] == pytest.approx(math.log(0.5))
    assert outcome.lines[1]["other"] == pytest.approx(0.05)
    assert score(outcome.path, chords.folder, resamples=100).figures["acc_fs"].value == 1


def test_four_letters_as_json(ask, chords):
    replies = iter(["I can't decide between C and D.", '{"answer": "D"}', '{"answer": "C"}', "Diminished."])
    with serving(lambda _request: next(replies)) as server:
        options = ("--json-answer", "--no-preflight", "--max-connections", "1")
        outcome = ask(server, *options, data=chords.folder)
    assert outcome.status == 0, outcome.stderr
    assert [line.get("asked", 1) for line in outcome.lines[1:]] == [2, 1, 1]
    assert all("one field" in request.text for request in server.requests)
    found = score(outcome.path, chords.folder, resamples=100)
    assert found.analysis.groups[0].totals["answered"] == 3
    assert found.analysis.groups[0].totals["right_is_a"] == 0
    assert sum(line["text"] == '{"answer": "D"}' for line in outcome.lines[1:]) == 1
    assert found.figures["acc_fs"].value == 1
    assert found.figures["clean_accuracy"].value == 0
