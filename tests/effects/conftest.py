"""Rendered music for the tests of effects, and a cache folder of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from listenbench.loudness import normalised
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, part_of
from listenbench.render import SAMPLE_RATE, Renderer
from listenbench.soundfonts import find

MELODY = (60, 64, 62, 67)
CHORD = (48, 60, 64, 67)
PULSE_SECONDS = 0.3


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


def melody_clip(program: int) -> Clip:
    """Return four notes of 0.5 s each, from 0.1 s on."""
    notes = [Note(pitch, 0.1 + 0.55 * index, 0.5, 90) for index, pitch in enumerate(MELODY)]
    return Clip((part_of(Instrument(program), notes),), 2.5, 0.55)


def chord_clip(program: int) -> Clip:
    """Return one chord of 1.5 s."""
    return Clip((part_of(Instrument(program), [Note(p, 0.1, 1.5, 90) for p in CHORD]),), 2.0, 1.5)


def pulse_clip(drum: int) -> Clip:
    """Return a drum that is hit every `PULSE_SECONDS`, from 0.1 s on."""
    notes = [Note(drum, 0.1 + PULSE_SECONDS * index, 0.1, 100) for index in range(12)]
    return Clip((part_of(Instrument(0, PERCUSSION_BANK), notes),), 4.0, PULSE_SECONDS)


CLIPS = {
    "piano": melody_clip(0),
    "guitar": melody_clip(24),
    "violin": melody_clip(40),
    "flute": melody_clip(73),
    "piano chord": chord_clip(0),
    "organ chord": chord_clip(19),
    "hi-hat": pulse_clip(42),
    "claves": pulse_clip(75),
}


@pytest.fixture(scope="session")
def music(renderer: Renderer) -> dict[str, npt.NDArray[np.float32]]:
    """Return rendered clips at -23 LUFS by name."""
    font = find("fluidr3-gm").path
    return {name: normalised(renderer.render(clip, font), SAMPLE_RATE, -23.0) for name, clip in CLIPS.items()}


@pytest.fixture
def a_clip() -> Clip:
    """Return some melody."""
    return CLIPS["piano"]
