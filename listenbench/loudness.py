"""Loudness of clips after ITU-R BS.1770, through pyloudnorm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from listenbench.audio import FloatArray, dequantised, quantised
from listenbench.errors import RenderError

PEAK_LIMIT_DBFS = -1.0
"""Highest sample peak that a clip may have (EBU R 128 recommends -1 dBTP)."""

MOST_LIMITING_DB = 4.0
"""Most that `normalised` takes from a peak."""

_BLOCK_SECONDS: Final = 0.4
_OVERLAP: Final = 0.75
_ABSOLUTE_GATE_LUFS: Final = -70.0
_OFFSET_LU: Final = -0.691

_TOLERANCE_LU = 0.02
_LOOK_AHEAD_SECONDS = 0.003
_ROUNDING = 1e-4
_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Blocks:
    """Loudness of a clip's gating blocks, 0.4 s long, of which the next starts every 0.1 s.

    Attributes
    ----------
    power : ndarray of float64, shape (blocks,)
        Mean squares of the K-weighted samples.
    """

    power: npt.NDArray[np.float64]

    @property
    def lufs(self) -> npt.NDArray[np.float64]:
        """The loudness of each block; minus infinity for silence."""
        with np.errstate(divide="ignore"):
            levels: npt.NDArray[np.float64] = _OFFSET_LU + 10 * np.log10(self.power)
        return levels

    @property
    def relative_gate(self) -> float:
        """The gate 10 LU below the mean of all blocks above the absolute gate, in LUFS."""
        return _level(self.power[self.lufs >= _ABSOLUTE_GATE_LUFS]) - 10

    @property
    def integrated(self) -> float:
        """The integrated loudness in LUFS: the mean of the blocks above both gates."""
        gate = max(self.relative_gate, _ABSOLUTE_GATE_LUFS)
        return _level(self.power[self.lufs > gate])


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
    squares = np.square(sosfilt(_weighting(sample_rate), samples.astype(np.float64)))
    scale, step = 1.0 / (_BLOCK_SECONDS * sample_rate), 1.0 - _OVERLAP
    seconds = samples.size / sample_rate
    count = int(np.round((seconds - _BLOCK_SECONDS) / (_BLOCK_SECONDS * step)) + 1)
    starts = [int(_BLOCK_SECONDS * (index * step) * sample_rate) for index in range(count)]
    ends = [int(_BLOCK_SECONDS * (index * step + 1) * sample_rate) for index in range(count)]
    return Blocks(np.array([scale * np.sum(squares[a:b]) for a, b in zip(starts, ends, strict=True)], float))


@cache
def _weighting(sample_rate: int) -> npt.NDArray[np.float64]:
    """Return the two stages of K-weighting (ITU-R BS.1770-4, annex 1) as second-order sections."""
    from pyloudnorm import IIRfilter

    shelf = IIRfilter(4.0, 1 / np.sqrt(2), 1500.0, sample_rate, "high_shelf")
    high_pass = IIRfilter(0.0, 0.5, 38.0, sample_rate, "high_pass")
    return np.array([[*stage.b * stage.passband_gain, *stage.a] for stage in (shelf, high_pass)])


def _level(powers: npt.NDArray[np.float64]) -> float:
    """Return the loudness of the mean of powers; minus infinity if there is none."""
    power = float(np.mean(powers)) if powers.size else 0.0
    return float(_OFFSET_LU + 10 * np.log10(power)) if power > 0 else -math.inf


def normalised(samples: FloatArray, sample_rate: int, target_lufs: float) -> FloatArray:
    """Return the samples at a given loudness, within 0.02 LU once they are 16-bit integers.

    One step is not always enough: scaling lifts quiet blocks over the absolute gate of BS.1770 (-70 LUFS),
    and where a block lies just at the relative gate, rounding decides whether it counts. The rare attack that
    would pass `PEAK_LIMIT_DBFS` is held there (see `limited`), by a few decibels at most.

    Raises
    ------
    RenderError
        If the clip is silent or too short to have a loudness, or more than the rare attack would be held.
    """
    blocks = measured_blocks(samples, sample_rate)
    gain_db = target_lufs - _finite(blocks.integrated)
    for _ in range(_ROUNDS):
        scaled = samples * np.float32(10 ** (gain_db / 20))
        excess = peak_dbfs(scaled) - PEAK_LIMIT_DBFS
        if excess > MOST_LIMITING_DB:
            raise RenderError(
                f"at {target_lufs} LUFS the clip would peak at {excess + PEAK_LIMIT_DBFS:.1f} dBFS, "
                f"more than {MOST_LIMITING_DB} dB above the limit of {PEAK_LIMIT_DBFS} dBFS"
            )
        if excess <= 0 and _scales_exactly(blocks, gain_db, target_lufs):
            return scaled
        result = limited(scaled, sample_rate) if excess > 0 else scaled
        loudness = _finite(integrated_loudness(dequantised(quantised(result)), sample_rate))
        if abs(target_lufs - loudness) <= _TOLERANCE_LU:
            return result
        gain_db += target_lufs - loudness
    raise RenderError(f"the clip can't be brought to {target_lufs} LUFS: it comes out at {loudness:.2f}")


def limited(samples: FloatArray, sample_rate: int) -> FloatArray:
    """Return the samples with peaks held at `PEAK_LIMIT_DBFS` by a smooth gain that looks ahead.

    The gain that each sample needs, its minimum over a neighbourhood, and the average of that over the same
    neighbourhood: an average of values that are each low enough is low enough (Zoelzer, DAFX, 2nd ed. 2011,
    section 4.2.2, with a symmetric window in place of attack and release).
    """
    from scipy.ndimage import minimum_filter1d

    limit = 10 ** (PEAK_LIMIT_DBFS / 20) - _ROUNDING
    needed = np.minimum(1.0, limit / np.maximum(np.abs(samples), 1e-9))
    width = 2 * round(_LOOK_AHEAD_SECONDS * sample_rate) + 1
    weights = np.hanning(width + 2)[1:-1]
    lowest = np.pad(minimum_filter1d(needed, width, mode="nearest"), width // 2, mode="edge")
    gain = np.convolve(lowest, weights / weights.sum(), mode="valid")
    return (samples * gain).astype(np.float32)


def _scales_exactly(blocks: Blocks, gain_db: float, target_lufs: float) -> bool:
    """Return whether a clip is sure to have its loudness, as integers, once it is scaled: the usual case.

    It is, if every block stays on its side of both gates, whatever rounding to integers does to it.
    """
    if abs(blocks.integrated + gain_db - target_lufs) > _ROUNDING:
        return False
    levels, gate = blocks.lufs + gain_db, blocks.relative_gate + gain_db
    same_blocks = np.array_equal(blocks.lufs >= _ABSOLUTE_GATE_LUFS, levels >= _ABSOLUTE_GATE_LUFS)
    from_absolute = np.abs(levels - _ABSOLUTE_GATE_LUFS).min()
    from_relative = np.abs(levels - gate).min()
    return (
        same_blocks
        and _most_changed_lu(target_lufs) < _TOLERANCE_LU
        and from_absolute > _most_changed_lu(_ABSOLUTE_GATE_LUFS)
        and from_relative > 2 * _most_changed_lu(gate)
    )


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


def peak_dbfs(samples: FloatArray) -> float:
    """Return the sample peak in decibels below full scale; minus infinity for silence."""
    peak = float(max(np.max(samples, initial=0.0), -np.min(samples, initial=0.0)))
    return 20 * math.log10(peak) if peak > 0 else -math.inf
