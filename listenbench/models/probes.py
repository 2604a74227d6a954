"""The preflight's questions, and what their replies say about whether a model hears what it is sent.

Two pairs of clips that any listener tells apart, each clip asked about alone and then twice more among eight
at once, and one question without sound. A recording that never reaches the model (an argument with another
name, a dropped attachment, a wrong type or rate) can't change its reply. Replies that change only because
they are asked for together come from faulty batching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from listenbench.audio import SAMPLE_RATE, Samples, quantised
from listenbench.models.prompts import LETTER_INSTRUCTION as _INSTRUCTION
from listenbench.models.replies import Reply, reading_of
from listenbench.randomness import stream
from listenbench.scoring.answers import INVALID, Choices

TOGETHER: Final = 8
"""How many questions are asked at once."""

_SECONDS: Final = 3.0
_LEVEL: Final = 0.2
_QUOTED: Final = 60

# A model that hears changes its log-odds of A against B by whole units; repeated calls agree to far less.
_NOISE_FACTOR: Final = 4.0
_SMALLEST_CHANGE: Final = 0.02


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about a clip; `sound` is None for the one without."""

    name: str
    question: str
    choices: Choices
    sound: Samples | None = None


def text_probe() -> Probe:
    """Return the question that needs no ears."""
    question = f"Which number is larger? Answer A if it is 3 or B if it is 5. {_INSTRUCTION}"
    return Probe("text", question, ("3", "5"))


def sound_probes() -> tuple[tuple[Probe, Probe], ...]:
    """Return pairs of questions with the same words and clips that nobody mistakes for each other."""
    tone_or_hiss = (
        f"Do you hear a steady tone or a hiss? Answer A if it is a tone or B if it is a hiss. {_INSTRUCTION}"
    )
    one_or_many = (
        f"Do you hear one beep or many beeps? Answer A if it is one or B if it is many. {_INSTRUCTION}"
    )
    return (
        (
            Probe("tone", tone_or_hiss, ("tone", "hiss"), _beeps(1, _SECONDS)),
            Probe("hiss", tone_or_hiss, ("tone", "hiss"), _hiss()),
        ),
        (
            Probe("one beep", one_or_many, ("one", "many"), _beeps(1, 0.15)),
            Probe("many beeps", one_or_many, ("one", "many"), _beeps(8, 0.15)),
        ),
    )


def _beeps(count: int, seconds: float) -> Samples:
    times = np.arange(round(_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    sounding = np.mod(times, _SECONDS / count) < seconds
    return quantised((_LEVEL * sounding * np.sin(2 * np.pi * 440 * times)).astype(np.float32))


def _hiss() -> Samples:
    noise = stream(0, "preflight").uniform(-_LEVEL, _LEVEL, round(_SECONDS * SAMPLE_RATE))
    return quantised(noise.astype(np.float32))


def text_problem(probe: Probe, reply: Reply) -> str:
    """Return what is wrong with the reply to the question without sound, or an empty text."""
    reading = reading_of(reply.line(), probe.choices)
    if reading.code < INVALID:
        return ""
    said = repr((reply.text or "")[:_QUOTED])
    if reply.letters is not None:
        return (
            f"it gave no log-probabilities of A and B for a plain question ({reading.reason}); reply: {said}"
        )
    return f"it didn't answer a plain question with a letter ({reading.reason}); reply: {said}"


def hearing_problem(pairs: Sequence[tuple[Heard, Heard]]) -> str:
    """Return what is wrong with the replies to clips, or an empty text if one pair is told apart.

    Parameters
    ----------
    pairs : sequence of (Heard, Heard)
        The replies to each pair of clips.
    """
    differing = [pair for pair in pairs if _differ(pair[0].alone, pair[1].alone, 0.0)]
    if not differing:
        names = " and ".join(f"{first.probe.name} and {second.probe.name}" for first, second in pairs)
        return f"it ignores its audio: its replies to {names} are the same"
    if not any(map(_told_apart, differing)):
        return (
            f"its replies to one and the same clip differ between asking it alone and {TOGETHER} at once: "
            "ask with one connection, or batches of 1"
        )
    return ""


@dataclass(frozen=True, slots=True)
class BatchCheck:
    """How replies to the same clips differ between asking one at a time and several at once.

    Attributes
    ----------
    together : int
        How many were asked at once.
    changed : int
        How many of these replies are others than those alone.
    largest_change : float
        The largest change: of the log-odds of A against B, or 1 for other letters or words.
    """

    together: int
    changed: int
    largest_change: float


def batch_check(pairs: Sequence[tuple[Heard, Heard]]) -> BatchCheck:
    """Compare the replies to each clip alone with those among others."""
    changes = [_distance(heard.alone, other) for pair in pairs for heard in pair for other in heard.together]
    changed = sum(change > _SMALLEST_CHANGE for change in changes)
    return BatchCheck(len(changes), changed, max(changes, default=0.0))


@dataclass(frozen=True, slots=True)
class Heard:
    """The replies to one clip: asked about alone, and among others."""

    probe: Probe
    alone: Reply
    together: tuple[Reply, ...]


def _told_apart(pair: tuple[Heard, Heard]) -> bool:
    noise = max((_distance(heard.alone, other) for heard in pair for other in heard.together), default=0.0)
    if noise and pair[0].alone.letters is None:
        return False
    return _differ(pair[0].alone, pair[1].alone, noise)


def _differ(first: Reply, second: Reply, noise: float) -> bool:
    return _distance(first, second) > max(_SMALLEST_CHANGE, _NOISE_FACTOR * noise)


def _distance(first: Reply, second: Reply) -> float:
    """Return by how much two replies differ: in log-odds of A against B, or 1 for other letters or words."""
    odds = [_log_odds(reply) for reply in (first, second)]
    if odds[0] is not None and odds[1] is not None:
        return abs(odds[0] - odds[1])
    return float(_words(first) != _words(second))


def _log_odds(reply: Reply) -> float | None:
    if reply.letters is None:
        return None
    first, second = reply.letters.logprobs.values()
    return None if first is None or second is None else first - second


def _words(reply: Reply) -> str:
    if reply.letters is not None:
        return repr({letter: value is None for letter, value in reply.letters.logprobs.items()})
    reading = reading_of(reply.line(), ())
    return str(reading.code) if reading.code < INVALID else " ".join((reply.text or "").lower().split())
