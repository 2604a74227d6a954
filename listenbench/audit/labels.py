"""Labels: the answer derived again from the symbols, and files that are as they were made."""

from __future__ import annotations

from collections.abc import Iterator

from listenbench.attributes import differing
from listenbench.audit.check import Check, none_of
from listenbench.audit.evidence import Evidence, Record
from listenbench.tasks import get_task
from listenbench.verify import verify

_STAY_ALTERS = frozenset({"register", "tuning"})
_REDRAW = "redraw"


def check_files(evidence: Evidence) -> Iterator[Check]:
    """Yield whether the data set is whole and unchanged."""
    problems = verify(evidence.folder)
    yield none_of("files", "whole and unchanged", problems, max(1, len(evidence.records)), "problems")


def check_labels(evidence: Evidence) -> Iterator[Check]:
    """Yield whether every answer follows from the clips, and variants answer as they should."""
    for task in evidence.tasks:
        records = evidence.of(task)
        wrong = [r.label for r in records if derived_change(r) != r.changed]
        yield none_of("files", f"{task}: answer follows from the symbols", wrong, len(records), "wrong")
        more = [r.label for r in records if not _differs_in_one(r)]
        yield none_of("files", f"{task}: no other attribute differs", more, len(records), "recordings")
    yield _opposite(evidence)


def derived_change(record: Record) -> bool:
    """Return whether the symbols say that clip B is different, or for rhythm faster."""
    clip_a, clip_b = record.clips
    if record.request.is_comparison:
        return get_task(record.task).attribute in differing(clip_a, clip_b)
    return clip_b.beat < clip_a.beat


def _differs_in_one(record: Record) -> bool:
    """Return whether the clips differ in nothing but the queried attribute and what STAY may alter."""
    if any(change["effect"] == _REDRAW for change in record.changes):
        return True
    found = differing(*record.clips) - {get_task(record.task).attribute}
    return found <= (_STAY_ALTERS if record.changes else frozenset())


def _opposite(evidence: Evidence) -> Check:
    """Return whether FLIP answers the opposite of clean, and STAY the same, with one question."""
    items: dict[str, dict[str, Record]] = {}
    for record in evidence.records:
        items.setdefault(record.name, {})[record.condition] = record
    wrong = []
    for name, variants in items.items():
        answers = {condition: record.answer for condition, record in variants.items()}
        kept = {answers[c] for c in ("clean", "stay") if c in answers}
        turned = {answers[c] for c in ("flip", "both") if c in answers}
        questions = {(record.item.question, record.item.choices) for record in variants.values()}
        if len(kept) > 1 or len(turned) > 1 or kept & turned or len(questions) > 1:
            wrong.append(name)
    return none_of("files", "FLIP switches, STAY keeps, one question an item", wrong, len(items), "items")
