"""FluidSynth, reached through the library that pyfluidsynth finds.

pyfluidsynth's own `Synth` class renders through 16-bit output, whose dither runs on from call to call, and
keeps one synthesizer for everything, whose state leaks from clip to clip. This module therefore binds the
few functions that repeatable rendering needs: float output, and a synthesizer that borrows a soundfont which
another one has loaded.

Reference: FluidSynth 2.3 API, https://www.fluidsynth.org/api/
"""

from __future__ import annotations

import contextlib
import ctypes
import io
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from listenbench.decoder import is_displaced
from listenbench.errors import RenderError

BLOCK: Final = 64
"""Samples between two moments at which FluidSynth applies events (`FLUID_BUFSIZE`)."""

_FAILED: Final = -1
_POINTER: Final = ctypes.c_void_p
_INT: Final = ctypes.c_int
_NUMBER: Final = ctypes.c_double
_TEXT: Final = ctypes.c_char_p

_PROTOTYPES: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "new_fluid_settings": (_POINTER, ()),
    "delete_fluid_settings": (None, (_POINTER,)),
    "fluid_settings_setint": (_INT, (_POINTER, _TEXT, _INT)),
    "fluid_settings_setnum": (_INT, (_POINTER, _TEXT, _NUMBER)),
    "new_fluid_synth": (_POINTER, (_POINTER,)),
    "delete_fluid_synth": (None, (_POINTER,)),
    "fluid_synth_sfload": (_INT, (_POINTER, _TEXT, _INT)),
    "fluid_synth_get_sfont_by_id": (_POINTER, (_POINTER, _INT)),
    "fluid_synth_add_sfont": (_INT, (_POINTER, _POINTER)),
    "fluid_synth_remove_sfont": (_INT, (_POINTER, _POINTER)),
    "fluid_synth_program_select": (_INT, (_POINTER, _INT, _INT, _INT, _INT)),
    "fluid_synth_unset_program": (_INT, (_POINTER, _INT)),
    "fluid_synth_set_interp_method": (_INT, (_POINTER, _INT, _INT)),
    "fluid_synth_pitch_bend": (_INT, (_POINTER, _INT, _INT)),
    "fluid_synth_noteon": (_INT, (_POINTER, _INT, _INT, _INT)),
    "fluid_synth_noteoff": (_INT, (_POINTER, _INT, _INT)),
    "fluid_synth_write_float": (_INT, (_POINTER, _INT, _POINTER, _INT, _INT, _POINTER, _INT, _INT)),
    "fluid_version_str": (_TEXT, ()),
    "fluid_set_log_function": (_POINTER, (_INT, _POINTER, _POINTER)),
}


@cache
def library() -> ctypes.CDLL:
    """Return the FluidSynth library with the prototypes of the functions used here.

    Raises
    ------
    RenderError
        If the library is not installed, or would decode with another libsndfile than usual.
    """
    handle = _loaded()
    if is_displaced():
        raise RenderError(
            "this program imported soundfile, or a library that does, before FluidSynth was loaded, which "
            "would decode soundfonts to other bytes: begin the program with 'import listenbench.fluidsynth' "
            "and 'listenbench.fluidsynth.library()', or generate with two workers"
        )
    return handle


@cache
def _loaded() -> ctypes.CDLL:
    try:
        # pyfluidsynth prints the library's name to standard output where the variable CI is set.
        with contextlib.redirect_stdout(io.StringIO()):
            import fluidsynth
    except ImportError as error:
        raise RenderError(
            "the FluidSynth library is missing: "
            "install libfluidsynth3 (Debian, Ubuntu) or fluid-synth (Homebrew)"
        ) from error
    handle = ctypes.CDLL(fluidsynth.lib)
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(handle, name)
        function.restype, function.argtypes = result, arguments
    for level in range(5):
        # What matters comes back as a return value; the log would only garble the terminal.
        handle.fluid_set_log_function(level, None, None)
    return handle


def version() -> str:
    """Return the version of the FluidSynth library, for example '2.3.1'."""
    text: bytes = _loaded().fluid_version_str()
    return text.decode()


