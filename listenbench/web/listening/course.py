"""What happens when a listener begins, plays, has heard, answers or goes on.

Every change is committed before the listener is told of it, and each can come twice: a second press, a
reload or a lost reply changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from listenbench.audio import wav_file
from listenbench.dataset import DatasetItem, check_inside
from listenbench.errors import DataError
from listenbench.scoring.answers import letters_of
from listenbench.web.listening.answers import AnswersFile, answer_line
from listenbench.web.listening.design import Candidate, heard_before, in_order
from listenbench.web.listening.sounds import TONES, TRIALS, headphone_orders, quietest, tones
from listenbench.web.listening.stages import (
    CHECKS,
    TRIAL_OF_STAGE,
    Course,
    Kind,
    Stage,
    after_answer,
    after_page,
)
from listenbench.web.listening.store import Listener, Store, Trial

MOST_LISTENERS: Final = 10_000
"""Sessions that a test takes on; more are no people."""

_LONGEST_SECONDS: Final = 86_400.0
_TONE_ANSWERS: Final = tuple(str(1 + place) for place in range(TONES))


class RefusedError(Exception):
    """What was asked for can't be done.

    Attributes
    ----------
    status : int
        Status of the reply.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Material:
    """What a test is made of.

    Attributes
    ----------
    items : mapping of str to DatasetItem
        Questions and recordings by id.
    truth : mapping of str to str
        The right letters of the practice recordings, by id.
    practice : tuple of Candidate
        Recordings for practice, in their order.
    lists : iterator of tuple of Candidate
        Lists of recordings, of which each is for `sharers` listeners.
    sharers : int
        How many listeners hear the same recordings.
    seed : int
        Seed of all orders.
    silence_seconds : float
        Silence between the clips of a recording.
    loudness_lufs : float
        Loudness of the recordings.
    """

    items: Mapping[str, DatasetItem]
    truth: Mapping[str, str]
    practice: tuple[Candidate, ...]
    lists: Iterator[tuple[Candidate, ...]]
    sharers: int
    seed: int
    silence_seconds: float
    loudness_lufs: float


