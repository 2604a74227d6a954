"""What an effect is: parameters drawn once as plain data, then applied as a pure function of them.

An effect has two sets of settings. Its *options* say what may be drawn; a split's TOML table
`[effects.<name>]` is parsed into them. Its *parameters* say what was drawn; they are kept in the plan as
JSON data and are all that is needed to replay the effect: seeds of noises and rooms are among them.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from listenbench.errors import SpecError
from listenbench.model_errors import described
from listenbench.music import Clip

FloatArray: TypeAlias = npt.NDArray[np.float32]
Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

TASKS = frozenset({"melody", "harmony", "timbre", "rhythm"})
"""The tasks that an effect can keep."""


class Stage(StrEnum):
    """Where on the way from plan to sound an effect acts."""

    CLIP = "clip"
    """On the symbolic clip, before it is rendered."""
    SOUNDFONT = "soundfont"
    """By rendering with another soundfont."""
    MUSIC = "music"
    """By planning other music."""
    AUDIO = "audio"
    """On the samples."""


class Settings(BaseModel):
    """Options or parameters of an effect: immutable, without coercion, no unknown names, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


OptionsT = TypeVar("OptionsT", bound=Settings)
ParametersT = TypeVar("ParametersT", bound=Settings)
SettingsT = TypeVar("SettingsT", bound=Settings)
ValueT = TypeVar("ValueT")


class Effect(ABC, Generic[OptionsT, ParametersT]):
    """One family of changes.

    Attributes
    ----------
    name : str
        Key in the registry, in splits and in plans.
    title : str
        What it is, in a few words.
    stage : Stage
        Where it acts.
    alters : frozenset of str
        The symbolic attributes that it moves; empty for whatever acts on samples.
    keeps : frozenset of str
        The tasks whose answer it leaves alone: for these it can make a STAY variant.
    Options, Parameters : type of Settings
        Models of what may be drawn and of what was drawn.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    stage: ClassVar[Stage]
    alters: ClassVar[frozenset[str]] = frozenset()
    keeps: ClassVar[frozenset[str]]
    # Class attributes can't be typed with type variables (PEP 526): `_options` and `_parameters` narrow them.
    Options: ClassVar[type[Settings]]
    Parameters: ClassVar[type[Settings]]

    def options(self, table: Mapping[str, Any] | None = None) -> OptionsT:
        """Parse a split's table; what it leaves out takes its default.

        Raises
        ------
        SpecError
            If a name is unknown or a value is out of range.
        """
        parsed: OptionsT = validated(self.Options, table or {}, f"effects.{self.name}")  # type: ignore[assignment]
        return parsed

    def draw(self, rng: np.random.Generator, options: OptionsT | None = None) -> dict[str, Json]:
        """Draw the parameters of one application.

        Parameters
        ----------
        rng : numpy.random.Generator
            The source of all randomness.
        options : Settings, optional
            What `options` returned; the defaults if left out.

        Returns
        -------
        dict
            JSON data, from which the effect can be replayed.

        Raises
        ------
        SpecError
            If the options leave nothing to draw.
        """
        drawn = self._draw(rng, self.options() if options is None else options)
        data: dict[str, Json] = drawn.model_dump(mode="json")
        return data

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse parameters that `draw` can't have returned.

        Raises
        ------
        SpecError
            Naming the parameter, its value and the range.
        """
        self._parse(parameters)

    def _parse(self, parameters: Mapping[str, Any]) -> ParametersT:
        parsed: ParametersT = validated(self.Parameters, parameters, f"effect {self.name}")  # type: ignore[assignment]
        return parsed

    @abstractmethod
    def _draw(self, rng: np.random.Generator, options: OptionsT) -> ParametersT:
        """Draw parameters with `rng.integers`, `rng.random` and `rng.uniform` alone.

        The streams of these three stay the same between NumPy versions in practice; those of the
        shaped distributions have changed before.
        """


class AudioEffect(Effect[OptionsT, ParametersT]):
    """A change of the samples."""

    stage: ClassVar[Stage] = Stage.AUDIO

    def apply(self, samples: FloatArray, sample_rate: int, parameters: Mapping[str, Any]) -> FloatArray:
        """Apply the effect.

        Parameters
        ----------
        samples : ndarray of float32, shape (n,)
            One channel, full scale at 1. It is left as it is.
        sample_rate : int
            Samples per second, 8,000 to 192,000.
        parameters : mapping
            What `draw` returned.

        Returns
        -------
        ndarray of float32, shape (n,)
            A new array, aligned to `samples`.

        Raises
        ------
        SpecError
            If a parameter or the sample rate is out of range, or `samples` is not one channel of
            finite float32.
        """
        parsed = self._parse(parameters)
        _check_samples(samples, sample_rate)
        if samples.size == 0:
            return samples.copy()
        changed = self._apply(samples, sample_rate, parsed)
        return np.ascontiguousarray(changed, dtype=np.float32)

    @abstractmethod
    def _apply(
        self, samples: FloatArray, sample_rate: int, parameters: ParametersT
    ) -> npt.NDArray[np.floating[Any]]:
        """Return as many samples as there are, of which there is at least one."""


class ClipEffect(Effect[OptionsT, ParametersT]):
    """A change of the symbolic clip."""

    stage: ClassVar[Stage] = Stage.CLIP

    @abstractmethod
    def apply_to_clip(self, clip: Clip, parameters: Mapping[str, Any]) -> Clip:
        """Return the changed clip.

        Raises
        ------
        SpecError
            If a parameter is out of range, or a note leaves the range of MIDI.
        """


def one_of(rng: np.random.Generator, values: Sequence[ValueT]) -> ValueT:
    """Draw one of several values, all equally likely."""
    return values[int(rng.integers(len(values)))]


def validated(model: type[SettingsT], data: Mapping[str, Any], where: str) -> SettingsT:
    """Parse plain data into a model.

    Raises
    ------
    SpecError
        With `where`, and the name, the value and the range of everything that is wrong.
    """
    try:
        # JSON mode takes lists for tuples and nothing else that is not of the right type.
        return model.model_validate_json(json.dumps(dict(data)))
    except ValidationError as error:
        raise SpecError(f"{where}: {described(error, model, data)}") from None
    except (TypeError, ValueError) as error:
        raise SpecError(f"{where}: not plain data: {error}") from None


def _check_samples(samples: FloatArray, sample_rate: int) -> None:
    if samples.ndim != 1 or samples.dtype != np.float32:
        raise SpecError(
            f"samples: expected one channel of float32, got shape {samples.shape} of {samples.dtype}"
        )
    if not np.isfinite(samples).all():
        raise SpecError("samples: expected finite numbers, got NaN or infinity")
    if not 8_000 <= sample_rate <= 192_000:
        raise SpecError(f"sample_rate: expected 8000 to 192000 Hz, got {sample_rate}")
