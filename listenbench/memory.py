"""How a process that lives for its work alone treats memory."""

from __future__ import annotations

import ctypes
from typing import Final

_TRIM_THRESHOLD: Final = -1
_TOP_PAD: Final = -2
_MMAP_THRESHOLD: Final = -3
"""Parameters of `mallopt` (malloc.h of the GNU C library)."""

_MEBIBYTE: Final = 2**20
_LIMITS: Final = (
    # The most that every release takes; larger blocks go back to the system when they are freed.
    (_MMAP_THRESHOLD, 32 * _MEBIBYTE),
    (_TRIM_THRESHOLD, 1024 * _MEBIBYTE),
    (_TOP_PAD, 4 * _MEBIBYTE),
)


def keep_freed_memory() -> None:
    """Have this process keep the memory that it frees; elsewhere than with the GNU C library, do nothing.

    That library gives freed arrays of a clip's size back to the system, which clears each page again for the
    next clip: a tenth of a worker's time. Peak memory stays as it is.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    for parameter, size in _LIMITS:
        mallopt(parameter, size)