class ListeningTest:
    """The test, with all of its sessions.

    Parameters
    ----------
    course : Course
        What every listener does.
    material : Material
        What it is made of.
    store : Store
        The sessions.
    answers : AnswersFile
        The predictions.
    """

    def __init__(self, course: Course, material: Material, store: Store, answers: AnswersFile) -> None:
        self.course = course
        self.material = material
        self.name: str = store.facts()["name"]
        self._store = store
        self._answers = answers
        self._written = sum(1 for _ in store.answers())
        self._lists: list[tuple[Candidate, ...]] = []

    def close(self) -> None:
        """Close the files."""
        self._answers.close()
        self._store.close()

    @property
    def answered(self) -> int:
        """Number of answers to the test so far."""
        return self._written

    def listener_of(self, cookie: str) -> Listener | None:
        """Return the listener with a cookie."""
        return self._store.listener_of(cookie)

    def begin(self) -> str:
        """Add a listener; return the value of their cookie.

        Raises
        ------
        RefusedError
            If there are too many.
        """
        if self._store.listeners() >= MOST_LISTENERS:
            raise RefusedError(503, "This listening test has all the listeners that it can take.")
        with self._store.transaction():
            listener, cookie = self._store.add_listener(Stage.VOLUME)
            practice = [(each.id, 0) for each in self.material.practice]
            self._store.add_trials(listener, Kind.PRACTICE, practice)
            recordings = self._recordings(listener.number)
            ids = [each.id for each in recordings]
            self._store.add_trials(listener, Kind.TEST, zip(ids, heard_before(recordings), strict=True))
            if self.course.headphone_check:
                self._add_headphone_check(listener, 0)
        return cookie

    def _recordings(self, number: int) -> tuple[Candidate, ...]:
        place = number // self.material.sharers
        while len(self._lists) <= place:
            self._lists.append(next(self.material.lists))
        return in_order(self._lists[place], number, self.material.seed)

    def _add_headphone_check(self, listener: Listener, attempt: int) -> None:
        orders = headphone_orders(listener.number, attempt, self.material.seed)
        self._store.add_trials(listener, Kind.HEADPHONES, [(order, 0) for order in orders])

    def trials(self, listener: Listener, kind: Kind) -> list[Trial]:
        """Return the trials of a listener in their order; of headphone checks, those of the last one."""
        trials = self._store.trials(listener, kind)
        return trials[-TRIALS:] if kind is Kind.HEADPHONES else trials

    def current(self, listener: Listener) -> Trial | None:
        """Return the trial that a listener is at; None on a page without one."""
        kind = TRIAL_OF_STAGE.get(listener.stage)
        if kind is None:
            return None
        trials = self.trials(listener, kind)
        if listener.stage is Stage.FEEDBACK:
            return next((trial for trial in reversed(trials) if trial.answer is not None), None)
        return next((trial for trial in trials if trial.answer is None), None)

    def sound(self, listener: Listener, token: str) -> bytes:
        """Return the sound of the trial that a listener is at as a WAV file, however it is stored.

        Compressed, the variants of an item have different sizes, by which listeners could tell them.

        Raises
        ------
        RefusedError
            If the token is not that trial's, or the recording can't be read.
        """
        trial = self.current(listener)
        if trial is None or trial.token != token:
            raise RefusedError(404, "There is no such recording.")
        if trial.kind is Kind.HEADPHONES:
            return tones(trial.material)
        path = self.material.items[trial.material].path
        try:
            check_inside(path.parents[1], path)
            return wav_file(path)
        except DataError:
            raise RefusedError(500, "The recording can't be read.") from None

    def choices(self, trial: Trial) -> tuple[str, ...]:
        """Return the answers that a trial may be given."""
        if trial.kind is Kind.HEADPHONES:
            return _TONE_ANSWERS
        return letters_of(self.material.items[trial.material].choices)

    def played(self, listener: Listener, token: str) -> None:
        """Count a play; of practice that is answered, they may hear more, uncounted."""
        trial = self._own(listener, token)
        if trial.answer is None:
            with self._store.transaction():
                self._store.note_play(trial)

    def heard(self, listener: Listener, token: str) -> None:
        """Note that a trial was heard to its end.

        Raises
        ------
        RefusedError
            If it was never started.
        """
        trial = self._own(listener, token)
        if not trial.plays:
            raise RefusedError(409, "This recording was not played.")
        with self._store.transaction():
            self._store.note_heard(trial)

    def answer(self, listener: Listener, token: str, answer: object, seconds: object) -> None:
        """Take an answer.

        Raises
        ------
        RefusedError
            If it is none of the choices, comes before both clips were heard, or contradicts an earlier one.
        OSError
            If the predictions can't be written; the sessions have the answer then.
        """
        trial = self._own(listener, token)
        if not isinstance(answer, str) or answer not in self.choices(trial):
            raise RefusedError(400, "This is no answer to the question.")
        if trial.answer is not None:
            if trial.answer != answer:
                raise RefusedError(409, "This question was answered before.")
            self._write()
            return
        current = self.current(listener)
        if current is None or current.token != token:
            raise RefusedError(409, "This question is not asked now.")
        if not trial.heard:
            raise RefusedError(409, "Listen to the end before you answer.")
        with self._store.transaction():
            self._store.note_answer(trial, answer, _checked_seconds(seconds))
            self._store.move(listener, self._stage_after(listener, trial))
        self._write()

    def _own(self, listener: Listener, token: str) -> Trial:
        trial = self._store.trial(listener, token)
        if trial is None:
            raise RefusedError(404, "There is no such question.")
        return trial

    def _stage_after(self, listener: Listener, trial: Trial) -> Stage:
        trials = self.trials(listener, trial.kind)
        answered = [each for each in trials if each.answer is not None]
        right = 0
        if trial.kind is Kind.HEADPHONES:
            right = sum(each.answer == quietest(each.material) for each in answered)
            if len(answered) == len(trials):
                self._store.set_headphones(listener, right)
        return after_answer(trial.kind, self.course, len(answered), len(trials) - len(answered), right)

    def _write(self) -> None:
        """Bring the predictions up to the sessions."""
        lines = [answer_line(answer) for answer in self._store.answers(after=self._written)]
        if lines:
            self._answers.append(lines)
            self._written += len(lines)

    def go_on(self, listener: Listener, stage: object, *, again: bool) -> None:
        """Leave a page on which nothing is asked; one that was left before stays left."""
        if stage != listener.stage:
            return
        again = again and self.checks_left(listener) > 0
        left = sum(trial.answer is None for trial in self._store.trials(listener, Kind.PRACTICE))
        following = after_page(listener.stage, self.course, left, again=again)
        with self._store.transaction():
            if listener.stage is Stage.LOUDSPEAKERS and again:
                self._add_headphone_check(listener, CHECKS - self.checks_left(listener))
            self._store.move(listener, following)

    def checks_left(self, listener: Listener) -> int:
        """Return how many more headphone checks a listener may try."""
        return CHECKS - len(self._store.trials(listener, Kind.HEADPHONES)) // TRIALS


def _checked_seconds(seconds: object) -> float | None:
    """Return a response time to the millisecond; None for what can't be one."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    if not (math.isfinite(seconds) and 0 <= seconds <= _LONGEST_SECONDS):
        return None
    return round(float(seconds), 3)
