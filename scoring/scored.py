"""A score: what was scored, and all its figures, as Python values, JSON and tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from listenbench._version import __version__
from listenbench.errors import DataError
from listenbench.randomness import checked_seed
from listenbench.scoring import report
from listenbench.scoring.bootstrap import LEVEL
from listenbench.scoring.json_values import curve_value, group_value, sensitivity_value
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.listeners import Panel, make_panel, panel_value
from listenbench.scoring.outcomes import tabulate
from listenbench.scoring.predictions import READOUTS, Duplicates, Predictions, Source, read_predictions
from listenbench.scoring.problems import quoted
from listenbench.scoring.scorer import Analysis, Figure, analyse
from listenbench.scoring.trials import LISTENER, key_of_trials

SCHEMA: Final = "listenbench.score/1"
"""Name and version of the JSON form; the version changes when a field changes its meaning or goes."""

MAXIMUM_RESAMPLES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one submission.

    Attributes
    ----------
    key : AnswerKey
        What it was scored on.
    predictions : Predictions
        What was scored.
    analysis : Analysis
        The figures.
    resamples, seed : int
        How the intervals were made.
    panel : Panel or None
        The listeners one by one, where the predictions name them.
    """

    key: AnswerKey
    predictions: Predictions
    analysis: Analysis
    resamples: int
    seed: int
    panel: Panel | None = None

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The figures over all items, by name, such as `figures["acc_fs"]`."""
        return self.analysis.groups[0].figures

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain data for JSON; `docs/scoring.md` describes the fields."""
        key, predictions = self.key, self.predictions
        return {
            "schema": SCHEMA,
            "listenbench_version": __version__,
            "data": {
                "name": key.name,
                "seed": key.seed,
                "fingerprint": key.fingerprint,
                "files": len(key.rows),
                "items": len(key.row_of),
                "letters": list(key.letters),
                "letters_assumed_as_published": key.assumed_choices,
            },
            "predictions": {
                "source": predictions.source,
                "meta": dict(predictions.meta),
                "readout": predictions.readout,
                "readout_description": READOUTS[predictions.readout],
                "answered": len(predictions.responses) - predictions.missing,
                "missing": predictions.missing,
                "invalid": sum(predictions.invalid_reasons.values()),
                "invalid_reasons": dict(predictions.invalid_reasons),
                "repeated": predictions.repeated,
            },
            "bootstrap": {"resamples": self.resamples, "seed": self.seed, "level": LEVEL, "unit": "item"},
            "listeners": None if self.panel is None else panel_value(self.panel),
            "groups": [group_value(group) for group in self.analysis.groups],
            "sensitivity": {
                task: {trials: sensitivity_value(value) for trials, value in values.items()}
                for task, values in self.analysis.sensitivities.items()
            },
            "psychometric": {task: curve_value(curve) for task, curve in self.analysis.curves.items()},
        }

    def to_text(self) -> str:
        """Return tables for a terminal."""
        return report.text(self)

    def to_markdown(self) -> str:
        """Return tables in Markdown."""
        return report.markdown(self)

    def to_csv(self) -> str:
        """Return one row a group, with counts and exact figures, as comma-separated values."""
        return report.csv_rows(self)

    def to_latex(self) -> str:
        """Return rows for a LaTeX table, one a task and one for all."""
        return report.latex(self)


def make_score(
    source: Source,
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates,
    strict: bool,
    resamples: int,
    seed: int,
) -> Score:
    """Score predictions; see `listenbench.scoring.score`."""
    check_resampling(resamples, seed)
    key = read_key(data)
    predictions = checked_predictions(source, key, duplicates, strict=strict)
    return score_predictions(key, predictions, resamples, seed)


def checked_predictions(
    source: Source, key: AnswerKey, duplicates: Duplicates, *, strict: bool, whole: bool = False
) -> Predictions:
    """Read predictions and refuse those that a key can't score.

    Parameters
    ----------
    source : path, mapping or iterable of mappings
        The predictions.
    key : AnswerKey
        The data set.
    duplicates : {"error", "first", "last"}
        Which reply counts when a file has several.
    strict : bool
        Whether files without a reply are an error.
    whole : bool, optional
        Whether every file of the data set has to count once, so that answers of listeners are an error.

    Raises
    ------
    DataError
        If they can't be used, were made on another data set, or are not as `strict` or `whole` ask.
    """
    predictions = read_predictions(source, key, duplicates)
    check_fingerprint(predictions, key)
    if whole:
        check_whole(predictions)
    if strict and predictions.missing:
        asked_about = len(predictions.responses)
        raise DataError(f"{predictions.source}: {predictions.missing} of {asked_about} files have no answer")
    return predictions


def score_predictions(key: AnswerKey, predictions: Predictions, resamples: int, seed: int) -> Score:
    """Score predictions that were read already, such as those of `checked_predictions`."""
    asked = key if predictions.trials is None else key_of_trials(key, predictions.trials)
    analysis = analyse(asked, tabulate(asked, predictions.responses), resamples, seed)
    return Score(key, predictions, analysis, resamples, seed, make_panel(key, predictions, resamples, seed))


def check_resampling(resamples: int, seed: int) -> None:
    """Refuse a number of resamples or a seed that can't be used.

    Raises
    ------
    DataError
        If the number of resamples is not from 100 to 1,000,000.
    SpecError
        If the seed is not an integer from 0 to 2**64 - 1.
    """
    checked_seed(seed)
    if (
        isinstance(resamples, bool)
        or not isinstance(resamples, int)
        or not 100 <= resamples <= MAXIMUM_RESAMPLES
    ):
        raise DataError(f"resamples: {resamples!r} is not an integer from 100 to {MAXIMUM_RESAMPLES}")


def check_fingerprint(predictions: Predictions, key: AnswerKey) -> None:
    """Refuse predictions that say that they were made on another data set.

    Raises
    ------
    DataError
        If `meta.dataset_fingerprint` is there and is not the fingerprint of the data set.
    """
    stated = predictions.meta.get("dataset_fingerprint")
    if stated is not None and key.fingerprint is not None and stated != key.fingerprint:
        raise DataError(
            f"{predictions.source}: made on the data set with fingerprint {quoted(stated)}; "
            f"{quoted(key.name)} has {quoted(key.fingerprint)}"
        )


def check_whole(predictions: Predictions) -> None:
    """Refuse the answers of listeners where every file of a data set has to count once.

    Raises
    ------
    DataError
        If the lines name listeners.
    """
    if predictions.trials is not None:
        raise DataError(
            f"{predictions.source}: its lines name a {LISTENER}, and each answered a part: such answers "
            "can be scored alone, but not compared or ranked file by file"
        )
