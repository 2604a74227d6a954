"""Running all checks on a data set."""

from __future__ import annotations

from pathlib import Path

from listenbench.audit.balance import check_balance
from listenbench.audit.check import Check, none_of
from listenbench.audit.contamination import check_contamination
from listenbench.audit.distinct import check_distinct
from listenbench.audit.evidence import Evidence, read_evidence
from listenbench.audit.labels import check_files, check_labels
from listenbench.audit.leaks import check_leaks
from listenbench.audit.realised import check_realised
from listenbench.audit.shortcuts import check_shortcuts
from listenbench.audit.sound import identify_all, measure_all


def audit(
    folder: str | Path,
    against: str | Path | None = None,
    *,
    everything: bool = False,
    workers: int = 1,
    progress: bool = False,
) -> list[Check]:
    """Run all checks on a data set.

    Parameters
    ----------
    folder : str or Path
        The data set.
    against : str or Path, optional
        Another one, with which it must have nothing in common.
    everything : bool
        Whether what is intended is measured on all recordings and not on a sample.
    workers : int
        Processes that measure recordings.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.

    Raises
    ------
    DataError
        If a folder holds no data set, or one too damaged to be looked at.
    """
    evidence = read_evidence(Path(folder))
    other = read_evidence(Path(against)) if against is not None else None
    sounds, problems = measure_all(
        _paths(evidence), evidence.split.silence_seconds, workers, progress=progress
    )
    checks = [
        *check_files(evidence),
        none_of("files", "recordings that can't be measured", problems.values(), len(evidence.records)),
        *check_labels(evidence),
        *check_balance(evidence),
        *check_distinct(evidence, sounds),
    ]
    if other is not None:
        other_sounds, other_problems = identify_all(
            _paths(other), other.split.silence_seconds, workers, progress=progress
        )
        unread = none_of(
            "contamination",
            "recordings of the other that can't be measured",
            other_problems.values(),
            len(other.records),
        )
        checks += [unread, *check_contamination(evidence, other, sounds, other_sounds)]
    checks += check_shortcuts(evidence, sounds)
    checks += check_realised(evidence, sounds, everything=everything)
    checks += check_leaks(evidence)
    return checks


def _paths(evidence: Evidence) -> dict[str, Path]:
    """Return the recordings by id, those of an item together."""
    return {r.id: r.item.path for r in sorted(evidence.records, key=lambda record: record.name)}
