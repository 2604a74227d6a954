"""Dealing samples out to shards of bounded size."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from typing import BinaryIO


def plan_shards(sizes: Iterable[int], most: int) -> list[int]:
    """Return how many samples each shard gets, in their order; none gets more than `most` bytes of them.

    A sample that is larger has a shard to itself.
    """
    counts: list[int] = []
    held = 0
    for size in sizes:
        if not counts or held + size > most:
            counts.append(0)
            held = 0
        counts[-1] += 1
        held += size
    return counts


class HashedFile(io.RawIOBase):
    """A file to write to that knows the size and the SHA-256 of what was written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        """Return true."""
        return True

    def write(self, data: object) -> int:
        """Write all of some bytes."""
        view = memoryview(data).cast("B")  # type: ignore[arg-type] # any buffer, as the base declares it
        self._digest.update(view)
        self._file.write(view)
        self.size += len(view)
        return len(view)

    def tell(self) -> int:
        """Return how much was written."""
        return self.size

    def sha256(self) -> str:
        """Return the SHA-256 of what was written, in hexadecimal."""
        return self._digest.hexdigest()
