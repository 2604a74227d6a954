"""Settings and helpers of the whole test suite."""

import contextlib
import os

import hypothesis
import pytest

from listenbench import fluidsynth
from listenbench.errors import RenderError

hypothesis.settings.register_profile(
    "listenbench",
    deadline=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("listenbench")


@pytest.hookimpl
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: tests of interrupted runs and of servers mostly wait."""
    affinity = getattr(os, "sched_getaffinity", None)
    return 1 + (len(affinity(0)) if affinity else os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with slow tests first: a process that is left with one at the end has nobody to share it."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_configure() -> None:
    """Load FluidSynth before any test imports soundfile, whose libsndfile it would take for its own."""
    with contextlib.suppress(RenderError):
        fluidsynth.library()
