"""Fixtures of the tests of effects: rendered music, and a cache folder of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from effect_clips import CLIPS

from listenbench.audio import SAMPLE_RATE
from listenbench.loudness import normalised
from listenbench.music import Clip
from listenbench.render import Renderer
from listenbench.soundfonts import find


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LISTENBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def renderer() -> Iterator[Renderer]:
    """Return a renderer for the whole session."""
    renderer = Renderer()
    yield renderer
    renderer.close()


@pytest.fixture(scope="session")
def music(renderer: Renderer) -> dict[str, npt.NDArray[np.float32]]:
    """Return rendered clips at -23 LUFS by name."""
    font = find("fluidr3-gm").path
    return {name: normalised(renderer.render(clip, font), SAMPLE_RATE, -23.0) for name, clip in CLIPS.items()}


@pytest.fixture
def a_clip() -> Clip:
    """Return some melody."""
    return CLIPS["piano"]
