"""Impulse responses of shoebox rooms with a stated reverberation time.

The early part comes from the image source method [1]_, the late part from ray tracing whose energy
histogram shapes a seeded random sequence [2]_; both are pyroomacoustics' [3]_. A room whose absorption is
chosen by Eyring's formula decays more slowly than the formula says, as the sound field of an empty box with
even walls is not diffuse. Every response is therefore brought to its reverberation time by an exponential
factor, which acts as the attenuation of sound in air does.

Everything is computed in float64, and nothing in it magnifies rounding: NumPy takes other instructions on
other processors, which round differently, and responses must agree so closely that recordings don't differ.

References
----------
.. [1] J. B. Allen and D. A. Berkley, "Image method for efficiently simulating small-room acoustics",
   JASA 65(4), 1979.
.. [2] D. Schroeder, "Physically based real-time auralization of interactive virtual environments",
   RWTH Aachen, 2011, section 5.3.4.
.. [3] R. Scheibler, E. Bezzam, I. Dokmanic, "Pyroomacoustics: a Python package for audio room simulation
   and array processing algorithms", ICASSP 2018.
.. [4] M. R. Schroeder, "New method of measuring reverberation time", JASA 37, 1965.
.. [5] ISO 3382-1:2009, "Measurement of room acoustic parameters", annex A.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from listenbench.effects.cache import cached
from listenbench.effects.filters import forwards_and_backwards, rounded
from listenbench.errors import RenderError

Array = npt.NDArray[np.float64]

SPEED_OF_SOUND: Final = 343.0
"""Metres per second, in dry air of 20 degrees Celsius."""

RT60_PRECISION: Final = 0.005
"""Relative deviation of a response's reverberation time that is good enough to stop at."""

RT60_TOLERANCE: Final = 0.05
"""Largest relative deviation that is let pass; the just noticeable difference (ISO 3382-1, table A.1)."""

_ATTEMPTS: Final = 40
_DAMPING: Final = 0.6
"""Share of a correction that is made at once; all of it overshoots, as single echoes make the time jump."""

_FORMAT: Final = 3
"""Counted up whenever the same room gets another response, so that cached ones are left behind."""

_IMAGE_ORDER: Final = 17
"""Reflections that the image source method covers: all that arrive in the first 0.1 s of a living room."""

_RUMBLE_HZ: Final = 10.0
_RUMBLE_ORDER: Final = 2
_COEFFICIENT_BITS: Final = 40

_FIT_FROM_DB, _FIT_TO_DB = -5.0, -25.0
_FEWEST_SAMPLES: Final = 100


@dataclass(frozen=True, slots=True)
class Room:
    """A shoebox room with a source and a microphone in it.

    Attributes
    ----------
    dimensions_m, source_m, microphone_m : tuple of three floats
        Length, width and height; coordinates from one corner of the floor. Metres.
    rt60_s : float
        Time in which the sound decays by 60 dB, in seconds.
    seed : int
        Seed of the late part's random sequence.
    """

    dimensions_m: tuple[float, float, float]
    rt60_s: float
    source_m: tuple[float, float, float]
    microphone_m: tuple[float, float, float]
    seed: int


def impulse_response(room: Room, sample_rate: int) -> Array:
    """Return a room's response, from the cache on disk if it is there.

    Parameters
    ----------
    room : Room
        The room.
    sample_rate : int
        Samples per second.

    Returns
    -------
    ndarray of float64, shape (n,)
        The direct sound is at sample 0, the energy (the sum of squares) is 1, the end is at -60 dB.

    Raises
    ------
    RenderError
        If the room can't have its reverberation time.
    """
    key = {
        **asdict(room),
        "sample_rate": sample_rate,
        "format": _FORMAT,
        "versions": _versions(),
    }
    return cached("rooms", key, lambda: compute_impulse_response(room, sample_rate))


def compute_impulse_response(room: Room, sample_rate: int) -> Array:
    """Compute a room's response; see `impulse_response`."""
    raw, direct = _simulate(room, sample_rate)
    response = raw[direct : direct + math.ceil(1.1 * room.rt60_s * sample_rate)]
    response = _with_rt60(response, room.rt60_s, sample_rate)[: round(room.rt60_s * sample_rate)]
    normalised: Array = response / np.sqrt(np.sum(response**2))
    return normalised


def reverberation_time(response: npt.NDArray[np.floating[Any]], sample_rate: int) -> float:
    """Measure the reverberation time of a response.

    A straight line is fitted to the energy decay curve, which is Schroeder's backward integral [4]_, from
    -5 to -25 dB, and extrapolated to -60 dB: T20 of ISO 3382-1 [5]_.

    Parameters
    ----------
    response : ndarray, shape (n,)
        An impulse response that decays by more than 25 dB.
    sample_rate : int
        Samples per second.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    RenderError
        If the decay is too abrupt to fit a line to.
    """
    energy = np.cumsum(np.square(response[::-1], dtype=np.float64))[::-1]
    decay_db = 10 * np.log10(np.maximum(energy / energy[0], 1e-12))
    start = int(np.argmax(decay_db <= _FIT_FROM_DB))
    stop = int(np.argmax(decay_db <= _FIT_TO_DB))
    if stop - start < _FEWEST_SAMPLES:
        raise RenderError(
            "room: the energy falls from -5 to -25 dB at once, which leaves no time to measure: "
            "put more distance between source and microphone"
        )
    slope, _ = np.polyfit(np.arange(start, stop) / sample_rate, decay_db[start:stop], 1)
    return float(-60 / slope)


