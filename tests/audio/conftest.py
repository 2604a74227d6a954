"""Recordings of generated items for the tests of what their labels say."""

from collections.abc import Iterator

import pytest
from recorded_items import Recorder


@pytest.fixture(scope="session")
def recorder() -> Iterator[Recorder]:
    """Return what records items, and plays single notes of the same soundfonts."""
    recorder = Recorder()
    yield recorder
    recorder.close()


@pytest.fixture(scope="session")
def recorded(request, recorder):
    """Return the recorded items of (split, task, seed); tests of the same ones run one after the other."""
    return recorder.items(*request.param)
