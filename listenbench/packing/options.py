"""How a data set is packed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from listenbench.errors import SpecError

WEBDATASET: Final = "webdataset"
PARQUET: Final = "parquet"

SUFFIXES: Final = {WEBDATASET: "tar", PARQUET: "parquet"}
"""The suffix of the shards of each form."""

FOLDER: Final = "data"
"""Where the shards are, below the data set."""

DEFAULT_SHARD_BYTES: Final = 500_000_000
"""What a shard holds at most by default: large enough to stream fast, small enough to be copied again."""

_FEWEST_BYTES: Final = 1_000_000
_SHARD_NAME: Final = re.compile(rf"{FOLDER}/[A-Za-z0-9-]{{1,64}}-[0-9]{{5,}}-of-[0-9]{{5,}}\.(?:tar|parquet)")


@dataclass(frozen=True, slots=True)
class Packing:
    """How a data set is packed.

    Attributes
    ----------
    form : str
        'webdataset' or 'parquet'.
    answers : bool
        Whether the answers go with the recordings, for training.
    shard_bytes : int
        What a shard holds at most, unless a single recording is larger.
    """

    form: str
    answers: bool = False
    shard_bytes: int = DEFAULT_SHARD_BYTES

    def __post_init__(self) -> None:
        """Refuse what can't be."""
        if self.form not in SUFFIXES:
            raise SpecError(f"shards: {self.form!r} is not known; there are {', '.join(SUFFIXES)}")
        if type(self.shard_bytes) is not int or self.shard_bytes < _FEWEST_BYTES:
            raise SpecError(
                f"shard-bytes: {self.shard_bytes!r} is not a whole number of {_FEWEST_BYTES:,} or more"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the packing as plain data for JSON."""
        return {"form": self.form, "answers": self.answers, "shard_bytes": self.shard_bytes}

    def shard_name(self, split: str, number: int, count: int) -> str:
        """Return the path of a shard, in the form in which Hugging Face finds the files of a split."""
        return f"{FOLDER}/{split}-{number:05d}-of-{count:05d}.{SUFFIXES[self.form]}"


def is_shard_name(value: object) -> bool:
    """Return whether a value may name a shard: a file in the folder of shards, so that it leads nowhere."""
    return isinstance(value, str) and _SHARD_NAME.fullmatch(value) is not None
