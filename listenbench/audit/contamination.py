"""Contamination: what two data sets have in common that they must not share."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from listenbench.audit.check import MOST_ITEMS, Check, none_of
from listenbench.audit.evidence import Evidence, Record
from listenbench.audit.fingerprint import near_duplicates
from listenbench.audit.sound import Identity

_PITCHED = ("melody", "harmony")


def check_contamination(
    evidence: Evidence, other: Evidence, sounds: Mapping[str, Identity], other_sounds: Mapping[str, Identity]
) -> Iterator[Check]:
    """Yield whether two data sets share soundfonts, pitches, sound changes, contents or audio."""
    for name, values in _COMMON.items():
        yield _disjoint(name, evidence.records, other.records, values)
    yield _disjoint_files(evidence, other)
    for task in _PITCHED:
        yield _disjoint(f"{task}: sounding pitches", evidence.of(task), other.of(task), _pitches)
    for task in evidence.tasks:
        yield _disjoint(f"{task}: contents", evidence.of(task), other.of(task), _content)
        yield _near(task, evidence, other, sounds, other_sounds)
    theirs = {h for s in other_sounds.values() for h in (s.sha256, s.sha256_a, s.sha256_b)}
    mine = {i: {s.sha256, s.sha256_a, s.sha256_b} for i, s in sounds.items()}
    shared = [r.label for r in evidence.records if mine.get(r.id, set()) & theirs]
    yield none_of("contamination", "clips with the same samples", shared, len(sounds), "recordings")


def _soundfonts(record: Record) -> set[Hashable]:
    return set(record.soundfonts)


def _families(record: Record) -> set[Hashable]:
    return {str(change["effect"]) for change in record.changes}


def _parameters(record: Record) -> set[Hashable]:
    return {json.dumps(dict(change), sort_keys=True) for change in record.changes}


def _pitches(record: Record) -> set[Hashable]:
    return {pitch for clip in record.clips for pitch in clip.sounding_pitches()}


def _content(record: Record) -> set[Hashable]:
    return {str(record.manifest["content"])}


_COMMON: dict[str, Callable[[Record], set[Hashable]]] = {
    "names of soundfonts": _soundfonts,
    "families of sound changes": _families,
    "sound changes with their parameters, rooms among them": _parameters,
}


def _disjoint(
    name: str, mine: Iterable[Record], theirs: Iterable[Record], values: Callable[[Record], set[Hashable]]
) -> Check:
    """Check that no value of one group occurs in the other; a group without records shares nothing."""
    seen = {value for record in theirs for value in values(record)}
    records = list(mine)
    shared = {value for record in records for value in values(record)} & seen
    guilty = [record.label for record in records if values(record) & shared]
    figure = f"{len(shared)} shared" + (f", {_sample(shared)}" if shared else "")
    return Check("contamination", name, figure, "0 shared", not shared, tuple(sorted(guilty)[:MOST_ITEMS]))


def _sample(values: Iterable[Any]) -> str:
    shown = sorted(map(str, values))
    text = ", ".join(shown[:5])
    return (text if len(text) <= 80 else text[:77] + "...") + (" and others" if len(shown) > 5 else "")


def _disjoint_files(evidence: Evidence, other: Evidence) -> Check:
    """Check that no soundfont file, under whatever name, was used for both."""
    mine, theirs = (
        {str(font.get("sha256")) for font in e.description.get("soundfonts", {}).values()}
        for e in (evidence, other)
    )
    shared = sorted(mine & theirs)
    return none_of("contamination", "files of soundfonts, by SHA-256", shared, len(mine), "files")


def _near(
    task: str,
    evidence: Evidence,
    other: Evidence,
    sounds: Mapping[str, Identity],
    other_sounds: Mapping[str, Identity],
) -> Check:
    mine = {r.name: sounds[r.id].fingerprint for r in evidence.of(task) if r.id in sounds}
    measured = [r for r in other.of(task) if r.id in other_sounds]
    theirs = {f"other {r.name}": other_sounds[r.id].fingerprint for r in measured}
    found = [" = ".join(pair) for pair in near_duplicates(task, mine, theirs)]
    return none_of("contamination", f"{task}: near-duplicates by fingerprint", found, len(mine), "pairs")
