"""From symbolic clips to samples: FluidSynth, one fresh synthesizer a clip."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import SAMPLE_RATE
from listenbench.errors import RenderError
from listenbench.fluidsynth import BLOCK, Synth
from listenbench.music import Clip, Instrument, Note

PERCUSSION_CHANNEL: Final = 9
"""The channel that General MIDI reserves for drum kits, counted from 0."""

_INTERPOLATION_POINTS: Final = 7
_KEEPER_CHANNELS: Final = 256
_OFF, _ON = 0, 1

FloatArray = npt.NDArray[np.float32]


class Renderer:
    """Renders clips; keeps every soundfont and preset that it has met in memory.

    A clip's samples depend on the clip and the soundfont alone, never on what was rendered before: each clip
    gets a synthesizer of its own, which borrows the soundfont from one that only keeps it loaded.
    """

    def __init__(self) -> None:
        self._keepers: dict[Path, _Keeper] = {}

    def render(self, clip: Clip, soundfont: Path) -> FloatArray:
        """Render one clip.

        Parameters
        ----------
        clip : Clip
            What to play.
        soundfont : Path
            The SF2 or SF3 file that plays it.

        Returns
        -------
        ndarray of float32, shape (round(clip.window * SAMPLE_RATE),)
            The mean of both output channels, as FluidSynth gives it: not normalised.

        Raises
        ------
        RenderError
            If the soundfont can't be loaded, lacks a preset, or the clip comes out silent.
        """
        keeper = self._keeper(soundfont)
        synth = Synth(SAMPLE_RATE)
        try:
            with synth.borrowed(keeper.synth, keeper.identifier) as identifier:
                synth.set_interpolation(_INTERPOLATION_POINTS)
                channels = _channels(part.instrument for part in clip.parts)
                for channel, part in zip(channels, clip.parts, strict=True):
                    keeper.hold(part.instrument)
                    synth.select(channel, identifier, part.instrument.bank, part.instrument.program)
                    if not part.instrument.is_percussion:
                        synth.bend(channel, clip.tuning_cents)
                stereo = _perform(synth, clip, channels)
        finally:
            synth.close()
        mono: FloatArray = (stereo[0] + stereo[1]) * np.float32(0.5)
        if not np.any(mono):
            raise RenderError(f"{soundfont}: the clip comes out silent: the soundfont may be truncated")
        return mono

    def close(self) -> None:
        """Free all soundfonts."""
        for keeper in self._keepers.values():
            keeper.synth.close()
        self._keepers.clear()

    def _keeper(self, soundfont: Path) -> _Keeper:
        if soundfont not in self._keepers:
            self._keepers[soundfont] = _Keeper(soundfont)
        return self._keepers[soundfont]


class _Keeper:
    """A synthesizer that never plays: it keeps one soundfont and the samples of the presets in use loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.synth = Synth(SAMPLE_RATE, _KEEPER_CHANNELS)
        try:
            self.identifier = self.synth.load(str(path))
        except RenderError:
            self.synth.close()
            raise
        self._held: set[Instrument] = set()

    def hold(self, instrument: Instrument) -> None:
        """Keep the samples of a preset in memory, as far as there are channels to hold them.

        Raises
        ------
        RenderError
            If the soundfont lacks the preset.
        """
        if instrument in self._held:
            return
        channel = len(self._held) % _KEEPER_CHANNELS
        if not self.synth.select(channel, self.identifier, instrument.bank, instrument.program):
            raise RenderError(
                f"{self.path}: the soundfont has no preset with bank {instrument.bank}, "
                f"program {instrument.program}"
            )
        self._held.add(instrument)


def _channels(instruments: Iterable[Instrument]) -> list[int]:
    melodic = (channel for channel in range(16) if channel != PERCUSSION_CHANNEL)
    return [PERCUSSION_CHANNEL if i.is_percussion else next(melodic) for i in instruments]


def _perform(synth: Synth, clip: Clip, channels: list[int]) -> FloatArray:
    """Play all notes into an array of shape (2, samples of the window)."""
    frames = round(clip.window * SAMPLE_RATE)
    blocks = -(-frames // BLOCK)
    output: FloatArray = np.zeros((2, blocks * BLOCK), dtype=np.float32)
    position = 0
    for block, kind, channel, note in _events(clip, channels):
        if block > position:
            synth.write(output, position * BLOCK, (block - position) * BLOCK)
            position = block
        if kind == _ON:
            synth.note_on(channel, note.pitch, note.velocity)
        else:
            synth.note_off(channel, note.pitch)
    if position < blocks:
        synth.write(output, position * BLOCK, (blocks - position) * BLOCK)
    return output[:, :frames]


def _events(clip: Clip, channels: list[int]) -> list[tuple[int, int, int, Note]]:
    """Return (block, kind, channel, note) in order of time; at one time, releases come first."""
    events = []
    for channel, part in zip(channels, clip.parts, strict=True):
        following: dict[int, int] = {}
        for note in reversed(part.notes):
            start = round(note.onset * SAMPLE_RATE / BLOCK)
            end = max(start + 1, round((note.onset + note.duration) * SAMPLE_RATE / BLOCK))
            # A late note-off would silence the next note on the same key.
            end = min(end, following.get(note.pitch, end))
            following[note.pitch] = start
            events += [(start, _ON, channel, note), (end, _OFF, channel, note)]
    return sorted(events, key=lambda e: (e[0], e[1], e[2], e[3].pitch))
