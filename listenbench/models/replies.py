"""Replies: what came back for one recording, as a line of a predictions file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from listenbench.models.letters import LetterProbabilities
from listenbench.scoring.answers import NO_REPLY, Choices, Reading, read_logprobs
from listenbench.scoring.parsing import read_reply

GENERATED: Final = "generated"
LOGPROB: Final = "logprob"
READOUTS: Final = (GENERATED, LOGPROB)
"""How an answer is read: in the text, or in the log-probabilities of its first token."""

FILTERED: Final = "content_filter"
"""The stop reason of Inspect for a reply that the provider refused to give."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one recording.

    Attributes
    ----------
    id : str
        The recording.
    text : str or None
        What was generated; None if there is no reply.
    letters : LetterProbabilities or None
        Under the readout 'logprob' alone.
    stop : str
        Why the model stopped, in the words of Inspect.
    asked : int
        How often the question was asked until an answer could be read, or no more.
    retries : int
        How often the service had to be called again.
    model : str
        The model, as the service names it.
    """

    id: str
    text: str | None
    letters: LetterProbabilities | None = None
    stop: str = "stop"
    asked: int = 1
    retries: int = 0
    model: str = ""

    def line(self) -> dict[str, Any]:
        """Return the line of the predictions file; `logprobs` or `text` is what the scorer reads."""
        facts: dict[str, Any] = {"stop": self.stop, "model": self.model}
        if self.asked != 1:
            facts["asked"] = self.asked
        if self.retries:
            facts["retries"] = self.retries
        if self.letters is None:
            return {"id": self.id, "text": self.text, **facts}
        if self.letters.problem:
            facts["problem"] = self.letters.problem
        reply = {"logprobs": self.letters.logprobs, "other": self.letters.other, "reply": self.text}
        return {"id": self.id, **reply, **facts}


def reading_of(line: Mapping[str, Any], choices: Choices) -> Reading:
    """Return what the scorer reads in a line."""
    if line.get("logprobs") is not None:
        return read_logprobs(line["logprobs"], choices)
    text = line.get("text")
    return NO_REPLY if text is None else read_reply(text, choices)
