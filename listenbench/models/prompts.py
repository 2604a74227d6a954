"""The words that go with a recording, and the hash by which a run says which words they were."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Final

from listenbench.dataset import Dataset, DatasetItem, Row
from listenbench.errors import DataError
from listenbench.models.note_table import item_table
from listenbench.models.presentation import MIDI_TEXT

LETTER_INSTRUCTION: Final = "Reply with the letter only."
"""The end of every question that listenbench writes."""

JSON_INSTRUCTION: Final = 'Reply with a JSON object with one field and nothing else, such as {"answer": "A"}.'
"""What stands there when the answer is asked for as JSON; the letter is an example of the form."""


def prompts(
    dataset: Dataset, items: Iterable[DatasetItem], condition: str, *, as_json: bool
) -> dict[str, str]:
    """Return the text for each item by id.

    Parameters
    ----------
    dataset : Dataset
        Where the notes are looked up, for 'midi-text' alone.
    items : iterable of DatasetItem
        What is asked.
    condition : str
        What is shown; one of `presentation.CONDITIONS`.
    as_json : bool
        Whether the answer is asked for as a JSON object.

    Raises
    ------
    DataError
        If an item's row in the manifest is missing or damaged, or a question has no instruction to replace.
    """
    notes = dataset.manifest() if condition == MIDI_TEXT else None
    return {item.id: _prompt(item, notes, as_json) for item in items}


def _prompt(item: DatasetItem, notes: Mapping[str, Row] | None, as_json: bool) -> str:
    question = _asking_for_json(item) if as_json else item.question
    if notes is None:
        return question
    if item.id not in notes:
        raise DataError(f"item {item.id}: not in the manifest: the data set is damaged")
    return f"{item_table(notes[item.id])}\n\n{question}"


def _asking_for_json(item: DatasetItem) -> str:
    if not item.question.endswith(LETTER_INSTRUCTION):
        raise DataError(f"item {item.id}: its question doesn't end in {LETTER_INSTRUCTION!r}")
    return item.question.removesuffix(LETTER_INSTRUCTION) + JSON_INSTRUCTION


def prompts_sha256(texts: Mapping[str, str]) -> str:
    """Return the SHA-256 over ids and texts, in hexadecimal."""
    return hashlib.sha256(json.dumps(sorted(texts.items()), ensure_ascii=False).encode()).hexdigest()
