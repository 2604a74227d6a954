"""What a run is asked to do, and what of it has to stay the same when it is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from listenbench.audio import SAMPLE_RATE
from listenbench.dataset import Dataset
from listenbench.errors import SpecError
from listenbench.models.presentation import CONDITIONS, WITHOUT_SOUND
from listenbench.models.replies import GENERATED, LOGPROB, READOUTS
from listenbench.scoring.conditions import AUDIO

AUDIO_FORMAT: Final = {"encoding": "WAV, 16-bit PCM", "sample_rate": SAMPLE_RATE, "channels": 1}
"""How recordings are sent."""

_SECRET_WORDS: Final = ("key", "token", "secret", "password", "auth", "header", "credential")
_HIDDEN: Final = "(not recorded)"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What to ask, and how.

    Attributes
    ----------
    model : str
        Provider and name as Inspect knows them, for example 'openai/gpt-audio'.
    readout : {"generated", "logprob"}
        Where the answer is read.
    condition : str
        What is shown; one of `presentation.CONDITIONS`.
    json_answer : bool
        Whether the answer is asked for as a JSON object.
    base_url : str or None
        Address of the service, where it isn't the provider's own.
    model_args : mapping
        Arguments of Inspect's provider.
    sampling : mapping
        Settings of generation that are not left to the provider: `temperature`, `top_p`, `max_tokens`,
        `seed`.
    trained_on : str
        Training data that the model has seen; 'none' for zero-shot.
    preflight : bool
        Whether to check first that the model hears.
    limit : int or None
        Ask no more than the first so many recordings.
    max_connections : int or None
        Requests at a time.
    max_retries : int
        How often a request is repeated before its recording counts as failed.
    accept_missing : bool
        Whether a predictions file is written even if recordings have failed.
    overwrite : bool
        Whether a predictions file of another run is replaced.
    log_dir : Path or None
        Where Inspect writes its logs; beside the predictions by default.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.
    """

    model: str
    readout: str = GENERATED
    condition: str = AUDIO
    json_answer: bool = False
    base_url: str | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)
    sampling: Mapping[str, float | int] = field(default_factory=dict)
    trained_on: str = "none"
    preflight: bool = True
    limit: int | None = None
    max_connections: int | None = None
    max_retries: int = 8
    accept_missing: bool = False
    overwrite: bool = False
    log_dir: Path | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that can't be used."""
        if self.readout not in READOUTS:
            raise SpecError(f"readout {self.readout!r} is not known; known readouts: {', '.join(READOUTS)}")
        if self.condition not in CONDITIONS:
            known = ", ".join(CONDITIONS)
            raise SpecError(f"condition {self.condition!r} is not known; known conditions: {known}")
        if self.json_answer and self.readout == LOGPROB:
            raise SpecError(
                "a JSON answer doesn't start with its letter: read it with the readout 'generated'"
            )
        _check_address(self.base_url)
        if self.limit is not None and self.limit < 1:
            raise SpecError(f"limit: {self.limit} is below 1")

    @property
    def sends_sound(self) -> bool:
        """Whether recordings, or stand-ins for them, are attached."""
        return self.condition not in WITHOUT_SOUND

    def identity(self, dataset: Dataset, prompt_sha256: str) -> dict[str, Any]:
        """Return what a resumed run has to share with its beginning; a part of the `meta` line.

        Arguments of the provider that may hold a secret are not in it.
        """
        return {
            "model": self.model,
            "readout": self.readout,
            "used_training_split": self.trained_on,
            "dataset_fingerprint": dataset.description.get("fingerprint"),
            "condition": self.condition,
            "json_answer": self.json_answer,
            "sampling": dict(self.sampling),
            "prompt_sha256": prompt_sha256,
            "audio": dict(AUDIO_FORMAT) if self.sends_sound else None,
            "model_args": {name: _public(name, value) for name, value in self.model_args.items()},
        }


def _public(name: str, value: object) -> object:
    if any(word in name.lower() for word in _SECRET_WORDS):
        return _HIDDEN
    return value if isinstance(value, str | int | float | bool) or value is None else repr(value)


def _check_address(url: str | None) -> None:
    """Refuse what is no address, and what may hold a secret: addresses stand in files and logs."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise SpecError(
            f"base_url: {url.rpartition('@')[2]!r} is no address such as http://localhost:8000/v1"
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise SpecError(
            "base_url: a user, a password or a query in an address would stand in logs; give the bare "
            "address, and the key in the environment"
        )
