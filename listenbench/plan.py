"""The plan: all items of a split, drawn from a seed, without any sound."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pydantic import BaseModel

from listenbench.compose.accompaniment import arranged
from listenbench.compose.trial import Neighbourhood, Trial, Unsuitable
from listenbench.design import Axes, Cell, cells
from listenbench.effects.base import ClipEffect, Stage
from listenbench.effects.soundfont import SoundfontSwap
from listenbench.errors import SpecError
from listenbench.items import Change, Item, Performance, Variant, variant_id
from listenbench.music import Clip
from listenbench.questions import prompt
from listenbench.randomness import stream
from listenbench.scoring.answers import LETTERS
from listenbench.splits import Split
from listenbench.splits.model import Settings
from listenbench.takes import Take, draw_takes
from listenbench.tasks import Task, get_task

_ATTEMPTS = 20
_MOST_NEIGHBOURS = 20


def plan(
    split: Split,
    seed: int,
    tasks: Sequence[str] | None = None,
    items: int | None = None,
    variants: Sequence[str] | None = None,
) -> Iterator[Item]:
    """Yield the items of a data set, task by task.

    Parameters
    ----------
    split : Split
        What to draw.
    seed : int
        0 to 2**64 - 1.
    tasks : sequence of str, optional
        Which of the split's tasks; all by default.
    items : int, optional
        Items a task; the split's number by default.
    variants : sequence of str, optional
        Conditions; the split's by default.

    Raises
    ------
    SpecError
        If the split has fewer different contents than asked for.
    """
    for task in tasks or tuple(split.tasks):
        planner = TaskPlanner(split, seed, task, tuple(variants or split.variants))
        for _ in range(split.items if items is None else items):
            yield next(planner)


@dataclass
class TaskPlanner(Iterator[Item]):
    """An endless iterator over the items of one task.

    Parameters
    ----------
    split : Split
        What to draw.
    seed : int
        0 to 2**64 - 1.
    name : str
        Which task of the split.
    variants : tuple of str
        Conditions of every item.
    """

    split: Split
    seed: int
    name: str
    variants: tuple[str, ...]
    _seen: set[bytes] = field(default_factory=set, init=False, repr=False)
    _places: dict[str, list[float]] = field(default_factory=dict, init=False, repr=False)
    _neighbours: int = field(default=0, init=False, repr=False)
    _next_index: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare what all items share."""
        self._task: Task = get_task(self.name)
        self._settings: dict[str, Settings] = {
            texture: self.split.setting(self.name, texture) for texture in self.split.texture
        }
        self._options: BaseModel = self.split.task_options(self.name)
        self._cells = cells(self._axes(), self.seed, self.split.name, self.name)

    def __next__(self) -> Item:
        """Plan the next item."""
        index, cell = self._next_index, next(self._cells)
        item = self._item(index, cell, self._new_trial(index, cell))
        self._next_index += 1
        return item

    def _axes(self) -> Axes:
        spec = self.split.tasks[self.name]
        return Axes(
            choices=self._task.choices,
            rungs=spec.rungs,
            factors=spec.stay,
            wordings=len(self._task.questions),
            letter_orders=(False,) if self.split.letters == "fixed" else (False, True),
            soundfonts=self.split.soundfonts,
            textures=self.split.texture,
        )

    def _stream(self, index: int, stage: str) -> np.random.Generator:
        return stream(self.seed, self.split.name, self.name, index, stage)

    def _new_trial(self, index: int, cell: Cell) -> Trial:
        """Compose an item whose content is of the split's lot and new."""
        generator = self._stream(index, "music")
        for _ in range(_ATTEMPTS):
            try:
                trial = self._compose(generator, cell)
            except Unsuitable:
                continue
            self._used(trial)
            return trial
        where = f"split {self.split.name!r}, task {self.name!r}"
        if index == 0:
            raise SpecError(
                f"{where}: no content fits: give the task a longer window_seconds, more pitches or programs, "
                "or other options"
            )
        raise SpecError(
            f"{where}: no new content was found after {index} items; "
            f"ask for at most {index} items, or give the task more pitches or programs"
        )

    def _compose(self, generator: np.random.Generator, cell: Cell) -> Trial:
        setting = self._settings[cell.texture]
        trial = self._task.compose(generator, setting.lead, self._options, cell.rung, self._accepts)
        if cell.texture == "solo":
            return trial
        return arranged(trial, self._task.arrange(generator, trial, setting.whole))

    def _accepts(self, content: str, neighbourhood: Neighbourhood | None = None) -> bool:
        """Return whether a content is of the split's lot, and where contents are unique, new and apart."""
        repeated = self.split.contents == "repeated"
        if not (repeated or self._is_crowded) and neighbourhood and self._has_neighbour(neighbourhood):
            return False
        digest, (lot, lots) = self._digest(content), self.split.content_lot
        of_lot = int.from_bytes(digest[:4], "big") % lots == lot
        return of_lot and (repeated or digest not in self._seen)

    @property
    def _is_crowded(self) -> bool:
        """Whether it has become vain to look for contents without neighbours."""
        return self._neighbours >= _MOST_NEIGHBOURS

    def _has_neighbour(self, neighbourhood: Neighbourhood) -> bool:
        places, radius = self._places.get(neighbourhood.family, []), neighbourhood.radius
        return bisect_left(places, neighbourhood.place - radius) != bisect_right(
            places, neighbourhood.place + radius
        )

    def _used(self, trial: Trial) -> None:
        """Remember the content of an item."""
        self._seen.add(self._digest(trial.content))
        if trial.neighbourhood is not None:
            self._neighbours += self._has_neighbour(trial.neighbourhood)
            insort(self._places.setdefault(trial.neighbourhood.family, []), trial.neighbourhood.place)

    def _digest(self, content: str) -> bytes:
        return hashlib.sha256(f"{self.name}: {content}".encode()).digest()[:16]

    def _item(self, index: int, cell: Cell, trial: Trial) -> Item:
        question = self._task.questions[cell.wording]
        first, second = question.choices
        choices = (second, first) if cell.swapped else (first, second)
        right = question.relation_for(cell.choice)
        other = next(relation for relation in trial.clip_b if relation != right)
        clean = Performance(trial.clip_b[right], Take(), cell.soundfont)
        edited = Performance(trial.clip_b[other], Take(), cell.soundfont)
        changes, perturbed = self._perturbed(index, cell.factor, clean)
        performances = {
            "clean": (right, None, clean),
            "flip": (other, self._edit_name(trial), edited),
            "stay": (right, cell.factor, perturbed),
            "both": (other, cell.factor, self._applied(index, changes, edited)),
        }
        clips = (trial.clip_a, *(performance.clip for _, _, performance in performances.values()))
        take_a, take_b = self._takes(index, clips)
        variants = tuple(
            Variant(
                id=variant_id(self.seed, self.split.name, self.name, index, condition),
                condition=condition,
                answer=LETTERS[choices.index(question.answers[relation])],
                relation=relation,
                factor=factor,
                clip_b=replace(performance, take=take_b),
                difference=trial.edits[relation],
            )
            for condition, (relation, factor, performance) in performances.items()
            if condition in self.variants
        )
        clip_a = Performance(trial.clip_a, take_a, cell.soundfont)
        text = prompt(question, choices)
        return Item(
            self.name,
            index,
            cell.rung,
            text,
            choices,
            cell.texture,
            clip_a,
            variants,
            trial.content,
            trial.material,
        )

    def _takes(self, index: int, clips: Sequence[Clip]) -> tuple[Take, Take]:
        if self.split.takes == "identical":
            return Take(), Take()
        # As long as the longest clip: deviations that come twice would tell that clip B is the faster one.
        notes = max(sum(len(part.notes) for part in clip.parts) for clip in clips)
        return draw_takes(self._stream(index, "take"), notes)

    def _perturbed(
        self, index: int, factor: str, performance: Performance
    ) -> tuple[tuple[Change, ...], Performance]:
        """Draw the parameters of a STAY factor and apply them to clip B."""
        generator = self._stream(index, "stay")
        changes = []
        for effect in self.split.chain(factor):
            options = self.split.effect_options(effect)
            if isinstance(effect, SoundfontSwap):
                candidates = options.candidates or self.split.soundfonts
                others = [name for name in candidates if name != performance.soundfont]
                parameters = effect.draw_from(generator, others)
            else:
                parameters = effect.draw(generator, options)
            changes.append(Change(effect.name, parameters))
        return tuple(changes), self._applied(index, tuple(changes), performance)

    def _applied(self, index: int, changes: tuple[Change, ...], performance: Performance) -> Performance:
        """Return the performance with its changes noted, and those of symbols and soundfont made."""
        clip, soundfont = performance.clip, performance.soundfont
        for change in changes:
            (effect,) = self.split.chain(change.effect)
            if isinstance(effect, ClipEffect):
                clip = effect.apply_to_clip(clip, change.parameters)
            elif effect.stage is Stage.SOUNDFONT:
                soundfont = str(change.parameters["soundfont"])
            elif effect.stage is Stage.MUSIC:
                clip = self._redrawn(index, clip)
        return replace(performance, clip=clip, soundfont=soundfont, changes=changes)

    def _redrawn(self, index: int, clip: Clip) -> Clip:
        if self._task.redraw is None:
            raise SpecError(f"task {self.name!r} can't redraw its music")
        texture = "solo" if len(clip.parts) == 1 else "accompanied"
        setting = self._settings[texture].lead
        try:
            return self._task.redraw(self._stream(index, "redraw"), setting, self._options, clip)
        except Unsuitable:
            raise SpecError(
                f"split {self.split.name!r}, task {self.name!r}: item {index} can't be redrawn: "
                "give the task wider bands of pitches"
            ) from None

    def _edit_name(self, trial: Trial) -> str:
        return next(edit.name for edit in trial.edits.values() if edit is not None)
