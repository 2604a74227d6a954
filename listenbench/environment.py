"""Variables that the processes which this one starts inherit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping


@contextlib.contextmanager
def inherited(variables: Mapping[str, str]) -> Iterator[None]:
    """Have processes that are started in the block inherit variables, and put the old ones back after it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
