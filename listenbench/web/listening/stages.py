"""What a listener does, one stage after the other.

volume -> headphones -> instructions -> practice, feedback -> ready -> test, break -> done

Whoever fails the headphone check comes to `loudspeakers`, and from there back to the check or on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from listenbench.web.listening.sounds import RIGHT_TO_PASS

CHECKS: Final = 3
"""Most headphone checks that a listener may try."""


class Stage(StrEnum):
    """Where a listener is."""

    VOLUME = "volume"
    HEADPHONES = "headphones"
    LOUDSPEAKERS = "loudspeakers"
    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    FEEDBACK = "feedback"
    READY = "ready"
    TEST = "test"
    BREAK = "break"
    DONE = "done"


class Kind(StrEnum):
    """What a trial is for."""

    HEADPHONES = "headphones"
    PRACTICE = "practice"
    TEST = "test"


TRIAL_OF_STAGE: Final = {
    Stage.HEADPHONES: Kind.HEADPHONES,
    Stage.PRACTICE: Kind.PRACTICE,
    Stage.FEEDBACK: Kind.PRACTICE,
    Stage.TEST: Kind.TEST,
}
"""The stages that play something to be answered, or that was."""


@dataclass(frozen=True, slots=True)
class Course:
    """What every listener does.

    Attributes
    ----------
    headphone_check : bool
        Whether headphones are checked.
    practice : int
        Number of practice trials.
    break_every : int
        Answers between two breaks; 0 for none.
    """

    headphone_check: bool
    practice: int
    break_every: int


def after_answer(kind: Kind, course: Course, answered: int, left: int, right: int) -> Stage:
    """Return the stage that follows an answer.

    Parameters
    ----------
    kind : Kind
        What was answered.
    course : Course
        What every listener does.
    answered, left : int
        Trials of this kind that are answered, and that are not.
    right : int
        Right answers in the headphone check.
    """
    if kind is Kind.PRACTICE:
        return Stage.FEEDBACK
    if kind is Kind.HEADPHONES:
        if left:
            return Stage.HEADPHONES
        return Stage.INSTRUCTIONS if right >= RIGHT_TO_PASS else Stage.LOUDSPEAKERS
    if not left:
        return Stage.DONE
    return Stage.BREAK if course.break_every and answered % course.break_every == 0 else Stage.TEST


def after_page(stage: Stage, course: Course, practice_left: int, *, again: bool = False) -> Stage:
    """Return the stage that follows a page on which nothing is asked; the same one where something is.

    Parameters
    ----------
    stage : Stage
        Where the listener is.
    course : Course
        What every listener does.
    practice_left : int
        Practice trials that are not answered.
    again : bool, optional
        Whether a failed headphone check is to be tried again.
    """
    match stage:
        case Stage.VOLUME:
            return Stage.HEADPHONES if course.headphone_check else Stage.INSTRUCTIONS
        case Stage.LOUDSPEAKERS:
            return Stage.HEADPHONES if again else Stage.INSTRUCTIONS
        case Stage.INSTRUCTIONS | Stage.FEEDBACK:
            return Stage.PRACTICE if practice_left else Stage.READY
        case Stage.READY | Stage.BREAK:
            return Stage.TEST
        case _:
            return stage