def eyring_absorption(dimensions_m: tuple[float, float, float], rt60_s: float) -> float:
    """Return the absorption coefficient that all surfaces need for a reverberation time.

    C. F. Eyring, "Reverberation time in 'dead' rooms", JASA 1, 1930: T = 24 ln(10) V / (-c S ln(1 - a)).
    """
    length, width, height = dimensions_m
    surface = 2 * (length * width + length * height + width * height)
    exponent = 24 * math.log(10) * length * width * height / (SPEED_OF_SOUND * surface * rt60_s)
    return 1 - math.exp(-exponent)


@cache
def _versions() -> dict[str, str]:
    """Return the versions of the libraries that a response depends on."""
    return {name: version(name) for name in ("numpy", "pyroomacoustics", "scipy")}


def _with_rt60(response: Array, target: float, sample_rate: int) -> Array:
    """Multiply by the exponential that gives the response its reverberation time.

    An exponential that decays by 60 dB in T seconds is 10^(-3 t / T), so rates 1 / T add.
    """
    seconds = np.arange(response.size) / sample_rate
    rate, best_deviation, best = 0.0, math.inf, response
    for _ in range(_ATTEMPTS):
        shaped: Array = response * 10 ** (-3 * rate * seconds)
        measured = reverberation_time(shaped, sample_rate)
        deviation = abs(measured / target - 1)
        if deviation < best_deviation:
            best_deviation, best = deviation, shaped
        if deviation < RT60_PRECISION:
            break
        rate += _DAMPING * (1 / target - 1 / measured)
    if best_deviation > RT60_TOLERANCE:
        raise RenderError(
            f"room: a reverberation time of {target} s can't be had closer than {best_deviation:.0%}: "
            "choose a time that suits the size of the room"
        )
    return best


def _simulate(room: Room, sample_rate: int) -> tuple[Array, int]:
    """Return pyroomacoustics' response and the sample at which the direct sound arrives."""
    import pyroomacoustics

    source = np.array(room.source_m)
    microphone, delay = _at_whole_samples(source, np.array(room.microphone_m), sample_rate)
    absorption = eyring_absorption(room.dimensions_m, room.rt60_s)
    with _repeatable(room.seed):
        box = pyroomacoustics.ShoeBox(
            room.dimensions_m,
            fs=sample_rate,
            materials=pyroomacoustics.Material(absorption),
            max_order=_IMAGE_ORDER,
            ray_tracing=True,
            air_absorption=False,
        )
        box.add_source(source)
        box.add_microphone(microphone)
        box.compute_rir()
        # Fractional delays are centred filters, so everything comes half a filter late.
        latency = pyroomacoustics.constants.get("frac_delay_length") // 2
    return _without_rumble(np.asarray(box.rir[0][0], dtype=np.float64), sample_rate), delay + latency


def _without_rumble(response: Array, sample_rate: int) -> Array:
    """Take away what lies below hearing, without delay.

    Image sources all add up with the same sign, which leaves a constant offset.
    """
    from scipy.signal import butter

    sections = butter(_RUMBLE_ORDER, _RUMBLE_HZ, "highpass", fs=sample_rate, output="sos")
    # A filter with poles this near to 1 magnifies the rounding of its coefficients a million times.
    return forwards_and_backwards(rounded(sections, _COEFFICIENT_BITS), response)


def _at_whole_samples(source: Array, microphone: Array, sample_rate: int) -> tuple[Array, int]:
    """Move the microphone towards or from the source until the sound takes a whole number of samples.

    At most half a sample, 4 mm at 44.1 kHz. The direct sound then is one sample, to which the clip can be
    aligned.
    """
    offset = microphone - source
    distance = float(np.sqrt(np.sum(offset**2)))
    delay = round(distance / SPEED_OF_SOUND * sample_rate)
    return source + offset * (delay * SPEED_OF_SOUND / sample_rate / distance), delay


@contextlib.contextmanager
def _repeatable(seed: int) -> Iterator[None]:
    """Have pyroomacoustics compute the same bytes in every process.

    Its random generators are seeded, and it runs on one thread: the order in which several add up their parts
    changes the last bits, and the number of threads is that of the machine. Its high-pass is left out; see
    `_without_rumble`.
    """
    from pyroomacoustics import constants, random

    before = {name: constants.get(name) for name in ("num_threads", "rir_hpf_enable")}
    constants.set("num_threads", 1)
    constants.set("rir_hpf_enable", False)
    random.seed(numpy=np.random.PCG64(seed), libroom=seed)
    try:
        yield
    finally:
        for name, value in before.items():
            constants.set(name, value)
        random.seed()
