"""A cache on disk for arrays that are slow to compute and a pure function of plain data.

An entry is one file: 32 bytes of SHA-256, then the array as little-endian float64. Writers use a temporary
name and rename it, so that processes can share the folder; an entry whose hash doesn't fit is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from listenbench.soundfonts.folders import cache_folder
from listenbench.whole_files import write_whole

Array = npt.NDArray[np.float64]

_DIGEST_BYTES: Final = 32
_STORED: Final = np.dtype("<f8")


def cached(kind: str, key: Mapping[str, Any], compute: Callable[[], Array]) -> Array:
    """Return what `compute` returns, from disk if it has been computed before.

    Parameters
    ----------
    kind : str
        Subfolder of the user's cache folder.
    key : mapping
        JSON data that the array is a function of, versions of the code included.
    compute : callable
        Returns a float64 array of shape (n,), n above 0.

    Returns
    -------
    ndarray of float64, shape (n,)
        Bit for bit the same, whether computed or read.
    """
    text = json.dumps(key, sort_keys=True, allow_nan=False)
    path = cache_folder() / kind / f"{hashlib.sha256(text.encode()).hexdigest()}.f64"
    found = _read(path)
    if found is not None:
        return found
    values = np.ascontiguousarray(compute(), dtype=np.float64)
    # A full or read-only disk costs time at the next call, never the result.
    with contextlib.suppress(OSError):
        _write(path, values)
    return values


def _read(path: Path) -> Array | None:
    """Return the array in a file, or None if there is no file or it is not whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if not payload or hashlib.sha256(payload).digest() != digest:
        return None
    return np.frombuffer(payload, dtype=_STORED).astype(np.float64)


def _write(path: Path, values: Array) -> None:
    """Put an entry in place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    payload = values.astype(_STORED).tobytes()
    write_whole(path, hashlib.sha256(payload).digest() + payload)
