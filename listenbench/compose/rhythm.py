"""Rhythm: one percussion figure at two pulse rates.

One clip alone must tell as little as possible about the other. Let clip A's rate be a, and clip B's rate
a * q or a / q. If a is drawn without regard to the answer, clip A tells nothing. Clip B can't be made
silent altogether: on a logarithmic axis the mean of B when it is faster lies 2 log q above its mean when it
is slower, and both lie within the range of rates, of length L. The difference of two means is at most the
total variation distance times L, hence the best guess from clip B is right with probability of at least
1/2 + (log q) / L. A chain of rates reaches that, up to rounding: with n = floor(L / (2 log q)), clip A takes
one of the n places s, 3 s, 5 s ... (s = log q) above a bottom that is free within the remainder L - 2 n s.
Then every rate of clip B but the lowest and the highest of the chain is reached from below and from above
equally often, and the guess is right with probability 1/2 + 1/(2 n), `one_clip_bound`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator

from listenbench.compose import published
from listenbench.compose.figures import FIGURES, Figure
from listenbench.compose.trial import (
    Accept,
    Neighbourhood,
    Setting,
    Trial,
    Unsuitable,
    faster_or_slower,
    first_suitable,
)
from listenbench.edits import FIGURE_TAIL_SECONDS, repeat_figure
from listenbench.errors import SpecError
from listenbench.instruments import PERCUSSION
from listenbench.music import PERCUSSION_BANK, Clip, Instrument, Note, Part
from listenbench.randomness import pick, shuffled

NEAR_RATES: Final = 0.015
"""Natural logarithm of the ratio below which two pulse rates make one figure sound nearly the same."""

_ACCENTS = (0, 6, 12)
_EARLIEST_START = 0.04
_START_STEPS = 10
_SOUND_SECONDS = 0.08
_LEAST_WIDTH = 1.5**2

Rate = Annotated[float, Field(ge=30, le=480)]


class RhythmOptions(BaseModel):
    """Options of the rhythm task.

    Attributes
    ----------
    rates : (float, float)
        Lowest and highest pulse rate of any clip, 30 to 480 beats a minute. The highest is at least 2.25
        times the lowest, so that clip B may be faster or slower by any ratio of the task.
    sounds : tuple of str
        Names of percussion sounds to draw from; empty for all.
    figures : tuple of str
        Figures in box notation to draw from (`listenbench.compose.figures`); empty for all.
    published : bool
        Whether the published benchmark's material is used instead of ours.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rates: tuple[Rate, Rate] = (49.0, 360.0)
    sounds: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    published: bool = False

    @field_validator("rates")
    @classmethod
    def _wide_enough(cls, rates: tuple[float, float]) -> tuple[float, float]:
        if rates[1] < _LEAST_WIDTH * rates[0]:
            raise ValueError(f"the highest rate has to be {_LEAST_WIDTH:g} times the lowest one at least")
        return rates

    @field_validator("sounds")
    @classmethod
    def _known_sounds(cls, sounds: tuple[str, ...]) -> tuple[str, ...]:
        return _all_of(sounds, PERCUSSION)

    @field_validator("figures")
    @classmethod
    def _known_figures(cls, figures: tuple[str, ...]) -> tuple[str, ...]:
        return _all_of(figures, FIGURES)


def _all_of(names: tuple[str, ...], known: Mapping[str, object]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(known)}")
    return names


def chain_length(rates: tuple[float, float], ratio: float) -> int:
    """Return n, the number of places that clip A's rate can take for a given ratio."""
    return int(math.log(rates[1] / rates[0]) / (2 * math.log(ratio)) + 1e-9)


def one_clip_bound(rates: tuple[float, float], ratio: float) -> float:
    """Return the probability with which the best guess from clip B's rate alone is right.

    Parameters
    ----------
    rates : (float, float)
        Lowest and highest rate of any clip.
    ratio : float
        Faster by slower rate, above 1, known to whoever guesses.

    Returns
    -------
    float
        1/2 + 1/(2 n); see the module's docstring for the derivation.
    """
    return 0.5 + 0.5 / chain_length(rates, ratio)


def draw_rate(generator: np.random.Generator, rates: tuple[float, float], ratio: float) -> float:
    """Draw clip A's pulse rate in beats a minute, such that clip B stays within `rates` either way."""
    step = math.log(ratio)
    places = chain_length(rates, ratio)
    slack = math.log(rates[1] / rates[0]) - 2 * places * step
    bottom = math.log(rates[0]) + slack * float(generator.random())
    return math.exp(bottom + step * (2 * int(generator.integers(places)) + 1))


def compose_rhythm(
    generator: np.random.Generator, setting: Setting, options: RhythmOptions, rung: float, accept: Accept
) -> Trial:
    """Draw a figure on a percussion sound; clip B plays it faster or slower by the ratio `rung`.

    Raises
    ------
    Unsuitable
        If no acceptable rate was found.
    SpecError
        If the window is too short for the slowest rate.
    """
    if options.published:
        return published.compose_rhythm(generator, setting, rung)
    figures = [FIGURES[name] for name in options.figures or FIGURES]
    _check_window(setting.window, options.rates[0], max(figure.beats for figure in figures))
    start = round(_EARLIEST_START + 0.01 * int(generator.integers(_START_STEPS)), 2)
    velocity = int(generator.integers(84, 105))
    accent = pick(generator, _ACCENTS)

    families = [(sound, figure) for sound in options.sounds or tuple(PERCUSSION) for figure in figures]

    # The rate is drawn whatever families have room for it: otherwise crowded rates would become
    # rarer, and clip B would tell more than the chains allow.
    def draw() -> tuple[str, Figure, float, str, Neighbourhood]:
        rate = round(draw_rate(generator, options.rates, rung), 2)
        order = shuffled(generator, families)
        for apart in (True, False):
            for sound, figure in order:
                place = Neighbourhood(f"{sound} {figure.pattern}", math.log(rate), NEAR_RATES)
                content = f"{place.family} {rate}"
                if accept(content, place if apart else None):
                    return sound, figure, rate, content, place
        raise Unsuitable

    sound, figure, rate, content, place = first_suitable(draw)
    strokes = [
        (onset, Note(PERCUSSION[sound].pitch, 0.0, _SOUND_SECONDS, velocity + accent * (onset == 0)))
        for onset in figure.onsets
    ]
    notes = repeat_figure(strokes, figure.beats, start, 60 / rate, setting.window)
    lead = Part(Instrument(0, PERCUSSION_BANK), tuple(notes))
    base = Clip((lead,), setting.window, 60 / rate, cycle_beats=figure.beats)
    material: dict[str, str | float] = {
        "sound": sound,
        "figure": figure.pattern,
        "rate": rate,
        "start": start,
        "velocity": velocity,
        "accent": accent,
    }
    return faster_or_slower(base, rung, content, material, place)


def _check_window(window: float, slowest: float, beats: int) -> None:
    """Refuse a window that may hold less than one figure and the stroke after it: no pulse could be heard."""
    latest = _EARLIEST_START + 0.01 * (_START_STEPS - 1)
    shortest = latest + beats * 60 / slowest + _SOUND_SECONDS + FIGURE_TAIL_SECONDS
    if window < shortest:
        raise SpecError(
            f"tasks.rhythm: a window of {window:g} s is too short for figures of {beats} beats at "
            f"{slowest:g} beats a minute; it takes {math.ceil(100 * shortest) / 100:g} s, faster rates, or "
            "shorter figures"
        )
