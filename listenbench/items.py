"""Items as plain data: every decision drawn, and no sound yet."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from listenbench.edits import Edit
from listenbench.music import Clip
from listenbench.takes import Take
from listenbench.tasks import Rung


@dataclass(frozen=True, slots=True)
class Change:
    """One effect as planned: its name and the parameters from which it replays."""

    effect: str
    parameters: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data for JSON."""
        return {"effect": self.effect, "parameters": dict(self.parameters)}


@dataclass(frozen=True, slots=True)
class Performance:
    """One clip as it is to sound.

    Attributes
    ----------
    clip : Clip
        The music, after changes to symbols.
    take : Take
        Its deviations.
    soundfont : str
        Name in the catalogue.
    changes : tuple of Change
        STAY effects, in order; those that act on symbols or the soundfont are in effect already.
    """

    clip: Clip
    take: Take
    soundfont: str
    changes: tuple[Change, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the performance as plain data for JSON."""
        return {
            "clip": self.clip.to_dict(),
            "take": self.take.to_dict(),
            "soundfont": self.soundfont,
            "changes": [change.to_dict() for change in self.changes],
        }


@dataclass(frozen=True, slots=True)
class Variant:
    """One audio file of an item.

    Attributes
    ----------
    id : str
        Opaque name of the file.
    condition : str
        'clean', 'flip', 'stay' or 'both'.
    answer : str
        The right letter.
    relation : str
        How clip B stands to clip A.
    factor : str or None
        The edit of a FLIP variant, the effects of a STAY or BOTH variant.
    clip_b : Performance
        The second clip.
    difference : Edit or None
        How clip B's music differs from clip A's, STAY changes aside.
    """

    id: str
    condition: str
    answer: str
    relation: str
    factor: str | None
    clip_b: Performance
    difference: Edit | None


@dataclass(frozen=True, slots=True)
class Item:
    """A base trial with its variants, which share clip A, wording and letters.

    Attributes
    ----------
    task : str
        Name of the task.
    index : int
        Place among the task's items.
    rung : int, float or str
        Magnitude of the edit.
    question : str
        The whole text for the model.
    choices : tuple of (str, str)
        What the letters A and B mean.
    texture : str
        'solo' or 'accompanied'.
    clip_a : Performance
        The first clip.
    variants : tuple of Variant
        One a condition.
    content : str
        The musical content in canonical form.
    material : mapping
        The free variables as drawn.
    """

    task: str
    index: int
    rung: Rung
    question: str
    choices: tuple[str, str]
    texture: str
    clip_a: Performance
    variants: tuple[Variant, ...]
    content: str
    material: Mapping[str, str | float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The item's name, for the evaluator's eyes alone."""
        return f"{self.task}-{self.index:06d}"


def variant_id(seed: int, split: str, task: str, index: int, condition: str) -> str:
    """Return a file's opaque name: 80 bits of a hash, so that order and name tell nothing."""
    key = f"{seed}|{split}|{task}|{index}|{condition}"
    return hashlib.sha256(key.encode()).hexdigest()[:20]
