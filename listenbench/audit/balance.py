"""Balance: answers against everything else that was drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from listenbench.audit.check import Check, listed
from listenbench.audit.evidence import Evidence, Record

LEVEL = 0.001
"""Probability with which a balanced data set fails any of the tests of independence of a task."""

_FEW_VALUES = 12


def check_balance(evidence: Evidence) -> Iterator[Check]:
    """Yield counts of answers, overall and against each axis of the design, and tests of free variables."""
    for task in evidence.tasks:
        for condition in evidence.split.variants:
            records = evidence.of(task, condition)
            if records:
                yield _even(f"{task}, {condition}: answers", records, lambda _: "all", 1)
        clean = evidence.of(task, "clean") or evidence.of(task)
        for name, key in _AXES.items():
            # Two halves of a design, each a prefix of a crossed block, differ by one; so do two axes of it.
            yield _even(f"{task}: answers by {name}", clean, key, 2)
        yield _independent(task, clean)
        yield listed("balance", f"{task}: clean items by rung", _counts(clean, lambda r: r.gold["rung"]))
        yield listed(
            "balance",
            f"{task}: clean items by rung where B is different, or faster",
            _counts([r for r in clean if r.changed], lambda r: r.gold["rung"]),
        )
        stay = evidence.of(task, "stay")
        if stay:
            yield listed("balance", f"{task}: STAY by factor", _counts(stay, lambda r: r.gold["factor"]))


_AXES: dict[str, Callable[[Record], Any]] = {
    "rung": lambda r: r.gold["rung"],
    "wording": lambda r: r.item.question,
    "letters": lambda r: r.item.choices,
    "soundfont": lambda r: r.soundfonts[0],
}


def _even(name: str, records: Sequence[Record], key: Callable[[Record], Any], most: int) -> Check:
    """Check that the answers differ by at most `most` in number for each value of a key."""
    table: dict[Any, Counter[bool]] = {}
    for record in records:
        first = record.choice == sorted(record.request.choices)[0]
        table.setdefault(key(record), Counter())[first] += 1
    worst = max(abs(counts[True] - counts[False]) for counts in table.values())
    figure = f"differ by {worst}" + (f" at most, {len(table)} values" if len(table) > 1 else "")
    return Check("balance", name, figure, f"{most}", worst <= most)


def _counts(records: Sequence[Record], key: Callable[[Record], Any]) -> str:
    counts = Counter(str(key(record)) for record in records)
    return ", ".join(f"{value}: {count}" for value, count in sorted(counts.items()))


def _independent(task: str, records: Sequence[Record]) -> Check:
    """Check that no free variable goes with the answer, by the smallest corrected p value."""
    answers = np.array([record.changed for record in records])
    names = sorted({name for record in records for name in record.manifest["material"]})
    if not names or len(set(answers.tolist())) < 2:
        return Check("balance", f"{task}: free variables", "nothing to test", "some", passed=False)
    columns = {name: [record.manifest["material"].get(name) for record in records] for name in names}
    p_values = {name: min(1.0, len(names) * _p_value(values, answers)) for name, values in columns.items()}
    worst = min(p_values, key=lambda name: p_values[name])
    figure = f"{len(names)} variables, least p {p_values[worst]:.3f} ({worst}, Bonferroni)"
    return Check(
        "balance",
        f"{task}: free variables against answers",
        figure,
        f"p at least {LEVEL}",
        p_values[worst] >= LEVEL,
    )


def _p_value(values: Sequence[Any], answers: np.ndarray) -> float:
    """Return the p value of independence: chi-squared for names, Kolmogorov-Smirnov for numbers."""
    from scipy.stats import chi2_contingency, ks_2samp

    kinds = sorted(set(values), key=str)
    if len(kinds) < 2:
        return 1.0
    if len(kinds) > _FEW_VALUES and all(isinstance(value, int | float) for value in kinds):
        numbers = np.array(values, dtype=float)
        return float(ks_2samp(numbers[answers], numbers[~answers]).pvalue)
    table = np.zeros((2, len(kinds)))
    for value, answer in zip(values, answers, strict=True):
        table[int(answer), kinds.index(value)] += 1
    return float(chi2_contingency(table).pvalue)
