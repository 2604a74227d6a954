"""Fingerprints on rendered percussion and melodies: duplicates are told from what only resembles them."""

from dataclasses import replace

import numpy as np
import pytest

from listenbench.audio import SAMPLE_RATE
from listenbench.audit.fingerprint import (
    SAME_RISES,
    common_rises,
    equal_signs,
    fingerprint,
    near_duplicates,
)
from listenbench.compose.figures import FIGURES
from listenbench.edits import repeat_figure
from listenbench.instruments import PERCUSSION
from listenbench.loudness import normalised
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part
from listenbench.realise import faded
from listenbench.render import Renderer
from listenbench.soundfonts import find
from listenbench.takes import draw_takes, perform

WINDOW, START = 4.0, 0.1


def played(sound, name, rate, *, start=START, velocity=96, take=0):
    """Return the fingerprint of a figure, rendered with a take of its own."""
    figure = FIGURES[name]
    strokes = [(onset, Note(PERCUSSION[sound].pitch, 0.0, 0.08, velocity)) for onset in figure.onsets]
    notes = repeat_figure(strokes, figure.beats, start, 60 / rate, WINDOW)
    clip = Clip((Part(Instrument(0, PERCUSSION_BANK), tuple(notes)),), WINDOW, 60 / rate)
    performed = perform(clip, draw_takes(np.random.default_rng(take), len(notes))[0])
    samples = Renderer().render(performed, find("musescore-general").path)
    return fingerprint(normalised(faded(samples), SAMPLE_RATE, -23.0))


def alike(first, second):
    return bool(near_duplicates("rhythm", {"one": first}, {"other": second}))


@pytest.mark.parametrize("rate", [52.0, 131.0, 297.0])
@pytest.mark.parametrize("sound", ["low conga", "tambourine"])
def test_two_takes_of_a_figure_are_alike_and_two_percent_faster_is_not(sound, rate):
    first = played(sound, "x..x", rate, take=1)
    assert alike(first, played(sound, "x..x", rate, take=2, velocity=88))
    assert not alike(first, played(sound, "x..x", 1.02 * rate, take=3))
    # The strokes in mid-clip fall together, so that those at both ends are half as far off.
    start = WINDOW / 2 - (WINDOW / 2 - START) / 1.02
    assert not alike(first, played(sound, "x..x", 1.02 * rate, take=4, start=start))


def test_other_figures_at_a_slow_rate_are_not_alike_although_their_decays_are():
    """Within the first 1.9 s a slow figure is hardly begun; signs take both for the same."""
    first, second = (played("tambourine", name, 51.0) for name in ("x.xx", "xxx."))
    signs = equal_signs(first.signs.reshape(1, -1), second.signs.reshape(1, -1)).item()
    assert signs > 0.9
    assert not alike(first, second)


def test_the_same_strokes_on_another_sound_are_not_alike():
    first, second = (played(sound, "xxxxx.", 86.0) for sound in ("high floor tom", "low timbale"))
    assert not alike(first, second)
    assert not alike(first, replace(second, rises=first.rises))
    assert alike(first, replace(first, rises=first.rises))


def test_one_stroke_less_is_not_alike():
    for sound in ("short guiro", "low conga"):
        first, second = (played(sound, name, 59.2) for name in ("xxxx..", "xxxx.x"))
        assert not alike(first, second)


def test_common_rises_are_twice_the_common_ones_by_the_sum():
    first = np.array([[1, 1, 0, 0]], dtype=np.int8)
    second = np.array([[1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int8)
    assert common_rises(first, second).tolist() == [[pytest.approx(2 / 3), 0.0, 0.0]]


def test_clips_of_different_length_are_compared_as_far_as_both_reach():
    long = played("low conga", "x.x.", 140.0)
    short = replace(long, rises=long.rises[:90], signs=long.signs[:60])
    assert alike(long, short)
    assert near_duplicates("melody", {"one": short}, {"other": long}) == [("one", "other")]
    # In one data set, a clip that ends early is compared with the silence after it.
    pairs = near_duplicates("rhythm", {"one": long, "other": short}, {"one": long, "other": short})
    lost = common_rises(
        long.rises.reshape(1, -1), np.pad(short.rises, ((0, len(long.rises) - 90), (0, 0))).reshape(1, -1)
    )
    assert bool(pairs) == (lost.item() >= SAME_RISES)
    assert not pairs
