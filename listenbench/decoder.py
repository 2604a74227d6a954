"""Which libsndfile decodes compressed soundfonts for FluidSynth, on which the bytes of recordings depend.

On Linux, a library is taken for the one that another library needs if it has the right SONAME, wherever it
came from. The wheel of soundfile brings a libsndfile of its own with the SONAME of the system's, so that a
program that imports soundfile before FluidSynth is loaded has FluidSynth decode with the wheel's copy: its
samples differ in the last bits.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from listenbench.environment import inherited

SONAME: Final = "libsndfile.so.1"

_MAPS: Final = Path("/proc/self/maps")
_PRELOAD: Final = "LD_PRELOAD"


def is_displaced() -> bool:
    """Return whether FluidSynth, if it is loaded now, gets another libsndfile than a new process gives it.

    It does where a libsndfile is loaded, and none of them under the name that the system's linker looks for.
    """
    if not sys.platform.startswith("linux"):
        return False
    names = {Path(line.split(maxsplit=5)[-1].strip()).name for line in _mapped() if "libsndfile" in line}
    return bool(names) and not any(name.startswith("libsndfile.so") for name in names)


@contextlib.contextmanager
def undisplaced_children() -> Iterator[None]:
    """Have processes that are started in the block load the system's libsndfile before any other one.

    It matters where this process has soundfile's copy: children import the same main module, and load it too.
    """
    before = os.environ.get(_PRELOAD)
    preloaded = SONAME if not before else f"{SONAME}:{before}"
    with inherited({_PRELOAD: preloaded} if is_displaced() else {}):
        yield


def _mapped() -> list[str]:
    try:
        return _MAPS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
