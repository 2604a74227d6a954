"""Shards for Hugging Face: Parquet files that hold the recordings themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import RawIOBase
from typing import Any, Final

from listenbench.audio import SAMPLE_RATE
from listenbench.extras import require
from listenbench.packing.samples import PackedSample

_TEXTS: Final = ("answer", "task", "item", "condition", "factor", "rung", "texture")
_GROUP_BYTES: Final = 16_000_000


def write_parquet(file: RawIOBase, samples: Iterable[PackedSample], *, answers: bool) -> None:
    """Write samples as rows: audio (bytes and path), id, question, choices; with answers the gold's columns.

    `datasets` finds the column types in the metadata of the schema. A rung is text, since it is a number in
    one task and a word in another.

    Raises
    ------
    SpecError
        If pyarrow is not installed.
    """
    pyarrow = require("pyarrow", "formats", "--parquet")
    parquet = require("pyarrow.parquet", "formats", "--parquet")
    schema = _schema(pyarrow, answers)
    with parquet.ParquetWriter(file, schema, compression="snappy", use_dictionary=False) as writer:
        for group in _groups(samples):
            rows = [_row(sample) for sample in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema), row_group_size=len(rows))


def _groups(samples: Iterable[PackedSample]) -> Iterator[list[PackedSample]]:
    """Yield groups of samples that fit into memory well."""
    group: list[PackedSample] = []
    for sample in samples:
        group.append(sample)
        if sum(len(member.audio) for member in group) >= _GROUP_BYTES:
            yield group
            group = []
    if group:
        yield group


def _row(sample: PackedSample) -> dict[str, Any]:
    row = {**sample.row, "audio": {"bytes": sample.audio, "path": f"{sample.id}.{sample.suffix}"}}
    return {**row, "rung": str(row["rung"])} if "rung" in row else row


def _schema(pyarrow: Any, answers: bool) -> Any:
    text = pyarrow.string()
    texts = _TEXTS if answers else ()
    fields = [
        ("audio", pyarrow.struct([("bytes", pyarrow.binary()), ("path", text)])),
        ("id", text),
        ("question", text),
        ("choices", pyarrow.list_(text)),
        *((name, text) for name in texts),
    ]
    value = {"dtype": "string", "_type": "Value"}
    features = {
        "audio": {"sampling_rate": SAMPLE_RATE, "_type": "Audio"},
        "id": value,
        "question": value,
        "choices": {"feature": value, "_type": "Sequence"},
        **dict.fromkeys(texts, value),
    }
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    return pyarrow.schema(fields, metadata=metadata)
