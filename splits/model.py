"""What a split may say, with the range of every value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from listenbench.compose.lines import NARROWEST_BAND
from listenbench.compose.trial import Setting
from listenbench.effects import get_effect
from listenbench.effects.base import Effect, Stage
from listenbench.errors import SpecError
from listenbench.model_errors import described
from listenbench.tasks import Rung, get_task

CONDITIONS: Final = ("clean", "flip", "stay", "both")
"""The variants of an item: as drawn, edited, perturbed, edited and perturbed."""

MOST_ITEMS: Final = 10_000_000
"""Most items a task."""

CHAIN_SIGN: Final = "+"
"""Joins the effects of a chain in the name of a STAY factor, as in 'room+hiss'."""

Lot = Annotated[int, Field(strict=True, ge=0)]
Lots = Annotated[int, Field(strict=True, ge=1, le=64)]
Condition = Literal["clean", "flip", "stay", "both"]
Pitch = Annotated[int, Field(strict=True, ge=21, le=108)]


def _well_named(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", name):
        raise ValueError(
            "must be 1 to 40 lower-case letters, digits and hyphens, and start with a letter or digit"
        )
    return name


Name = Annotated[str, AfterValidator(_well_named)]

_CENTS_IN_A_SEMITONE = 100


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Settings(NamedTuple):
    """What the composer of the lead is told, and what the arranger of the whole is told."""

    lead: Setting
    whole: Setting


class TaskSpec(_Table):
    """One task of a split.

    Attributes
    ----------
    window_seconds : float
        Length of each clip, 1 to 10 s.
    rungs : tuple
        Magnitudes of the edit, in the task's unit.
    stay : tuple of str
        STAY factors, used evenly; each is an effect or a chain of effects joined by '+'.
    pitches : tuple of (int, int)
        Bands of MIDI pitches within which everything sounds, transposed or not, ends included.
    programs : tuple of int
        General MIDI programs to draw instruments from; empty for all that the task knows.
    options : mapping
        The task's own options.
    """

    window_seconds: float = Field(strict=True, ge=1, le=10)
    rungs: tuple[Rung, ...] = Field(min_length=1)
    stay: tuple[str, ...] = Field(min_length=1)
    pitches: tuple[tuple[Pitch, Pitch], ...] = ()
    programs: tuple[Annotated[int, Field(strict=True, ge=0, le=127)], ...] = ()
    options: Mapping[str, Any] = Field(default_factory=dict)

    @field_validator("rungs", "stay", "pitches", "programs")
    @classmethod
    def _without_repeats(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(values)) != len(values):
            raise ValueError("an entry is named twice")
        return values

    @field_validator("pitches")
    @classmethod
    def _upwards(cls, bands: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        for low, high in bands:
            if low > high:
                raise ValueError(f"the band [{low}, {high}] ends below its start")
        return bands


class Split(_Table):
    """A whole split.

    Attributes
    ----------
    name : str
        Lower-case letters, digits and hyphens. Part of every random stream's key.
    title : str
        What the split is for, in a line.
    items : int
        Base trials a task.
    variants : tuple of str
        Conditions that every item is made in, out of `CONDITIONS`.
    letters : str
        'fixed': A names the first choice in every question. 'counterbalanced': in half of them.
    takes : str
        'independent': every clip is a performance of its own, with inaudible deviations of onset and
        velocity. 'identical': clips of the same music are the same samples.
    texture : tuple of str
        'solo': the part that is asked about sounds alone. 'accompanied': within a small arrangement, the
        same in both clips. Several are used evenly; one may be given without brackets.
    contents : str
        'unique': no two items have the same musical content. 'repeated': they may.
    content_lot : (int, int)
        (k, n): of all musical contents, parted into n lots, only lot k is used. Splits with different
        lots of one n can't share a content, whatever their seeds.
    soundfonts : tuple of str
        Names from the soundfont catalogue, used evenly over the items.
    loudness_lufs : float
        Integrated loudness of every clip (ITU-R BS.1770), -40 to -15.
    silence_seconds : float
        Digital silence between the clips, 0.1 to 5 s.
    tasks : mapping of str to TaskSpec
        The tasks by name.
    effects : mapping of str to mapping
        Options of the effects that the tasks name, by effect.
    """

    name: Name
    title: str = ""
    items: int = Field(strict=True, ge=1, le=MOST_ITEMS)
    variants: tuple[Condition, ...] = Field(min_length=1)
    letters: Literal["fixed", "counterbalanced"] = "fixed"
    takes: Literal["independent", "identical"] = "independent"
    texture: tuple[Literal["solo", "accompanied"], ...] = Field(default=("solo",), min_length=1)
    contents: Literal["unique", "repeated"] = "unique"
    content_lot: tuple[Lot, Lots] = (0, 1)
    soundfonts: tuple[str, ...] = Field(min_length=1)
    loudness_lufs: float = Field(strict=True, default=-23.0, ge=-40, le=-15)
    silence_seconds: float = Field(strict=True, default=1.0, ge=0.1, le=5)
    tasks: Mapping[str, TaskSpec] = Field(min_length=1)
    effects: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)

    @field_validator("texture", mode="before")
    @classmethod
    def _as_tuple(cls, texture: Any) -> Any:
        return (texture,) if isinstance(texture, str) else texture

    @field_validator("variants")
    @classmethod
    def _in_order(cls, variants: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(condition for condition in CONDITIONS if condition in variants)

    @model_validator(mode="after")
    def _coherent(self) -> Split:
        lot, lots = self.content_lot
        if lot >= lots:
            raise ValueError(f"content_lot: lot {lot} of {lots} does not exist; lots count from 0")
        try:
            for name, options in self.effects.items():
                _known_effect(f"effects.{name}", name).options(options)
            for name in self.tasks:
                self._check_task(name)
        except SpecError as error:
            raise ValueError(str(error)) from None
        return self

    def chain(self, factor: str) -> tuple[Effect[Any, Any], ...]:
        """Return the effects of a STAY factor, in order."""
        return tuple(get_effect(name) for name in factor.split(CHAIN_SIGN))

    def effect_options(self, effect: Effect[Any, Any]) -> Any:
        """Return the options that the split gives to an effect."""
        return effect.options(self.effects.get(effect.name, {}))

    def task_options(self, name: str) -> BaseModel:
        """Return the options of a task, parsed by its own model."""
        model = get_task(name).options
        return model.model_validate(dict(self.tasks[name].options))

    def setting(self, name: str, texture: str = "solo") -> Settings:
        """Return what the composer of a task is told, and what its arranger is told.

        The bands are narrowed by the widest transposition that the task's STAY factors may draw, so that
        transposed clips stay within the split's pitches too. An accompanied lead leaves room for the rest.
        """
        spec, task = self.tasks[name], get_task(name)
        margin = math.ceil(self._widest_transposition(spec) / _CENTS_IN_A_SEMITONE)
        bands = tuple((low + margin, high - margin) for low, high in spec.pitches)
        narrowed = bands if texture == "solo" else tuple(task.lead_band(band) for band in bands)
        return Settings(
            lead=Setting(spec.window_seconds, narrowed, spec.programs),
            whole=Setting(spec.window_seconds, bands, spec.programs),
        )

    def _widest_transposition(self, spec: TaskSpec) -> float:
        effects = [effect for factor in spec.stay for effect in self.chain(factor)]
        widths = [
            self.effect_options(effect).maximum_cents for effect in effects if effect.stage is Stage.CLIP
        ]
        return float(max(widths, default=0))

    def _check_task(self, name: str) -> None:
        where = f"tasks.{name}"
        try:
            task, spec = get_task(name), self.tasks[name]
        except SpecError as error:
            raise SpecError(f"{where}: {error}") from None
        unknown = [rung for rung in spec.rungs if rung not in task.rungs]
        if unknown:
            allowed = ", ".join(map(str, task.rungs))
            raise SpecError(f"{where}.rungs: {unknown[0]!r} is not one of {allowed} {task.unit}")
        if task.pitched != bool(spec.pitches):
            need = "needs at least one band of MIDI pitches" if task.pitched else "takes no pitches"
            raise SpecError(f"{where}.pitches: the task {need}")
        for factor in spec.stay:
            self._check_factor(f"{where}.stay", name, factor)
        try:
            self.task_options(name)
        except ValidationError as error:
            reasons = described(error, task.options, spec.options)
            raise SpecError(f"{where}.options: {reasons}") from None
        published = spec.options.get("published_pool") or spec.options.get("published")
        if published and "accompanied" in self.texture:
            raise SpecError(f"texture: 'accompanied' doesn't go with the published material of {where}")
        for setting in (self.setting(name, texture) for texture in self.texture):
            _check_bands(where, setting.lead.bands)

    def _check_swap(self, where: str, factor: str, candidates: Sequence[str]) -> None:
        if len(self.soundfonts) < 2:
            raise SpecError(f"{where}: {factor!r} needs a split with two soundfonts or more")
        for name in candidates:
            if name not in self.soundfonts:
                known = ", ".join(self.soundfonts)
                raise SpecError(f"effects.soundfont.candidates: {name!r} is not one of the split's: {known}")
        if len(set(candidates)) == 1:
            raise SpecError(
                f"effects.soundfont.candidates: clips of {candidates[0]} need another one to change to"
            )

    def _check_factor(self, where: str, task: str, factor: str) -> None:
        for name in factor.split(CHAIN_SIGN):
            _known_effect(where, name)
        for effect in self.chain(factor):
            if task not in effect.keeps:
                raise SpecError(
                    f"{where}: {factor!r}: the effect {effect.name!r} may change the answer of this "
                    f"task; it keeps {', '.join(sorted(effect.keeps)) or 'none'}"
                )
            if effect.stage is Stage.SOUNDFONT:
                self._check_swap(where, factor, self.effect_options(effect).candidates)
            if effect.stage is Stage.MUSIC and get_task(task).redraw is None:
                raise SpecError(f"{where}: {factor!r}: the task can't redraw its music")


def _known_effect(where: str, name: str) -> Effect[Any, Any]:
    """Return an effect, and refuse one that there is not."""
    try:
        return get_effect(name)
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from None


def _check_bands(where: str, bands: tuple[tuple[int, int], ...]) -> None:
    """Refuse bands that are too narrow to compose in, once room for transposition is left at both ends."""
    for low, high in bands:
        if high - low < NARROWEST_BAND:
            raise SpecError(
                f"{where}.pitches: a band is left with {low} to {high} for the lead, after room for "
                f"transposition and accompaniment; it takes {NARROWEST_BAND} semitones at least"
            )
