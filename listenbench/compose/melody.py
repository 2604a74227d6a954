"""Melodies: a line, and the same line with one note moved."""

from __future__ import annotations

import numpy as np

from listenbench.compose import published
from listenbench.compose.lines import (
    NARROWEST_BAND,
    Manner,
    draw_manner,
    draw_pitches,
    line_clip,
    line_content,
)
from listenbench.compose.options import LineOptions
from listenbench.compose.trial import (
    Accept,
    Setting,
    Trial,
    Unsuitable,
    first_suitable,
    same_or_different,
)
from listenbench.edits import Edit, move_notes
from listenbench.instruments import players
from listenbench.music import Instrument
from listenbench.randomness import pick

_WIDEST_LEAP = 12


def compose_melody(
    generator: np.random.Generator, setting: Setting, options: LineOptions, rung: int, accept: Accept
) -> Trial:
    """Draw a melody and its neighbour with one note moved by `rung` cents, 100 or a multiple.

    Which of the two becomes clip A is drawn as well. An edited melody is therefore as likely in either
    clip as an unedited one, so that no single clip tells the answer.

    Raises
    ------
    Unsuitable
        If no acceptable melody in which a note can be moved that far was found.
    """
    if options.published_pool:
        return published.compose_melody(generator, setting, options.published_pool, rung)
    instrument, band = pick(
        generator, players(pick(generator, setting.bands), setting.programs, NARROWEST_BAND)
    )
    manner = draw_manner(generator, options.notes, setting.window)
    pitches, index, semitones = first_suitable(
        lambda: _draw_with_move(generator, manner, band, rung // 100, accept)
    )
    original = line_clip(pitches, manner, Instrument(instrument.program), setting.window)
    moved = move_notes(original, [index], semitones)
    swapped = bool(generator.integers(2))
    base, edited = (moved, original) if swapped else (original, moved)
    cents = float(100 * (-semitones if swapped else semitones))
    return same_or_different(
        base,
        edited,
        Edit("note_pitch", "melody", cents, "cents", (index,)),
        content=_content(pitches, index, semitones, manner),
        material={"band": band[0], "program": instrument.program, **manner.material()},
    )


def _draw_with_move(
    generator: np.random.Generator, manner: Manner, band: tuple[int, int], semitones: int, accept: Accept
) -> tuple[tuple[int, ...], int, int]:
    """Draw the pitches of a melody, and which note moves by how many semitones."""
    pitches = draw_pitches(generator, manner, band)
    index, step = pick(generator, _possible_moves(pitches, band, semitones))
    if not accept(_content(pitches, index, step, manner)):
        raise Unsuitable
    return pitches, index, step


def _content(pitches: tuple[int, ...], index: int, semitones: int, manner: Manner) -> str:
    """Return both melodies as one string, whichever of them becomes clip A."""
    moved = (*pitches[:index], pitches[index] + semitones, *pitches[index + 1 :])
    return " | ".join(sorted(line_content(line, manner) for line in (pitches, moved)))


def _possible_moves(pitches: tuple[int, ...], band: tuple[int, int], semitones: int) -> list[tuple[int, int]]:
    """Return the (note, signed semitones) that keep the melody in its band, its register and singable."""
    lowest = min(pitches)
    moves = []
    for index, pitch in enumerate(pitches):
        others = pitches[:index] + pitches[index + 1 :]
        neighbours = pitches[max(index - 1, 0) : index] + pitches[index + 1 : index + 2]
        for step in (semitones, -semitones):
            target = pitch + step
            singable = all(abs(target - neighbour) <= _WIDEST_LEAP for neighbour in neighbours)
            if lowest <= target <= band[1] and min((*others, target)) == lowest and singable:
                moves.append((index, step))
    if not moves:
        raise Unsuitable
    return moves
