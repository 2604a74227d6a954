"""Replies to recordings that were not shown as the data set has them.

`meta.condition` says what was shown. Under `swapped` the clips came in the other order: whether two clips are
the same doesn't depend on that, but the first one is then the second one of the data set. Such letters are
exchanged, so that they name the clip as it lies in the data set, and every figure means what it always means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.key import AnswerKey

AUDIO: Final = "audio"
"""The condition under which the recording is shown as it is; that of predictions that state none."""

NONE: Final = "none"
"""The condition under which the question is shown alone."""

SWAPPED: Final = "swapped"
"""The condition under which clip B is played before clip A."""

_POSITIONS: Final = frozenset({"first", "second"})


def condition_of(meta: Mapping[str, Any]) -> str:
    """Return what was shown, by the first line of predictions."""
    return str(meta.get("condition") or AUDIO)


def as_in_data_set(
    responses: NDArray[np.uint8], meta: Mapping[str, Any], key: AnswerKey
) -> NDArray[np.uint8]:
    """Return the responses as answers about the recordings of the data set.

    Parameters
    ----------
    responses : array of uint8, shape (rows,)
        Codes of the responses to what was shown.
    meta : mapping
        The first line of the predictions.
    key : AnswerKey
        Says for which rows the letters name a clip by its position.
    """
    if condition_of(meta) != SWAPPED:
        return responses
    by_position = np.array([set(words) == _POSITIONS for words in key.choices])[key.choices_of_row]
    exchanged = by_position & (responses < len(_POSITIONS))
    return np.where(exchanged, 1 - responses, responses).astype(np.uint8)
