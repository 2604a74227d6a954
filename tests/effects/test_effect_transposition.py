"""Transposition: what it does to the symbols, and to the sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from effect_clips import CLIPS, MELODY, hertz, melody_clip, note_frequencies
from hypothesis import given
from hypothesis import strategies as st

from listenbench.attributes import differing
from listenbench.effects import get_effect
from listenbench.errors import SpecError
from listenbench.render import Renderer
from listenbench.soundfonts import find

TRANSPOSITION: Any = get_effect("transposition")

distances = st.integers(-2400, 2400).filter(lambda cents: abs(cents) >= 5)


@given(cents=distances, name=st.sampled_from(sorted(CLIPS)))
def test_moves_register_and_tuning_and_nothing_else(cents: int, name: str) -> None:
    clip = CLIPS[name]
    moved = TRANSPOSITION.apply_to_clip(clip, {"cents": cents})
    assert differing(clip, moved) <= TRANSPOSITION.alters
    if clip.lead.instrument.is_percussion:
        assert moved.parts == clip.parts
        return
    for before, after in zip(clip.lead.notes, moved.lead.notes, strict=True):
        assert 100 * (after.pitch - before.pitch) + moved.tuning_cents == pytest.approx(cents)
    assert abs(moved.tuning_cents) <= 50


@given(cents=distances)
def test_there_and_back_is_the_same_clip(cents: int) -> None:
    clip = CLIPS["violin"]
    there = TRANSPOSITION.apply_to_clip(clip, {"cents": cents})
    assert TRANSPOSITION.apply_to_clip(there, {"cents": -cents}) == clip


def test_draws_reach_from_25_to_200_cents_both_ways() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    drawn = [TRANSPOSITION.draw(rng)["cents"] for _ in range(2500)]
    # Some of the 176 distances would be missing with a probability of 1e-4.
    assert {abs(cents) for cents in drawn} == set(range(25, 201))
    # Five standard deviations on both sides of the half.
    assert 1125 < sum(cents > 0 for cents in drawn) < 1375


def test_options_are_kept() -> None:
    options = TRANSPOSITION.options({"minimum_cents": 60, "maximum_cents": 60})
    rng = np.random.Generator(np.random.PCG64(1))
    assert {TRANSPOSITION.draw(rng, options)["cents"] for _ in range(20)} == {-60, 60}
    with pytest.raises(SpecError, match="minimum_cents 100 is above maximum_cents 50"):
        TRANSPOSITION.options({"minimum_cents": 100, "maximum_cents": 50})
    with pytest.raises(SpecError, match="cents: a transposition must be audible, at least 5 cents, got -4"):
        TRANSPOSITION.check({"cents": -4})


@pytest.mark.parametrize("font", ["fluidr3-gm", "musescore-general"])
@pytest.mark.parametrize("program", [0, 24, 73])
@pytest.mark.parametrize("cents", [-200, -137, -25, 25, 63, 150, 200])
def test_the_sound_moves_by_the_stated_interval(
    cents: int, program: int, font: str, renderer: Renderer
) -> None:
    path = find(font).path
    moved = TRANSPOSITION.apply_to_clip(melody_clip(program), {"cents": cents})
    # The same notes in tune: each note of a soundfont has a small deviation of its own.
    in_tune = replace(moved, tuning_cents=0.0)
    semitones = moved.lead.notes[0].pitch - MELODY[0]
    expected = tuple(pitch + semitones for pitch in MELODY)
    reference = note_frequencies(renderer.render(in_tune, path), expected)
    bent = tuple(pitch + moved.tuning_cents / 100 for pitch in expected)
    measured = note_frequencies(renderer.render(moved, path), bent)
    np.testing.assert_allclose(1200 * np.log2(np.divide(measured, reference)), moved.tuning_cents, atol=3)
    np.testing.assert_allclose(
        1200 * np.log2(np.divide(reference, [hertz(pitch) for pitch in expected])), 0, atol=15
    )
