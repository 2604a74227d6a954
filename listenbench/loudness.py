"""Loudness of clips after ITU-R BS.1770, with the filters of pyloudnorm, and levelling of clips to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import FloatArray, dequantised, quantised
from listenbench.errors import RenderError
from listenbench.true_peak import held, true_peak_dbtp

PEAK_LIMIT_DBTP = -1.0
"""Highest true peak that a clip may have (EBU R 128, recommendation m)."""

MOST_LIMITING_DB = 4.0
"""Most that `normalised` takes from a peak."""

_BLOCK_SECONDS: Final = 0.4
_STEPS_A_BLOCK: Final = 4
"""Blocks overlap by three quarters."""

_ABSOLUTE_GATE_LUFS: Final = -70.0
_GATE_BELOW_MEAN_LU: Final = 10.0
_OFFSET_LU: Final = -0.691

_TOLERANCE_LU = 0.02
_ROUNDING = 1e-4
_ROUNDS = 16

_HELD_DBTP: Final = PEAK_LIMIT_DBTP - 0.4
"""Where peaks are held: true-peak meters may read 0.4 dB low (EBU Tech 3341, test signals 15 to 19)."""


@dataclass(frozen=True)
class Blocks:
    """Loudness of a clip's gating blocks, 0.4 s long, of which the next starts every 0.1 s.

    Attributes
    ----------
    power : ndarray of float64, shape (blocks,)
        Mean squares of the K-weighted samples.
    """

    power: npt.NDArray[np.float64]

    @cached_property
    def lufs(self) -> npt.NDArray[np.float64]:
        """The loudness of each block; minus infinity for silence."""
        with np.errstate(divide="ignore"):
            levels: npt.NDArray[np.float64] = _OFFSET_LU + 10 * np.log10(self.power)
        return levels

    @property
    def integrated(self) -> float:
        """The integrated loudness in LUFS: the mean of the blocks above both gates.

        The relative gate lies 10 LU below the mean of all blocks above the absolute gate.
        """
        relative_gate = _level(self.power[self.lufs >= _ABSOLUTE_GATE_LUFS]) - _GATE_BELOW_MEAN_LU
        return _level(self.power[self.lufs > max(relative_gate, _ABSOLUTE_GATE_LUFS)])


def integrated_loudness(samples: FloatArray, sample_rate: int) -> float:
    """Return the integrated loudness in LUFS; minus infinity for silence.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel of at least 0.4 s, the length of a gating block.
    sample_rate : int
        Samples per second.

    Raises
    ------
    ValueError
        If there are fewer samples.
    """
    return measured_blocks(samples, sample_rate).integrated


def measured_blocks(samples: FloatArray, sample_rate: int) -> Blocks:
    """Measure the gating blocks of a clip as pyloudnorm's meter does on float64, in a fifth of its time.

    Parameters and errors are those of `integrated_loudness`.
    """
    from scipy.signal import sosfilt

    if samples.size < _BLOCK_SECONDS * sample_rate:
        raise ValueError(f"{samples.size} samples are shorter than a gating block of {_BLOCK_SECONDS} s")
    squares = sosfilt(_weighting(sample_rate), samples)
    np.square(squares, out=squares)
    step = 1 / _STEPS_A_BLOCK
    seconds = samples.size / sample_rate
    count = int(np.round((seconds - _BLOCK_SECONDS) / (_BLOCK_SECONDS * step)) + 1)
    # Blocks overlap, the steps from the start of one to that of the next don't: four of them make a block.
    edges = [int(_BLOCK_SECONDS * (index * step) * sample_rate) for index in range(count + _STEPS_A_BLOCK)]
    steps = np.add.reduceat(squares[: edges[-1]], edges[:-1])
    blocks = np.sum([steps[first : first + count] for first in range(_STEPS_A_BLOCK)], axis=0)
    return Blocks(blocks / (_BLOCK_SECONDS * sample_rate))


@cache
def _weighting(sample_rate: int) -> npt.NDArray[np.float64]:
    """Return the two stages of K-weighting (ITU-R BS.1770-4, annex 1) as second-order sections."""
    from pyloudnorm import IIRfilter

    shelf = IIRfilter(4.0, 1 / np.sqrt(2), 1500.0, sample_rate, "high_shelf")
    high_pass = IIRfilter(0.0, 0.5, 38.0, sample_rate, "high_pass")
    return np.array([[*stage.b * stage.passband_gain, *stage.a] for stage in (shelf, high_pass)])


def _level(powers: npt.NDArray[np.float64]) -> float:
    """Return the loudness of the mean of powers; minus infinity if there is none."""
    power = float(np.add.reduce(powers)) / powers.size if powers.size else 0.0
    return float(_OFFSET_LU + 10 * np.log10(power)) if power > 0 else -math.inf


def normalised(samples: FloatArray, sample_rate: int, target_lufs: float) -> FloatArray:
    """Return the samples at a given loudness, within 0.02 LU once they are 16-bit integers.

    One step is not always enough: scaling lifts quiet blocks over the absolute gate of BS.1770 (-70 LUFS),
    and where a block lies just at the relative gate, rounding decides whether it counts. The rare attack that
    would come near `PEAK_LIMIT_DBTP` is held below it (see `held`), by a few decibels at most.

    Raises
    ------
    RenderError
        If the clip is silent or too short to have a loudness, or more than the rare attack would be held.
    """
    blocks = measured_blocks(samples, sample_rate)
    gain_db = target_lufs - _finite(blocks.integrated)
    for _ in range(_ROUNDS):
        scaled = samples * np.float32(10 ** (gain_db / 20))
        excess = true_peak_dbtp(scaled, at_least=_HELD_DBTP) - _HELD_DBTP
        if excess > MOST_LIMITING_DB:
            raise RenderError(
                f"at {target_lufs} LUFS the clip would peak at {excess + _HELD_DBTP:.1f} dBTP, "
                f"more than {MOST_LIMITING_DB} dB above the {_HELD_DBTP} dBTP at which peaks are held"
            )
        if excess <= 0 and _is_right(blocks, gain_db, target_lufs):
            return scaled
        result = held(scaled, sample_rate, _HELD_DBTP) if excess > 0 else scaled
        loudness = _finite(integrated_loudness(dequantised(quantised(result)), sample_rate))
        if abs(target_lufs - loudness) <= _TOLERANCE_LU:
            return result
        gain_db += target_lufs - loudness
    raise RenderError(f"the clip can't be brought to {target_lufs} LUFS: it comes out at {loudness:.2f}")


def _is_right(blocks: Blocks, gain_db: float, target_lufs: float) -> bool:
    """Return whether a clip, once it is scaled and made of integers, is sure to have its loudness.

    It is, in most cases: if no block lies so near the relative gate that rounding to integers could move it
    across. Blocks near the absolute gate may count or not; they move the relative gate between two limits.
    """
    levels = blocks.lufs + gain_db
    doubt = _most_changed_lu(_ABSOLUTE_GATE_LUFS)
    counted = levels > _ABSOLUTE_GATE_LUFS + doubt
    certain = np.count_nonzero(counted)
    if not certain:
        return False
    doubtful = np.count_nonzero(levels >= _ABSOLUTE_GATE_LUFS - doubt) - certain
    highest = _level(blocks.power[counted]) + gain_db - _GATE_BELOW_MEAN_LU
    # As if the doubtful blocks, which lie below the mean, were silent.
    lowest = highest - 10 * math.log10(1 + doubtful / certain)
    change = 2 * _most_changed_lu(lowest)
    below, above = lowest - change, highest + change
    if below <= _ABSOLUTE_GATE_LUFS + doubt or np.any((levels >= below) & (levels <= above)):
        return False
    loudness = _level(blocks.power[levels > above]) + gain_db
    return abs(loudness - target_lufs) + _most_changed_lu(target_lufs) + _ROUNDING <= _TOLERANCE_LU


def _most_changed_lu(lufs: float) -> float:
    """Return the most by which rounding to 16-bit integers can change a block of some loudness.

    Rounding adds at most half a step to each sample, and with full scale at 32,767 written and at 32,768 read
    one part in 32,768 is lost. K-weighting lifts any signal's peak by the sum of the magnitudes of its
    impulse response at most, which is below 4.
    """
    error = 4 * 0.5 / 32_768
    amplitude = 10 ** ((lufs - _OFFSET_LU) / 20)
    if error >= amplitude:
        return math.inf
    return -20 * math.log10(1 - error / amplitude - 1 / 32_768)


def _finite(loudness: float) -> float:
    if not math.isfinite(loudness):
        raise RenderError(f"the clip has no loudness ({loudness} LUFS): it is silent or too short")
    return loudness
