"""The rows that describe a recording: one for the model, one for the evaluator, one with everything."""

from __future__ import annotations

from listenbench.dataset import Row, recording_name
from listenbench.items import Item
from listenbench.realise import Recording


def metadata_row(item: Item, identifier: str, suffix: str) -> Row:
    """Return the row of a file that a model may see."""
    return {
        "file_name": recording_name(identifier, suffix),
        "id": identifier,
        "question": item.question,
        "choices": list(item.choices),
    }


def gold_row(item: Item, recording: Recording) -> Row:
    """Return the row of a file that the evaluator keeps."""
    variant = recording.variant
    return {
        "id": variant.id,
        "answer": variant.answer,
        "task": item.task,
        "item": item.name,
        "condition": variant.condition,
        "factor": variant.factor,
        "rung": item.rung,
        "texture": item.texture,
    }


def manifest_row(item: Item, recording: Recording, sha256: str) -> Row:
    """Return the full provenance of a file."""
    variant = recording.variant
    return {
        **gold_row(item, recording),
        "sha256": sha256,
        "samples": len(recording),
        "choices": list(item.choices),
        "relation": variant.relation,
        "difference": variant.difference.to_dict() if variant.difference else None,
        "clip_a": item.clip_a.to_dict(),
        "clip_b": variant.clip_b.to_dict(),
        "content": item.content,
        "material": dict(item.material),
        "peaks_dbfs": list(recording.peaks_dbfs),
    }
