"""One model under several conditions: the score of each, and its difference from the question alone.

`meta.condition` of a predictions file says what the model was shown; without it, that was the recording. A
model that listens beats itself under `none`, and by how much is a paired difference over the same items (see
`listenbench.scoring.comparison`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from listenbench._version import __version__
from listenbench.errors import DataError
from listenbench.scoring.bootstrap import LEVEL
from listenbench.scoring.compared import difference_cells, group_value
from listenbench.scoring.comparison import ComparedGroup, compare_groups
from listenbench.scoring.conditions import NONE, condition_of
from listenbench.scoring.figures_text import float_text
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.outcomes import tabulate
from listenbench.scoring.predictions import Duplicates, Predictions, Source
from listenbench.scoring.problems import quoted
from listenbench.scoring.report import MAIN_LABELS, csv_cells, plain, with_interval
from listenbench.scoring.rounding import percent
from listenbench.scoring.scored import Score, check_resampling, checked_predictions, score_predictions
from listenbench.scoring.scorer import Group
from listenbench.scoring.tables import Table, as_csv, as_latex, as_markdown, as_text

SCHEMA: Final = "listenbench.conditions/1"
"""Name and version of the JSON form."""

_ALIKE: Final = ("model", "readout", "used_training_split")
_NOTE: Final = "In percent, with 95 % intervals over items; ~ marks figures that guessing gives (p > 0.05)."
_DIFFERENCE_NOTE: Final = (
    "The condition minus `none`, in points, with 95 % paired intervals over items; p of Acc_FS by bootstrap."
)


@dataclass(frozen=True, slots=True)
class ConditionScores:
    """The scores of one model under several conditions.

    Attributes
    ----------
    scores : mapping of str to Score
        By condition, in the order in which they were given; `none` is among them.
    differences : mapping of str to tuple of ComparedGroup
        By condition without `none`: over all items, then by task. First is `none`, second the condition.
    """

    scores: Mapping[str, Score]
    differences: Mapping[str, tuple[ComparedGroup, ...]]

    def to_dict(self) -> dict[str, Any]:
        """Return scores and differences as plain data for JSON; `docs/scoring.md` describes the fields."""
        some = self._any
        return {
            "schema": SCHEMA,
            "listenbench_version": __version__,
            "reference": NONE,
            "bootstrap": {"resamples": some.resamples, "seed": some.seed, "level": LEVEL, "unit": "item"},
            "conditions": [
                {
                    "condition": condition,
                    "score": score.to_dict(),
                    "from_none": [group_value(group) for group in self.differences.get(condition, ())],
                }
                for condition, score in self.scores.items()
            ],
        }

    def to_text(self) -> str:
        """Return tables for a terminal."""
        return "\n\n".join(["\n".join(self._facts()), *map(as_text, self.tables())])

    def to_markdown(self) -> str:
        """Return tables in Markdown."""
        facts = "\n".join(f"- {fact}" for fact in self._facts())
        return "\n\n".join([facts, *map(as_markdown, self.tables())])

    def to_latex(self) -> str:
        """Return one row a condition over all items: clean, Acc_FS, MR, FFR, Acc_FS minus that of `none`."""
        rows = tuple(
            (condition, *(plain(score.figures[name]) for name in MAIN_LABELS), self._gain(condition))
            for condition, score in self.scores.items()
        )
        return as_latex(Table(self._any.key.name, ("", *MAIN_LABELS.values(), "from none"), rows))

    def to_csv(self) -> str:
        """Return one row a condition and group: figures and differences in percent, with their intervals."""
        header: tuple[str, ...] = ("condition", "task", "items")
        header += tuple(
            f"{name}{part}" for name in MAIN_LABELS for part in ("", "_low", "_high", "_is_chance")
        )
        header += tuple(
            f"{name}_from_none{part}" for name in MAIN_LABELS for part in ("", "_low", "_high", "_p")
        )
        return as_csv(header, [self._csv_row(*row) for row in self._rows()])

    def tables(self) -> Iterator[Table]:
        """Yield the tables of the report: the scores, and the differences."""
        header = ("", *MAIN_LABELS.values())
        rows = tuple(
            (_label(condition, group), *(with_interval(group.figures[name]) for name in MAIN_LABELS))
            for condition, group, _ in self._rows()
        )
        yield Table("By condition", header, rows, _NOTE)
        differing = tuple(
            (_label(condition, group), *_difference_row(difference))
            for condition, group, difference in self._rows()
            if difference is not None
        )
        if differing:
            yield Table("Difference from `none`", (*header, "p"), differing, _DIFFERENCE_NOTE)

    @property
    def _any(self) -> Score:
        return next(iter(self.scores.values()))

    def _facts(self) -> Iterator[str]:
        some = self._any
        key, meta = some.key, some.predictions.meta
        yield f"data: {key.name}, {len(key.row_of)} items, {len(key.rows)} files"
        if meta.get("model"):
            yield f"model: {meta['model']}"
        for condition, score in self.scores.items():
            files, missing = len(key.rows), score.predictions.missing
            invalid = sum(score.predictions.invalid_reasons.values())
            coverage = percent(Fraction(files - missing, files))
            yield f"{condition}: {score.predictions.source}, coverage {coverage} %, {invalid} invalid"
        yield f"intervals: {some.resamples} bootstrap resamples of items within tasks, seed {some.seed}"

    def _rows(self) -> Iterator[tuple[str, Group, ComparedGroup | None]]:
        """Yield condition, figures and differences: over all items, then task by task."""
        tasks = [None, *self._any.key.names["task"]]
        for task in tasks:
            for condition, score in self.scores.items():
                names = () if task is None else (task,)
                by = () if task is None else ("task",)
                group = next(each for each in score.analysis.groups if (each.by, each.names) == (by, names))
                compared = self.differences.get(condition, ())
                yield condition, group, next((each for each in compared if each.task == task), None)

    def _gain(self, condition: str) -> str:
        compared = self.differences.get(condition, ())
        difference = compared[0].differences.get("acc_fs") if compared else None
        return "-" if difference is None else difference_cells(difference)[2]

    def _csv_row(self, condition: str, group: Group, compared: ComparedGroup | None) -> tuple[str, ...]:
        cells = [condition, *(group.names or ("",)), str(group.items)]
        for name in MAIN_LABELS:
            cells += csv_cells(group.figures[name])
        for name in MAIN_LABELS:
            difference = compared.differences.get(name) if compared else None
            if difference is None:
                cells += [""] * 4
                continue
            ends = (float_text(100 * end, 4) for end in (difference.interval.low, difference.interval.high))
            cells += [percent(difference.value, 4), *ends, repr(difference.p)]
        return tuple(cells)


def _label(condition: str, group: Group) -> str:
    return f"{condition} {' '.join(group.names) or 'all'}"


def _difference_row(compared: ComparedGroup) -> Iterator[str]:
    for name in MAIN_LABELS:
        difference = compared.differences.get(name)
        yield "-" if difference is None else difference_cells(difference)[2]
    gain = compared.differences.get("acc_fs")
    yield "-" if gain is None else difference_cells(gain)[3]


def make_condition_scores(
    sources: Sequence[Source],
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates,
    strict: bool,
    resamples: int,
    seed: int,
) -> ConditionScores:
    """Score predictions under several conditions; see `listenbench.scoring.score_conditions`."""
    check_resampling(resamples, seed)
    key = read_key(data)
    by_condition = _by_condition(
        [checked_predictions(source, key, duplicates, strict=strict, whole=True) for source in sources]
    )
    scores = {
        condition: score_predictions(key, predictions, resamples, seed)
        for condition, predictions in by_condition.items()
    }
    differences = {
        condition: _difference(key, by_condition[NONE], predictions, resamples, seed)
        for condition, predictions in by_condition.items()
        if condition != NONE
    }
    return ConditionScores(scores, differences)


def _difference(
    key: AnswerKey, none: Predictions, other: Predictions, resamples: int, seed: int
) -> tuple[ComparedGroup, ...]:
    return compare_groups(key, tabulate(key, none.responses, other.responses), resamples, seed)


def _by_condition(submissions: Sequence[Predictions]) -> dict[str, Predictions]:
    """Return the submissions by condition, after a check that nothing else sets them apart."""
    found: dict[str, Predictions] = {}
    for predictions in submissions:
        condition = condition_of(predictions.meta)
        if condition in found:
            raise DataError(
                f"{predictions.source}: its condition is {quoted(condition)}, as that of "
                f"{found[condition].source}: give one file a condition (compare takes any two files)"
            )
        found[condition] = predictions
    if NONE not in found:
        raise DataError(
            f"none of these files has the condition {quoted(NONE)}, from which differences are taken: its "
            f"conditions are {', '.join(map(quoted, found))}; add a run with --condition {NONE}"
        )
    first = submissions[0]
    for other in submissions[1:]:
        for field in _ALIKE:
            stated = first.meta.get(field), other.meta.get(field)
            if None not in stated and stated[0] != stated[1]:
                raise DataError(
                    f"{other.source}: its {field} is {quoted(stated[1])}, and that of {first.source} is "
                    f"{quoted(stated[0])}: differences between conditions need one and the same"
                )
    return found