class Synth:
    """One FluidSynth synthesizer without reverb, chorus or audio device.

    Parameters
    ----------
    sample_rate : int
        Samples per second of the output.
    channels : int
        MIDI channels, a multiple of 16.
    """

    def __init__(self, sample_rate: int, channels: int = 16) -> None:
        self._library = library()
        self._settings = self._library.new_fluid_settings()
        for name, number in (("synth.sample-rate", float(sample_rate)), ("synth.gain", 0.5)):
            self._library.fluid_settings_setnum(self._settings, name.encode(), number)
        for name, integer in (
            ("synth.reverb.active", 0),
            ("synth.chorus.active", 0),
            ("synth.dynamic-sample-loading", 1),
            ("synth.midi-channels", channels),
            ("synth.cpu-cores", 1),
            ("synth.polyphony", 256),
            ("synth.lock-memory", 0),
        ):
            self._library.fluid_settings_setint(self._settings, name.encode(), integer)
        self._synth = self._library.new_fluid_synth(self._settings)
        if not self._synth:
            self._library.delete_fluid_settings(self._settings)
            raise RenderError("FluidSynth could not create a synthesizer: is the machine out of memory?")
        for channel in range(channels):
            # Otherwise every new soundfont would load piano and drum kit for the channels' default programs.
            self._library.fluid_synth_unset_program(self._synth, channel)

    def close(self) -> None:
        """Free the synthesizer and the soundfonts that it has loaded itself."""
        self._library.delete_fluid_synth(self._synth)
        self._library.delete_fluid_settings(self._settings)

    def load(self, path: str) -> int:
        """Load a soundfont and return its id.

        Raises
        ------
        RenderError
            If FluidSynth can't read the file.
        """
        identifier: int = self._library.fluid_synth_sfload(self._synth, path.encode(), 0)
        if identifier == _FAILED:
            raise RenderError(
                f"{path}: FluidSynth can't load this soundfont: is the file whole, and an SF2 or SF3?"
            )
        return identifier

    @contextlib.contextmanager
    def borrowed(self, keeper: Synth, identifier: int) -> Iterator[int]:
        """Lend this synthesizer a soundfont that `keeper` has loaded; yield its id here."""
        soundfont = self._library.fluid_synth_get_sfont_by_id(keeper._synth, identifier)
        own = self._library.fluid_synth_add_sfont(self._synth, soundfont)
        if own == _FAILED:
            raise RenderError("FluidSynth could not share a loaded soundfont between two synthesizers")
        try:
            yield own
        finally:
            self._library.fluid_synth_remove_sfont(self._synth, soundfont)

    def select(self, channel: int, identifier: int, bank: int, program: int) -> bool:
        """Put a preset on a channel; return whether the soundfont has it."""
        status: int = self._library.fluid_synth_program_select(
            self._synth, channel, identifier, bank, program
        )
        return status != _FAILED

    def set_interpolation(self, order: int) -> None:
        """Choose the interpolation of all channels: 0, 1, 4 or 7 points."""
        self._library.fluid_synth_set_interp_method(self._synth, -1, order)

    def bend(self, channel: int, cents: float) -> None:
        """Detune a channel by -200 to 200 cents, in steps of 200 / 8192 cents."""
        self._library.fluid_synth_pitch_bend(self._synth, channel, 8192 + round(cents / 200 * 8192))

    def note_on(self, channel: int, pitch: int, velocity: int) -> None:
        """Start a note."""
        self._library.fluid_synth_noteon(self._synth, channel, pitch, velocity)

    def note_off(self, channel: int, pitch: int) -> None:
        """Release a note."""
        self._library.fluid_synth_noteoff(self._synth, channel, pitch)

    def write(self, output: npt.NDArray[np.float32], start: int, frames: int) -> None:
        """Render the next `frames` samples into `output`, of shape (2, total), from sample `start` on."""
        left, right = (output[side].ctypes.data for side in (0, 1))
        status = self._library.fluid_synth_write_float(self._synth, frames, left, start, 1, right, start, 1)
        if status == _FAILED:
            raise RenderError("FluidSynth failed while it was rendering")
