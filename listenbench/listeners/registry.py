"""The listeners by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Final

from listenbench.dataset import Dataset
from listenbench.errors import SpecError
from listenbench.randomness import checked_seed


@dataclass(frozen=True, slots=True)
class Settings:
    """What a listener is given beside the data set.

    Attributes
    ----------
    seed : int
        Seed of 'random'.
    train : Dataset or None
        A data set whose answers may be looked at, for listeners that learn.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.
    """

    seed: int = 0
    train: Dataset | None = None
    progress: bool = False


Listener = Callable[[Dataset, Settings], dict[str, str]]

_PLACES: Final = MappingProxyType(
    {
        "always-a": ("simple", "always_a"),
        "always-b": ("simple", "always_b"),
        "random": ("simple", "random"),
        "equality": ("simple", "equality"),
        "text-only": ("trained", "text_only"),
        "clip-a": ("trained", "clip_a"),
        "clip-b": ("trained", "clip_b"),
        "spectrum": ("trained", "spectrum"),
        "dsp": ("dsp", "dsp"),
    }
)
"""Name to module and function; imported when called, since some load scikit-learn."""

NAMES: Final = tuple(_PLACES)
"""Names of all listeners."""

TRAINED: Final = frozenset(name for name, (module, _) in _PLACES.items() if module == "trained")
"""Names of the listeners that need a train data set."""


def predict(
    name: str, dataset: Dataset, seed: int = 0, train: Dataset | None = None, *, progress: bool = False
) -> dict[str, str]:
    """Return a listener's answers by id.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    dataset : Dataset
        What to answer. Its key is never read.
    seed : int
        Seed of 'random', whose answer to an item depends on the item's id alone.
    train : Dataset, optional
        Data set with answers to learn from; the listeners of `TRAINED` need it.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.

    Raises
    ------
    SpecError
        If there is no such listener, or it needs `train`.
    DataError
        If a recording is missing, or a question is none that the listener understands.
    """
    if name not in _PLACES:
        raise SpecError(f"baseline {name!r} is not known; known baselines: {', '.join(NAMES)}")
    if name in TRAINED and train is None:
        raise SpecError(f"baseline {name!r} learns from a train data set: give one with --train DIR")
    module, function = _PLACES[name]
    listener: Listener = getattr(import_module(f"listenbench.listeners.{module}"), function)
    return listener(dataset, Settings(checked_seed(seed), train, progress))
