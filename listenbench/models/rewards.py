"""Rewards for training: 1.0 for the right letter, 0.0 for everything else, read as the scorer reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from listenbench.errors import DataError
from listenbench.scoring.parsing import parse_answer

Completion = str | Sequence[Mapping[str, Any]]
"""What was generated: a text, or messages with `role` and `content`, of which the last one counts."""


class Answered(Protocol):
    """An item with its answer, such as `listenbench.Sample`."""

    @property
    def answer(self) -> str:
        """The right letter."""

    @property
    def choices(self) -> Sequence[str]:
        """What the letters mean."""


def reward(completion: Completion, item: Answered | Mapping[str, Any]) -> float:
    """Return 1.0 if a completion answers right, otherwise 0.0.

    Parameters
    ----------
    completion : str or sequence of mappings
        A text, or messages as chat models generate them.
    item : Sample or mapping
        What it answers, with `answer` and `choices`.

    Raises
    ------
    DataError
        If the completion is neither, or the item has no answer or no choices.
    """
    try:
        answer, choices = (
            (item["answer"], item["choices"]) if isinstance(item, Mapping) else (item.answer, item.choices)
        )
    except (AttributeError, KeyError) as error:
        raise DataError(f"reward: the item has no answer or no choices: {error}") from None
    return float(parse_answer(_text(completion), choices) == answer)


def rewards(
    completions: Sequence[Completion],
    answer: Sequence[str],
    choices: Sequence[Sequence[str]],
    **_columns: Any,
) -> list[float]:
    """Return the rewards of a batch, in the form of a reward function of TRL's GRPOTrainer.

    Parameters
    ----------
    completions : sequence of str or of messages
        What was generated.
    answer : sequence of str
        The right letters; TRL passes the column of this name.
    choices : sequence of sequences of str
        What the letters mean; the column of this name.
    **_columns
        Prompts and all other columns, which don't matter.
    """
    rows = zip(completions, answer, choices, strict=True)
    return [reward(completion, {"answer": right, "choices": words}) for completion, right, words in rows]


def _text(completion: Completion) -> str:
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion and isinstance(completion[-1], Mapping) else None
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    raise DataError("reward: a completion is neither a text nor a list of messages with content")
