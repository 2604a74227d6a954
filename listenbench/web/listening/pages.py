"""What a listener sees: a question and a token, and neither the id of the recording nor its answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import soundfile

from listenbench.errors import DataError
from listenbench.web.listening.course import ListeningTest
from listenbench.web.listening.sounds import RIGHT_TO_PASS, TRIALS
from listenbench.web.listening.stages import Kind, Stage
from listenbench.web.listening.store import Listener, Trial
from listenbench.web.pages import page

_INSTRUCTION: Final = " Answer A if "
_MEANINGS: Final = {
    "same": "The same",
    "different": "Different",
    "first": "The first clip",
    "second": "The second clip",
}
_TONE_NAMES: Final = ("First", "Second", "Third")
_TONE_SEGMENTS: Final = ((0.0, 1.0), (1.5, 2.5), (3.0, 4.0))
_LARGEST_CONSENT: Final = 100_000


def read_consent(path: Path) -> tuple[str, ...]:
    """Return the paragraphs of a consent text: UTF-8, with blank lines between them.

    Raises
    ------
    DataError
        If the file can't be read, is empty, or is no text.
    """
    try:
        text = path.read_bytes()[: _LARGEST_CONSENT + 1].decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: can't read the consent text: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: the consent text is not UTF-8") from None
    paragraphs = tuple(part.strip() for part in re.split(r"\r?\n[ \t]*\r?\n", text) if part.strip())
    if not paragraphs or len(text) > _LARGEST_CONSENT:
        raise DataError(f"{path}: the consent text is empty, or longer than {_LARGEST_CONSENT} characters")
    return paragraphs


def welcome_page(test: ListeningTest, consent: tuple[str, ...] | None, questions: int) -> str:
    """Return the first page: what will happen, and the consent.

    Parameters
    ----------
    test : ListeningTest
        The test.
    consent : tuple of str or None
        The paragraphs of the consent text; None for ours.
    questions : int
        Number of questions of the test.
    """
    return page("listen_welcome.html", consent=consent, questions=questions, practice=test.course.practice)


def stage_page(test: ListeningTest, listener: Listener) -> str:
    """Return the page of the stage that a listener is at."""
    trial = test.current(listener)
    if trial is not None:
        return _trial_page(test, listener, trial)
    answered, total = progress(test, listener)
    return page(
        f"listen_{'volume' if listener.stage is Stage.VOLUME else 'page'}.html",
        stage=listener.stage.value,
        code=listener.code,
        answered=answered,
        total=total,
        practice=test.course.practice,
        checks_left=test.checks_left(listener),
        headphone_check=test.course.headphone_check,
        trials=TRIALS,
        right_to_pass=RIGHT_TO_PASS,
        break_every=test.course.break_every,
    )


def progress(test: ListeningTest, listener: Listener) -> tuple[int, int]:
    """Return how many questions of the test a listener has answered, and of how many."""
    trials = test.trials(listener, Kind.TEST)
    return sum(trial.answer is not None for trial in trials), len(trials)


def _trial_page(test: ListeningTest, listener: Listener, trial: Trial) -> str:
    trials = test.trials(listener, trial.kind)
    number = trials.index(trial) + 1
    values: dict[str, Any] = {
        "stage": listener.stage.value,
        "code": listener.code,
        "kind": trial.kind.value,
        "token": trial.token,
        "heard": trial.heard,
        "number": number,
        "total": len(trials),
        "feedback": None,
    }
    if trial.kind is Kind.HEADPHONES:
        return page(
            "listen_trial.html",
            **values,
            question="Which tone is the quietest?",
            choices=list(zip(test.choices(trial), _TONE_NAMES, strict=True)),
            segments=list(zip(_TONE_NAMES, _TONE_SEGMENTS, strict=True)),
        )
    item = test.material.items[trial.material]
    meanings = [_MEANINGS.get(choice, choice) for choice in item.choices]
    if listener.stage is Stage.FEEDBACK:
        truth = test.material.truth[trial.material]
        right = test.choices(trial).index(truth)
        values["feedback"] = {"right": trial.answer == truth, "letter": truth, "meaning": meanings[right]}
    return page(
        "listen_trial.html",
        **values,
        question=item.question.partition(_INSTRUCTION)[0],
        choices=list(zip(test.choices(trial), meanings, strict=True)),
        segments=list(zip(("First clip", "Second clip"), _clips(test, trial), strict=True)),
    )


def _clips(test: ListeningTest, trial: Trial) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where the clips of a recording lie, in seconds: two of one length, with silence between them."""
    try:
        seconds = float(soundfile.info(test.material.items[trial.material].path).duration)
    except (OSError, soundfile.SoundFileError):
        seconds = 0.0
    clip = max(0.0, (seconds - test.material.silence_seconds) / 2)
    return (0.0, clip), (seconds - clip, seconds)


def frame_page() -> str:
    """Return what all pages have in common: our style and script, and no content."""
    return page("listen.html")
