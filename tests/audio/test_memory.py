"""Memory that a worker frees serves the next clip."""

import platform
import subprocess
import sys

import pytest

PAGES_A_ROUND = 2 * 2**20 // 4096
ROUNDS = 100
PROGRAM = f"""\
import resource
import numpy as np
from listenbench.memory import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def clip():
    # Several arrays at once, freed together, as the steps of a clip are.
    return [np.full(2**17, 1.0, np.float32) for _ in range(4)]

{{}}
clip()
before = faults()
for _ in range({ROUNDS}):
    clip()
print(faults() - before)
"""


def faults(*calls):
    program = PROGRAM.format("\n".join(calls))
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return int(result.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library is told to")
def test_a_worker_does_not_have_the_same_pages_cleared_again():
    assert faults("keep_freed_memory()") < PAGES_A_ROUND
    # What the call is for: a library that kept them by itself would need no telling.
    assert faults() > PAGES_A_ROUND * ROUNDS / 4


def test_a_system_with_another_library_goes_on_without(monkeypatch):
    from listenbench import memory

    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: object())
    memory.keep_freed_memory()
