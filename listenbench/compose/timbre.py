"""Timbre: one line, played by one instrument or by another."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from listenbench.compose import published
from listenbench.compose.lines import draw_manner, draw_pitches, line_clip, line_content
from listenbench.compose.options import LineOptions
from listenbench.compose.trial import (
    Accept,
    Setting,
    Trial,
    Unsuitable,
    first_suitable,
    same_or_different,
)
from listenbench.edits import Edit, change_instrument
from listenbench.instruments import MelodicInstrument, instruments_for
from listenbench.music import Clip, Instrument
from listenbench.randomness import pick, pick_weighted

DISTANCES = ("near", "far")

_BALANCING_ROUNDS = 500

Pair = tuple[MelodicInstrument, MelodicInstrument]


def compose_timbre(
    generator: np.random.Generator, setting: Setting, options: LineOptions, rung: str, accept: Accept
) -> Trial:
    """Draw a line and two instruments that can play it, 'near' (one family) or 'far' (two families).

    Raises
    ------
    Unsuitable
        If no two instruments of that distance, or no acceptable line, fit into the drawn band of pitches.
    """
    if options.published_pool:
        return published.compose_timbre(generator, setting, options.published_pool)
    band = pick(generator, setting.bands)
    first, second = pick_weighted(generator, *instrument_pairs(band, setting.programs, rung))
    manner = draw_manner(generator, options.notes, setting.window)
    pair = " ".join(map(str, sorted((first.program, second.program))))

    def draw() -> tuple[tuple[int, ...], str]:
        pitches = draw_pitches(generator, manner, band)
        content = f"{line_content(pitches, manner)} | {pair}"
        if not accept(content):
            raise Unsuitable
        return pitches, content

    pitches, content = first_suitable(draw)
    base = line_clip(pitches, manner, Instrument(first.program), setting.window)
    return same_or_different(
        base,
        change_instrument(base, Instrument(second.program)),
        Edit("instrument", "timbre", rung, "family distance"),
        content=content,
        material={"band": band[0], "program": first.program, **manner.material()},
    )


def redraw_music(generator: np.random.Generator, setting: Setting, options: LineOptions, clip: Clip) -> Clip:
    """Return other music for the same instrument, in the same band of pitches.

    Within an arrangement the tempo and the tones have to stay: only the pitches are drawn again.

    Raises
    ------
    Unsuitable
        If no line fits.
    """
    if options.published_pool:
        return published.redraw_line(generator, setting, options.published_pool, clip)
    pitches = {note.pitch for note in clip.lead.notes}
    bands = [b for b in setting.bands if b[0] <= min(pitches) and max(pitches) <= b[1]]
    band = pick(generator, bands)
    if len(clip.parts) > 1:
        return first_suitable(lambda: _other_pitches(generator, band, clip))
    manner = draw_manner(generator, options.notes, setting.window)
    redrawn = first_suitable(lambda: draw_pitches(generator, manner, band))
    return line_clip(redrawn, manner, clip.lead.instrument, setting.window)


def _other_pitches(generator: np.random.Generator, band: tuple[int, int], clip: Clip) -> Clip:
    """Return the clip with other pitches for its lead, out of those that its music has in any octave."""
    parts = [part for part in clip.parts if not part.instrument.is_percussion]
    tones = {note.pitch % 12 for part in parts for note in part.notes}
    ladder = [pitch for pitch in range(band[0], band[1] + 1) if pitch % 12 in tones]
    notes = [replace(note, pitch=pick(generator, ladder)) for note in clip.lead.notes]
    if [note.pitch for note in notes] == [note.pitch for note in clip.lead.notes]:
        raise Unsuitable
    return clip.with_lead(replace(clip.lead, notes=tuple(notes)))


@cache
def instrument_pairs(
    band: tuple[int, int], programs: tuple[int, ...], rung: str
) -> tuple[tuple[Pair, ...], tuple[float, ...]]:
    """Return the ordered pairs of instruments of one distance, with the probability of each.

    The probabilities are symmetric, and every instrument comes first (and second) equally often, at either
    distance: so neither clip's instrument tells the answer or the rung. They are found by symmetric
    scaling of the matrix of allowed pairs (Sinkhorn and Knopp, 1967).

    Raises
    ------
    Unsuitable
        If the band is too wide for any two instruments.
    """
    players = _with_partners(band, programs)
    allowed = _allowed(players, rung).astype(float)
    if not players:
        raise Unsuitable
    scale = np.ones(len(players))
    for _ in range(_BALANCING_ROUNDS):
        scale = np.sqrt(scale / (allowed @ scale))
    weights = scale[:, None] * allowed * scale[None, :]
    rows, columns = np.nonzero(allowed)
    pairs = tuple((players[i], players[j]) for i, j in zip(rows, columns, strict=True))
    return pairs, tuple(float(weight) for weight in weights[rows, columns])


def _with_partners(band: tuple[int, int], programs: tuple[int, ...]) -> tuple[MelodicInstrument, ...]:
    """Return the instruments that cover a band and have a partner at every distance there."""
    players = tuple(
        instrument
        for instrument in instruments_for(programs)
        if instrument.lowest <= band[0] and band[1] <= instrument.highest
    )
    while True:
        partnered = np.all([_allowed(players, rung).any(axis=1) for rung in DISTANCES], axis=0)
        if partnered.all():
            return players
        players = tuple(p for p, kept in zip(players, partnered, strict=True) if kept)


def _allowed(players: tuple[MelodicInstrument, ...], rung: str) -> np.ndarray:
    """Return the boolean matrix of pairs of different instruments that are of one distance."""
    matrix = np.zeros((len(players), len(players)), dtype=bool)
    for i, first in enumerate(players):
        for j, second in enumerate(players):
            distance = "near" if first.family == second.family else "far"
            matrix[i, j] = i != j and distance == rung
    return matrix
