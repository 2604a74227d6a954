"""The augmentation chain: one module an effect, one registry.

`EFFECTS` maps names to effects. Each draws its parameters once (`Effect.draw`), as plain data that the plan
keeps, and is later applied as a pure function of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from listenbench.effects.base import AudioEffect, ClipEffect, Effect, FloatArray, Stage
from listenbench.effects.clipping import Clipping
from listenbench.effects.codec import Codec
from listenbench.effects.compressor import Compressor
from listenbench.effects.eq import Eq
from listenbench.effects.gain import GainChange
from listenbench.effects.hiss import Hiss
from listenbench.effects.hum import Hum
from listenbench.effects.lowpass import Lowpass
from listenbench.effects.pink_noise import PinkNoise
from listenbench.effects.redraw import Redraw
from listenbench.effects.room import RoomEcho
from listenbench.effects.soundfont import SoundfontSwap
from listenbench.effects.transposition import Transposition
from listenbench.effects.wow import Wow
from listenbench.errors import SpecError

__all__ = [
    "EFFECTS",
    "AudioEffect",
    "ClipEffect",
    "Effect",
    "SoundfontSwap",
    "Stage",
    "apply_chain",
    "get_audio_effect",
    "get_effect",
]

_ALL: Final[tuple[Effect[Any, Any], ...]] = (
    RoomEcho(),
    Eq(),
    Hiss(),
    Transposition(),
    SoundfontSwap(),
    Codec(),
    Redraw(),
    Lowpass(),
    Compressor(),
    PinkNoise(),
    Hum(),
    GainChange(),
    Clipping(),
    Wow(),
)

EFFECTS: Final[Mapping[str, Effect[Any, Any]]] = MappingProxyType({e.name: e for e in _ALL})
"""Every effect by its name."""


def get_effect(name: str) -> Effect[Any, Any]:
    """Return an effect.

    Raises
    ------
    SpecError
        If there is no effect of that name; the message lists those that there are.
    """
    if name not in EFFECTS:
        raise SpecError(f"unknown effect {name!r}: choose from {', '.join(EFFECTS)}")
    return EFFECTS[name]


def get_audio_effect(name: str) -> AudioEffect[Any, Any]:
    """Return an effect that acts on samples.

    Raises
    ------
    SpecError
        If there is no effect of that name, or it acts on something else.
    """
    effect = get_effect(name)
    if not isinstance(effect, AudioEffect):
        raise SpecError(f"effect {name} acts on the {effect.stage}, it can't be applied to samples")
    return effect


def apply_chain(
    samples: FloatArray, sample_rate: int, chain: Sequence[tuple[str, Mapping[str, Any]]]
) -> FloatArray:
    """Apply audio effects in a row.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel.
    sample_rate : int
        Samples per second.
    chain : sequence of (name, parameters)
        What to apply, in order. An empty chain returns the samples as they are.

    Returns
    -------
    ndarray of float32, shape (n,)
        The changed samples, aligned to `samples`.

    Raises
    ------
    SpecError
        If a name is unknown or not an audio effect, or parameters are wrong.
    """
    for name, parameters in chain:
        samples = get_audio_effect(name).apply(samples, sample_rate, parameters)
    return samples
