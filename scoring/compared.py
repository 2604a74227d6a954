"""The comparison of two submissions, as Python values, JSON and tables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from listenbench._version import __version__
from listenbench.scoring.bootstrap import LEVEL
from listenbench.scoring.comparison import ComparedGroup, Difference, Net, compare_groups
from listenbench.scoring.figures_text import float_text, interval_text
from listenbench.scoring.json_values import interval_value
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.outcomes import tabulate
from listenbench.scoring.predictions import Duplicates, Predictions, Source
from listenbench.scoring.rounding import percent
from listenbench.scoring.scored import check_resampling, checked_predictions
from listenbench.scoring.tables import Table, as_markdown, as_text

SCHEMA: Final = "listenbench.comparison/1"
"""Name and version of the JSON form."""

_LABELS: Final = {
    "clean_accuracy": "clean",
    "miss_rate": "MR",
    "false_flip_rate": "FFR",
    "acc_fs": "Acc_FS",
    "both_accuracy": "both",
    "pairs_both_right": "pairs right",
}
_NOTE: Final = (
    "Second minus first, in points, with 95 % paired intervals over items; p by the bootstrap.\n"
    "Detectable: the smallest difference shown with 80 % power at the scatter seen here; at best: the\n"
    "smallest that this many files can show (p < 0.05)."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two submissions on the same items.

    Attributes
    ----------
    key : AnswerKey
        What they were scored on.
    first, second : Predictions
        What was compared.
    groups : tuple of ComparedGroup
        Over all items, then by task.
    resamples, seed : int
        How the intervals were made.
    """

    key: AnswerKey
    first: Predictions
    second: Predictions
    groups: tuple[ComparedGroup, ...]
    resamples: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON; differences are in points of percent."""
        return {
            "schema": SCHEMA,
            "listenbench_version": __version__,
            "data": {"name": self.key.name, "seed": self.key.seed, "fingerprint": self.key.fingerprint},
            "first": {"source": self.first.source, "meta": dict(self.first.meta)},
            "second": {"source": self.second.source, "meta": dict(self.second.meta)},
            "bootstrap": {"resamples": self.resamples, "seed": self.seed, "level": LEVEL, "unit": "item"},
            "groups": [group_value(group) for group in self.groups],
        }

    def to_text(self) -> str:
        """Return tables for a terminal."""
        return "\n\n".join(["\n".join(self._facts()), *map(as_text, self.tables())])

    def to_markdown(self) -> str:
        """Return tables in Markdown."""
        facts = "\n".join(f"- {fact}" for fact in self._facts())
        return "\n\n".join([facts, *map(as_markdown, self.tables())])

    def _facts(self) -> list[str]:
        return [
            f"data: {self.key.name}, {len(self.key.row_of)} items, {len(self.key.rows)} files",
            f"first: {_name(self.first)}",
            f"second: {_name(self.second)}",
            f"intervals: {self.resamples} bootstrap resamples of items within tasks, seed {self.seed}",
        ]

    def tables(self) -> Iterator[Table]:
        """Yield the tables of the report."""
        header = ("", "first", "second", "difference", "p", "detectable", "at best")
        for place, group in enumerate(self.groups):
            rows = tuple(
                (_LABELS[name], *difference_cells(difference))
                for name, difference in group.differences.items()
            )
            yield Table(_title(group), header, rows, "" if place else _NOTE)
        yield self._mcnemar_table()
        nets = tuple(
            (_title(group), *_net_cells(group.net)) for group in self.groups if group.net is not None
        )
        if nets:
            title = "Did MR fall more than FFR? (fall from first to second, in points)"
            yield Table(title, ("", "MR fell", "FFR fell", "MR more than FFR", "p"), nets)

    def _mcnemar_table(self) -> Table:
        rows = tuple(
            (f"{_title(group)} {condition}", str(test.only_first), str(test.only_second), p_text(test.p))
            for group in self.groups
            for condition, test in group.mcnemar.items()
        )
        return Table("McNemar's exact test", ("", "right only in first", "right only in second", "p"), rows)


def make_comparison(
    sources: tuple[Source, Source],
    data: str | os.PathLike[str],
    *,
    duplicates: Duplicates,
    strict: bool,
    resamples: int,
    seed: int,
) -> Comparison:
    """Compare two submissions; see `listenbench.scoring.compare`."""
    check_resampling(resamples, seed)
    key = read_key(data)
    first, second = (
        checked_predictions(source, key, duplicates, strict=strict, whole=True) for source in sources
    )
    table = tabulate(key, first.responses, second.responses)
    return Comparison(key, first, second, compare_groups(key, table, resamples, seed), resamples, seed)


def group_value(group: ComparedGroup) -> dict[str, Any]:
    """Return the comparison of a group as plain data, in points of percent."""
    return {
        "task": group.task,
        "items": group.items,
        "differences": {name: _difference_value(value) for name, value in group.differences.items()},
        "mcnemar": {condition: asdict(test) for condition, test in group.mcnemar.items()},
        "net": None if group.net is None else _net_value(group.net),
    }


def _difference_value(value: Difference) -> dict[str, Any]:
    return {
        "first": float(100 * value.first),
        "second": float(100 * value.second),
        "difference": float(100 * value.value),
        "rounded": percent(value.value),
        "interval": interval_value(value.interval, 100),
        "p": value.p,
        "detectable": None if value.detectable is None else 100 * value.detectable,
        "at_best": float(100 * value.at_best),
    }


def _net_value(net: Net) -> dict[str, Any]:
    return {
        "miss_rate_fall": float(100 * net.miss_rate_fall),
        "false_flip_rate_fall": float(100 * net.false_flip_rate_fall),
        "difference": float(100 * net.value),
        "rounded": percent(net.value),
        "interval": interval_value(net.interval, 100),
        "p": net.p,
    }


def _name(predictions: Predictions) -> str:
    model = predictions.meta.get("model")
    return f"{predictions.source} ({model})" if model else predictions.source


def _title(group: ComparedGroup) -> str:
    return "All items" if group.task is None else group.task


def difference_cells(value: Difference) -> tuple[str, ...]:
    """Return first, second, difference with its interval, p, detectable and at best, as texts in percent."""
    return (
        percent(value.first),
        percent(value.second),
        f"{percent(value.value)} {interval_text(value.interval, 100, 1)}",
        p_text(value.p),
        "-" if value.detectable is None else float_text(100 * value.detectable, 1),
        percent(value.at_best),
    )


def _net_cells(net: Net) -> tuple[str, ...]:
    return (
        percent(net.miss_rate_fall),
        percent(net.false_flip_rate_fall),
        f"{percent(net.value)} {interval_text(net.interval, 100, 1)}",
        p_text(net.p),
    )


def p_text(p: float) -> str:
    """Return a probability with three decimals; below 0.001, as `<0.001`."""
    return "<0.001" if p < 0.001 else float_text(p, 3)
