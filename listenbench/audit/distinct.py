"""Distinctness: no music twice, within a data set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from listenbench.audit.check import Check, listed, none_of
from listenbench.audit.evidence import Evidence
from listenbench.audit.fingerprint import near_duplicates
from listenbench.audit.sound import Sound


def check_distinct(evidence: Evidence, sounds: dict[str, Sound]) -> Iterator[Check]:
    """Yield distinct contents, recordings and clips, near-duplicates, and the effective number of items."""
    for task in evidence.tasks:
        contents: dict[str, set[str]] = defaultdict(set)
        for record in evidence.of(task):
            contents[str(record.manifest["content"])].add(record.name)
        doubled = [name for names in contents.values() if len(names) > 1 for name in names]
        items = len(set().union(*contents.values()))
        yield none_of("distinctness", f"{task}: symbolic content used twice", doubled, items, "items")
        yield listed("distinctness", f"{task}: effective number of items", f"{_effective(contents):.1f}")
        yield _clips(evidence, task, sounds)
        yield _near(evidence, task, sounds)
    files = Counter(sound.sha256 for sound in sounds.values())
    twice = [r.label for r in evidence.records if r.id in sounds and files[sounds[r.id].sha256] > 1]
    yield none_of("distinctness", "recordings with the same samples", twice, len(sounds), "recordings")


def _effective(contents: dict[str, set[str]]) -> float:
    """Return 1 / sum of squared shares (Hill number of order 2) of the contents among the items."""
    sizes = [len(names) for names in contents.values()]
    return sum(sizes) ** 2 / sum(size**2 for size in sizes)


def _clips(evidence: Evidence, task: str, sounds: dict[str, Sound]) -> Check:
    """Check that the samples of clip A, and those of a clean clip B, occur in one item only."""
    owners: dict[str, set[str]] = defaultdict(set)
    for record in evidence.of(task):
        if record.id in sounds:
            owners[sounds[record.id].sha256_a].add(record.name)
            owners[sounds[record.id].sha256_b].add(record.name)
    shared = [name for names in owners.values() if len(names) > 1 for name in names]
    items = len(set().union(*owners.values()))
    return none_of("distinctness", f"{task}: clips with the same samples", shared, items, "items")


def _near(evidence: Evidence, task: str, sounds: dict[str, Sound]) -> Check:
    """Check that no clip A of one item sounds nearly like that of another one."""
    # Every recording's, since variants that don't share clip A as they should may hide a duplicate.
    prints = {r.id: sounds[r.id].fingerprint for r in evidence.of(task) if r.id in sounds}
    names = {r.id: r.name for r in evidence.of(task)}
    pairs = {(names[a], names[b]) for a, b in near_duplicates(task, prints, prints) if names[a] != names[b]}
    found = [" = ".join(sorted(pair)) for pair in pairs]
    return none_of("distinctness", f"{task}: near-duplicates by fingerprint", found, len(prints), "pairs")
