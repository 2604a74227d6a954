"""Rewards for training."""

from __future__ import annotations

import runpy
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import listenbench
from listenbench.errors import DataError
from listenbench.models.rewards import rewards

DOCS = Path(__file__).parents[2] / "docs"
ITEM = {"answer": "B", "choices": ("same", "different")}


@pytest.mark.parametrize("text", ["B", "The answer is **B**.", "They are different.", '{"answer": "B"}'])
def test_the_right_answer_is_worth_one(text):
    assert listenbench.reward(text, ITEM) == 1.0
    assert listenbench.reward([{"role": "assistant", "content": text}], ITEM) == 1.0
    parts = [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
    assert listenbench.reward(parts, ITEM) == 1.0


@pytest.mark.parametrize("text", ["A", "", "Maybe B?", "A or B", "I can't listen to audio.", "Both."])
def test_everything_else_is_worth_nothing(text):
    assert listenbench.reward(text, ITEM) == 0.0


@pytest.mark.parametrize("completion", [[], [{"role": "assistant"}], [1]])
def test_what_is_no_completion(completion):
    with pytest.raises(DataError, match="completion"):
        listenbench.reward(completion, ITEM)


def test_an_item_without_an_answer():
    with pytest.raises(DataError, match="no answer"):
        listenbench.reward("A", {"choices": ("same", "different")})


def test_a_batch_as_trl_passes_it():
    columns = {"prompts": ["?", "?"], "completion_ids": [[1], [2]], "answer": ["A", "A"]}
    given = rewards(
        completions=["A", "B"], choices=[("same", "different")] * 2, trainer_state=None, **columns
    )
    assert given == [1.0, 0.0]


def test_samples_of_a_stream_are_rewarded():
    sample = next(listenbench.stream("train", 0, tasks=["rhythm"]))
    assert listenbench.reward(sample.answer, sample) == 1.0
    assert listenbench.reward("AB"[sample.answer == "A"], sample) == 0.0


def test_the_training_example_runs_up_to_its_model():
    example = runpy.run_path(str(DOCS / "examples" / "grpo.py"))
    taken = list(islice(example["rows"](0), 3))
    for row in taken:
        sound, words = row["prompt"][0]["content"]
        assert sound == {"type": "audio"}
        assert words["text"].endswith("Reply with the letter only.")
        assert len(row["audio"]) == round(6.0 * example["HEARD_RATE"])
        assert 0 < np.abs(row["audio"]).max() <= 1
        wrong = "AB"[row["answer"] == "A"]
        values = example["rewards_of"](row, [row["answer"], f"It's {row['answer']}.", wrong, "Hm."])
        assert values.tolist() == [1.0, 1.0, 0.0, 0.0]
        assert example["advantages"](values) == pytest.approx([1.0, 1.0, -1.0, -1.0], abs=1e-4)
        assert not example["advantages"](values[:2]).any()
    assert len({row["answer"] for row in taken}) == 2


def test_the_example_of_the_documentation_runs(capsys):
    text = (DOCS / "models.md").read_text("utf-8")
    program = text.split("```python\n")[1].split("```")[0]
    exec(compile(program, "docs/models.md", "exec"), {})
    assert capsys.readouterr().out == f"{[1.0] * 8}\n"
