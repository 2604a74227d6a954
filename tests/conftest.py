"""Settings and helpers of the whole test suite."""

import os

import hypothesis
import pytest

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
