"""Takes never cross a velocity layer of a soundfont."""

import numpy as np
import pytest

from listenbench.compose.lines import SOFT_VELOCITIES
from listenbench.instruments import INSTRUMENTS, PERCUSSION
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part
from listenbench.render import Renderer
from listenbench.soundfonts import find, read_soundfont
from listenbench.takes import MAXIMUM_VELOCITY_STEPS

FONTS = ("musescore-general", "fluidr3-gm", "timgm6mb")
LOUDEST_ACCENT = 8
MELODIC = range(
    SOFT_VELOCITIES[0] - MAXIMUM_VELOCITY_STEPS,
    SOFT_VELOCITIES[1] + LOUDEST_ACCENT + MAXIMUM_VELOCITY_STEPS,
)
PERCUSSIVE = range(82, 119)


@pytest.mark.parametrize("name", FONTS)
def test_one_set_of_samples_serves_all_velocities(name):
    font = read_soundfont(find(name).path)
    for instrument in INSTRUMENTS.values():
        preset = font.preset(0, instrument.program)
        for key in range(instrument.lowest, instrument.highest + 1):
            assert len({tuple(preset.samples_at(key, v)) for v in MELODIC}) == 1, (instrument, key)
    kit = font.preset(PERCUSSION_BANK, 0)
    for sound in PERCUSSION.values():
        assert len({tuple(kit.samples_at(sound.pitch, v)) for v in PERCUSSIVE}) == 1, sound


@pytest.mark.parametrize("name", FONTS)
def test_the_level_rises_without_steps(name):
    renderer, path = Renderer(), find(name).path
    for instrument in INSTRUMENTS.values():
        key = (instrument.lowest + instrument.highest) // 2
        levels = []
        for velocity in MELODIC:
            notes = (Note(key, 0.0, 0.2, velocity),)
            samples = renderer.render(Clip((Part(Instrument(instrument.program), notes),), 0.3, 1.0), path)
            levels.append(10 * np.log10(np.mean(samples**2)))
        assert np.abs(np.diff(levels)).max() < 1.0, instrument
    renderer.close()
