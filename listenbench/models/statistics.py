"""What a run has met with, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from listenbench.dataset import DatasetItem
from listenbench.models.replies import FILTERED, reading_of
from listenbench.scoring.answers import INVALID
from listenbench.scoring.parsing import REFUSED


def counted(items: Sequence[DatasetItem], lines: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return how many recordings were answered, refused and so on.

    Parameters
    ----------
    items : sequence of DatasetItem
        What was asked.
    lines : mapping of str to mapping
        The lines of the predictions file by id; those without a reply left out.

    Returns
    -------
    dict of str to int
        `recordings`; `answered` with a letter; `refusals`, by the words of the reply or the filter of the
        service; `parse_failures`, other replies without a letter; `missing`; `asked_again` and `retries` as
        sums over all replies.
    """
    readings = {item.id: reading_of(lines[item.id], item.choices) for item in items if item.id in lines}
    unread = [identifier for identifier, reading in readings.items() if reading.code >= INVALID]
    refusals = [
        identifier
        for identifier in unread
        if readings[identifier] == REFUSED or lines[identifier].get("stop") == FILTERED
    ]
    return {
        "recordings": len(items),
        "answered": len(readings) - len(unread),
        "refusals": len(refusals),
        "parse_failures": len(unread) - len(refusals),
        "missing": len(items) - len(readings),
        "asked_again": sum(line.get("asked", 1) - 1 for line in lines.values()),
        "retries": sum(line.get("retries", 0) for line in lines.values()),
    }
