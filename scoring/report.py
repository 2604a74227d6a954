"""The report of a score: which tables it has, and how figures look in them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from listenbench.scoring.conditions import AUDIO, condition_of
from listenbench.scoring.figures_text import float_text, interval_text
from listenbench.scoring.predictions import READOUTS
from listenbench.scoring.psychometric import Bound, Curve
from listenbench.scoring.rounding import percent
from listenbench.scoring.scorer import GROUPINGS, Figure, Group
from listenbench.scoring.sensitivity import Sensitivity
from listenbench.scoring.tables import Table, as_csv, as_latex, as_markdown, as_text

if TYPE_CHECKING:
    from listenbench.scoring.listeners import Panel
    from listenbench.scoring.scored import Score

CHANCE_MARK: Final = "~"
NONE: Final = "-"

_NOTE: Final = (
    "In percent, with 95 % intervals over items. Missing and invalid answers count as wrong.\n"
    f"{CHANCE_MARK} marks figures that guessing gives (p > 0.05)."
)
_TITLES: Final = {
    (): "All items",
    ("task",): "By task",
    ("task", "rung"): "By task and rung",
    ("stay_factor",): "By STAY factor (items whose STAY file has it)",
    ("task", "stay_factor"): "By task and STAY factor",
    ("task", "flip_factor"): "By task and FLIP factor",
    ("texture",): "By texture",
    ("task", "texture"): "By task and texture",
}
MAIN_LABELS: Final = {
    "clean_accuracy": "clean",
    "acc_fs": "Acc_FS",
    "miss_rate": "MR",
    "false_flip_rate": "FFR",
}
"""The figures of the main table, each with the head of its column."""

_PAIRS: Final = {"pairs_both_right": "pairs right", "pairs_one_right": "one right"}
_LETTERS: Final = {"share_of_a": "share of A", "accuracy_given_a": "given A", "accuracy_given_b": "given B"}


def text(score: Score) -> str:
    """Return the report for a terminal."""
    return "\n\n".join(["\n".join(_facts(score)), *map(as_text, tables(score))])


def markdown(score: Score) -> str:
    """Return the report in Markdown."""
    facts = "\n".join(f"- {fact}" for fact in _facts(score))
    return "\n\n".join([facts, *map(as_markdown, tables(score))])


def latex(score: Score) -> str:
    """Return one row a task and one for all items: clean, Acc_FS, MR, FFR."""
    groups = [group for group in score.analysis.groups if group.by in ((), ("task",))]
    rows = tuple((_label(group), *(plain(group.figures[name]) for name in MAIN_LABELS)) for group in groups)
    return as_latex(Table(f"{score.key.name}", ("", *MAIN_LABELS.values()), rows))


def csv_rows(score: Score) -> str:
    """Return one row a group: its fields, exact counts, and figures in percent with their intervals."""
    groups = score.analysis.groups
    fields = tuple(dict.fromkeys(field for by in GROUPINGS for field in by))
    counts = tuple(groups[0].totals)
    names = tuple(groups[0].figures)
    header = ("by", *fields, "items", *(f"n_{name}" for name in counts))
    header += tuple(f"{name}{part}" for name in names for part in ("", "_low", "_high", "_is_chance"))
    rows = [
        (
            "+".join(group.by) or "all",
            *(dict(zip(group.by, group.names, strict=True)).get(field, "") for field in fields),
            str(group.items),
            *(str(group.totals[name]) for name in counts),
            *(cell for name in names for cell in csv_cells(group.figures[name])),
        )
        for group in groups
    ]
    return as_csv(header, rows)


def csv_cells(figure: Figure) -> tuple[str, str, str, str]:
    """Return a figure in percent, the ends of its interval, and whether guessing gives it."""
    if figure.value is None:
        return ("", "", "", "")
    low = high = ""
    if figure.interval is not None:
        low, high = float_text(100 * figure.interval.low, 4), float_text(100 * figure.interval.high, 4)
    return percent(figure.value, 4), low, high, str(figure.is_chance).lower()


def _facts(score: Score) -> list[str]:
    """Return what was scored, one fact a line."""
    key, predictions = score.key, score.predictions
    files = len(key.rows)
    facts = [f"data: {key.name}, {len(key.row_of)} items, {files} files"]
    if key.fingerprint:
        facts[0] += f", fingerprint {key.fingerprint[:16]}"
    if predictions.meta.get("model"):
        facts.append(f"model: {predictions.meta['model']}")
    condition = condition_of(predictions.meta)
    if condition != AUDIO:
        facts.append(f"condition: {condition} (not the recordings of the data set)")
    stated = predictions.meta.get("readout")
    facts.append(f"readout: {READOUTS[predictions.readout]}" + (f" (made by: {stated})" if stated else ""))
    invalid = sum(predictions.invalid_reasons.values())
    covered = files - predictions.missing if score.panel is None else score.panel.files
    coverage = percent(Fraction(covered, files))
    facts.append(f"coverage: {coverage} %, {predictions.missing} missing, {invalid} invalid")
    if score.panel is not None:
        facts.append(
            f"listeners: {len(score.panel.listeners)}, with {score.panel.answers} answers to {covered} of "
            f"{files} files; figures are over these answers alone"
        )
    facts += [f"  {count} invalid: {reason}" for reason, count in predictions.invalid_reasons.items()]
    if predictions.repeated:
        facts.append(f"repeated answers: {predictions.repeated}")
    if key.assumed_choices:
        facts.append("letters: A same or first, B different or second, as published (the key doesn't say)")
    facts.append(f"intervals: {score.resamples} bootstrap resamples of items within tasks, seed {score.seed}")
    return facts


def tables(score: Score) -> Iterable[Table]:
    """Yield the tables of a report."""
    groups = score.analysis.groups
    yield _main_table((), groups[:1])
    by = {grouping: [group for group in groups if group.by == grouping] for grouping in GROUPINGS[1:]}
    if len(by["task", "flip_factor"]) == len(by["task",]):
        del by["task", "flip_factor"]
    if len(by["texture",]) < 2:
        del by["texture",], by["task", "texture"]
    for grouping, members in by.items():
        if members:
            yield _main_table(grouping, members)
    whole = [*groups[:1], *by["task",]]
    yield _letter_table(whole)
    if score.panel is not None:
        yield _listener_table(score.panel)
    if any(group.totals["both"] for group in whole):
        yield _both_table([group for group in groups if group.by in ((), ("task",), ("stay_factor",))])
    if score.analysis.sensitivities:
        yield _sensitivity_table(score.analysis.sensitivities)
    if score.analysis.curves:
        yield _curve_table(score.analysis.curves)


def _label(group: Group) -> str:
    return " ".join(group.names) or "all"


def _main_table(grouping: tuple[str, ...], groups: list[Group] | tuple[Group, ...]) -> Table:
    metrics = MAIN_LABELS | _PAIRS
    rows = tuple(
        (_label(group), str(group.items), *(with_interval(group.figures[name]) for name in metrics))
        for group in groups
    )
    note = "" if grouping else _NOTE
    return Table(_TITLES[grouping], ("", "items", *metrics.values()), rows, note)


def _letter_table(groups: list[Group]) -> Table:
    rows = tuple(
        (
            _label(group),
            str(group.totals["files"]),
            *(plain(group.figures[name]) for name in _LETTERS),
            str(group.totals["invalid"]),
            str(group.totals["missing"]),
        )
        for group in groups
    )
    header = ("", "files", *_LETTERS.values(), "invalid", "missing")
    note = "Share of A among valid answers; accuracy of files whose right letter is A, or B."
    return Table("Letters (clean, FLIP and STAY files)", header, rows, note)


def _listener_table(panel: Panel) -> Table:
    rows = [
        (each.name, str(each.answers), *(with_interval(each.figures[name]) for name in MAIN_LABELS))
        for each in panel.listeners
    ]
    if len(panel.listeners) > 1:
        intervals = (interval_text(panel.intervals[name], 100, 1) or NONE for name in MAIN_LABELS)
        rows.append(("all, over listeners", str(panel.answers), *intervals))
    note = (
        "The last line draws whole listeners: what other people would give, where there are enough of them."
    )
    header = ("", "answers", *MAIN_LABELS.values())
    return Table("Listeners", header, tuple(rows), note if len(panel.listeners) > 1 else "")


def _both_table(groups: list[Group]) -> Table:
    rows = tuple(
        (_label(group), str(group.totals["both"]), with_interval(group.figures["both_accuracy"]))
        for group in groups
    )
    return Table("Edited and perturbed (condition `both`)", ("", "files", "accuracy"), rows)


def _sensitivity_table(values: dict[str, dict[str, Sensitivity]]) -> Table:
    rows = tuple(
        (
            f"{task} {trials.replace('_', ' ')}",
            str(value.different_trials + value.same_trials),
            f"{float_text(value.d_prime, 2)} {interval_text(value.d_prime_interval, 1, 2)}",
            f"{float_text(value.criterion, 2)} {interval_text(value.criterion_interval, 1, 2)}",
        )
        for task, per_trials in values.items()
        for trials, value in per_trials.items()
    )
    note = "For the answer 'different', log-linear correction; c above 0 leans to 'same'."
    return Table("Sensitivity", ("", "files", "d'", "c"), rows, note)


def _curve_table(curves: dict[str, Curve]) -> Table:
    rows = tuple(
        (task, accuracies(curve), threshold_text(curve), curve.unit) for task, curve in curves.items()
    )
    note = "Accuracy over clean and FLIP files by rung; threshold where the fitted curve reaches 75 %."
    return Table("Smallest change heard", ("", "accuracy by rung", "threshold", "unit"), rows, note)


def accuracies(curve: Curve) -> str:
    """Return the share of right answers at each rung, in percent."""
    shares = zip(curve.rungs, curve.right, curve.files, strict=True)
    return ", ".join(f"{rung}: {percent(Fraction(right, files))}" for rung, right, files in shares)


def threshold_text(curve: Curve) -> str:
    """Return the threshold with its interval; what lies outside of the tested range, as `<` or `>`."""
    threshold, low, high = (_bound_text(bound, curve) for bound in (curve.threshold, curve.low, curve.high))
    return f"{threshold} [{low}, {high}]"


def _bound_text(bound: Bound, curve: Curve) -> str:
    if bound.value is None:
        return f"<{curve.rungs[0]}" if bound.side == "below" else f">{curve.rungs[-1]}"
    return float_text(bound.value, 3 if curve.unit == "ratio" else 2 if curve.unit == "semitones" else 0)


def plain(figure: Figure) -> str:
    """Return a figure in percent without its interval, marked if guessing gives it."""
    if figure.value is None:
        return NONE
    return percent(figure.value) + (CHANCE_MARK if figure.is_chance else "")


def with_interval(figure: Figure) -> str:
    """Return a figure in percent with its interval, marked if guessing gives it."""
    if figure.value is None:
        return NONE
    return f"{plain(figure)} {interval_text(figure.interval, 100, 1)}".rstrip()
