"""Synthetic music-listening tests whose answers are known exactly, and a scorer of models on them.

    import listenbench

    dataset = listenbench.generate("test", seed=0, items=10)
    item = next(iter(dataset))
    item.audio, item.question, item.choices
    listenbench.score("predictions.jsonl", dataset.folder)

Everything below is imported when it is first used, so that `import listenbench` loads no audio library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from listenbench._version import __version__
from listenbench.errors import DataError, ListenbenchError, RenderError, SpecError

if TYPE_CHECKING:
    from listenbench.dataset import Dataset, DatasetItem, load
    from listenbench.generation import generate
    from listenbench.models.rewards import reward
    from listenbench.scoring import score
    from listenbench.streaming import Sample, stream

_PLACES = {
    "Dataset": "listenbench.dataset",
    "DatasetItem": "listenbench.dataset",
    "Sample": "listenbench.streaming",
    "generate": "listenbench.generation",
    "load": "listenbench.dataset",
    "reward": "listenbench.models.rewards",
    "score": "listenbench.scoring",
    "stream": "listenbench.streaming",
}

__all__ = [
    "DataError",
    "Dataset",
    "DatasetItem",
    "ListenbenchError",
    "RenderError",
    "Sample",
    "SpecError",
    "__version__",
    "generate",
    "load",
    "reward",
    "score",
    "stream",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _PLACES:
        raise AttributeError(f"module 'listenbench' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value
