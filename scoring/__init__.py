"""Scoring: predictions against an answer key, with the statistics that a paper prints.

Nothing here imports audio or MIDI libraries. The functions import what they need when they are called, so
that `import listenbench.scoring` costs next to nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from listenbench.scoring.parsing import parse_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from listenbench.scoring.compared import Comparison
    from listenbench.scoring.condition_scores import ConditionScores
    from listenbench.scoring.predictions import Duplicates, Source
    from listenbench.scoring.scored import Score

__all__ = ["compare", "parse_answer", "score", "score_conditions"]


def score(
    predictions: Source,
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates = "error",
    strict: bool = False,
    resamples: int = 5_000,
    seed: int = 0,
) -> Score:
    """Score predictions.

    Parameters
    ----------
    predictions : path, mapping of str to str, or iterable of mappings
        A JSON Lines file; or file ids to letters; or mappings with the fields of a line.
    data : path
        A data set folder, or a key file.
    duplicates : {"error", "first", "last"}, optional
        Which reply counts when a file has several; by default that is an error.
    strict : bool, optional
        Whether files without a reply are an error.
    resamples : int, optional
        Number of bootstrap resamples behind each interval.
    seed : int, optional
        Seed of the resampling.

    Returns
    -------
    Score
        The figures, with `to_dict`, `to_text`, `to_markdown`, `to_csv` and `to_latex`.

    Raises
    ------
    listenbench.errors.DataError
        If the key or the predictions can't be used; the message names file, line and reason.
    """
    from listenbench.scoring.scored import make_score

    return make_score(predictions, data, duplicates=duplicates, strict=strict, resamples=resamples, seed=seed)


def compare(
    first: Source,
    second: Source,
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates = "error",
    strict: bool = False,
    resamples: int = 5_000,
    seed: int = 0,
) -> Comparison:
    """Compare two submissions on the same items.

    Parameters
    ----------
    first, second : path, mapping of str to str, or iterable of mappings
        Predictions, as for `score`; differences are second minus first.
    data : path
        A data set folder, or a key file.
    duplicates : {"error", "first", "last"}, optional
        Which reply counts when a file has several.
    strict : bool, optional
        Whether files without a reply are an error.
    resamples : int, optional
        Number of bootstrap resamples behind each interval.
    seed : int, optional
        Seed of the resampling.

    Returns
    -------
    Comparison
        The differences and tests, with `to_dict`, `to_text` and `to_markdown`.

    Raises
    ------
    listenbench.errors.DataError
        If the key or the predictions can't be used.
    """
    from listenbench.scoring.compared import make_comparison

    return make_comparison(
        (first, second), data, duplicates=duplicates, strict=strict, resamples=resamples, seed=seed
    )


def score_conditions(
    predictions: Sequence[Source],
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates = "error",
    strict: bool = False,
    resamples: int = 5_000,
    seed: int = 0,
) -> ConditionScores:
    """Score one model under several conditions, with the differences from the question alone.

    Parameters
    ----------
    predictions : sequence of path, mapping or iterable of mappings
        Predictions, as for `score`, one of each condition; that of the condition `none` is among them.
    data : path
        A data set folder, or a key file.
    duplicates : {"error", "first", "last"}, optional
        Which reply counts when a file has several.
    strict : bool, optional
        Whether files without a reply are an error.
    resamples : int, optional
        Number of bootstrap resamples behind each interval.
    seed : int, optional
        Seed of the resampling.

    Returns
    -------
    ConditionScores
        The scores and the differences, with the methods of `Score`.

    Raises
    ------
    listenbench.errors.DataError
        If the key or the predictions can't be used, a condition comes twice or `none` is absent, or they are
        not of one model and readout.
    """
    from listenbench.scoring.condition_scores import make_condition_scores

    return make_condition_scores(
        predictions, data, duplicates=duplicates, strict=strict, resamples=resamples, seed=seed
    )
