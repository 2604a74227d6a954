"""Psychometric curves: accuracy by the size of the change, and the smallest change heard.

At each rung the share of right answers over clean and FLIP files is a two-choice proportion: an item's two
files have opposite answers, so that a constant answer gets one half. Questions with more choices have no
curve here. The curve is a Weibull function of the magnitude m of the change (Wichmann and Hill, Perception &
Psychophysics 63, 2001, pages 1293-1313),

    P(m) = 1/2 + (1/2 - lapse) * (1 - exp(-(m / scale) ** slope)),

fitted by maximum likelihood with a lapse of 0, 0.02, 0.04 or 0.06 (their range) and 0.2 <= slope <= 5. It
starts at chance for no change at all; the magnitude of a ratio is its logarithm. The threshold is where P is
0.75. A threshold outside of the tested range is not stated as a number, only on which side it lies. Its
interval comes from resampling the items of each rung.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from listenbench.scoring.answers import FEWEST
from listenbench.scoring.bootstrap import LEVEL, Interval, resampled_totals, wilson_interval
from listenbench.scoring.key_rows import number_of
from listenbench.scoring.outcomes import OutcomeTable

HEARD: Final = 0.75
"""Share of right answers at the threshold."""

LAPSES: Final = (0.0, 0.02, 0.04, 0.06)
MINIMUM_SLOPE: Final = 0.2
MAXIMUM_SLOPE: Final = 5.0
MAXIMUM_RESAMPLES: Final = 1000
"""Fitting costs more than counting, and the ends of an interval need no more."""

_MARGIN: Final = 2.0
_GRID: Final = (97, 25)
_MOVES: Final = (-1.0, 0.0, 1.0)
_ZOOMS: Final = 14
_SHRINK: Final = 0.7
_CHUNK: Final = 100

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bound:
    """A threshold, or the side of the tested range on which it lies.

    Attributes
    ----------
    value : float or None
        The threshold in the unit of the rungs; None outside of the tested range.
    side : str
        "within", "below" or "above" the tested range.
    """

    value: float | None
    side: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A fitted psychometric curve.

    Attributes
    ----------
    unit : str
        Unit of rungs and threshold.
    rungs : tuple of str
        Names of the rungs, by magnitude.
    sizes : tuple of float
        The rungs as numbers, in `unit`.
    right, files : tuple of int
        Right answers and files at each rung.
    intervals : tuple of Interval
        Of the share of right answers at each rung, over resampled items.
    location : float
        Logarithm of the fitted magnitude at which the curve reaches `HEARD`. It draws the curve; outside of
        the tested range it is no result, and `threshold` has none.
    threshold, low, high : Bound
        The smallest change heard, and the ends of its interval.
    slope, lapse : float
        The other parameters of the fit.
    deviance : float
        Twice the log-likelihood by which the free proportions fit better than the curve.
    """

    unit: str
    rungs: tuple[str, ...]
    sizes: tuple[float, ...]
    right: tuple[int, ...]
    files: tuple[int, ...]
    intervals: tuple[Interval, ...]
    location: float
    threshold: Bound
    low: Bound
    high: Bound
    slope: float
    lapse: float
    deviance: float

    def shares(self, sizes: Sequence[float]) -> Floats:
        """Return the fitted share of right answers to changes of some sizes, in the unit of the rungs."""
        parameters = np.array([self.location, math.log(self.slope), self.lapse])
        return weibull(parameters, _magnitudes(sizes, self.unit))


def unit_of(task: str, values: tuple[float, ...]) -> str:
    """Return the unit of a task's rungs: "cents", "semitones", "ratio", or "" for an unknown task.

    Harmony has rungs in cents in the published data (100 and more) and in semitones in ours (at most 12).
    """
    if task == "harmony":
        return "cents" if max(values) > 12 else "semitones"
    return {"melody": "cents", "rhythm": "ratio"}.get(task, "")


def fit_curve(
    table: OutcomeTable, task: str, names: tuple[str, ...], resamples: int, generator: np.random.Generator
) -> Curve | None:
    """Fit the curve of one task.

    Parameters
    ----------
    table : OutcomeTable
        The items of the task.
    task : str
        Its name.
    names : tuple of str
        Names of the rungs by code.
    resamples : int
        Number of resamples, of which at most `MAXIMUM_RESAMPLES` are fitted.
    generator : numpy.random.Generator
        Where the draws come from.

    Returns
    -------
    Curve or None
        None where the rungs are no magnitudes or fewer than two, or a question has more than two choices.
    """
    states = table.decoded()
    if (states.letters[states.present] > FEWEST).any():
        return None
    codes = np.unique(table.column("rung"))
    values = [number_of(names[code]) for code in codes]
    numbers = tuple(value for value in values if value is not None)
    if len(numbers) < max(2, len(values)):
        return None
    unit = unit_of(task, numbers)
    if min(numbers) <= (1 if unit == "ratio" else 0):
        return None
    magnitudes = _magnitudes(numbers, unit)
    right, files, draws = _counts(table, codes, min(resamples, MAXIMUM_RESAMPLES), generator)
    if not files.all():
        return None
    fit = fit_weibull(right[None], files[None], magnitudes)[0]
    spread = np.quantile(fit_weibull(*draws, magnitudes)[:, 0], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    threshold, low, high = (_bound(value, magnitudes, unit) for value in (fit[0], *spread))
    return Curve(
        unit,
        tuple(names[code] for code in codes),
        numbers,
        tuple(int(count) for count in right),
        tuple(int(count) for count in files),
        _share_intervals(right, files, _distinct_files(table, codes), *draws),
        float(fit[0]),
        threshold,
        low,
        high,
        slope=float(np.exp(fit[1])),
        lapse=float(fit[2]),
        deviance=float(_deviance(right, files, fit, magnitudes)),
    )


def _magnitudes(sizes: Sequence[float], unit: str) -> Floats:
    return np.log(sizes) if unit == "ratio" else np.array(sizes, np.float64)


def _share_intervals(
    right: Floats, files: Floats, distinct: Sequence[int], drawn_right: Floats, drawn_files: Floats
) -> tuple[Interval, ...]:
    """Return the interval of the share at each rung; without width, that of a proportion of files."""
    shares = right / files
    with np.errstate(invalid="ignore"):
        drawn = drawn_right / drawn_files
    ends = np.nanquantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return tuple(
        wilson_interval(float(share), n) if share in (0, 1) else Interval(float(low), float(high))
        for share, n, low, high in zip(shares, distinct, *ends, strict=True)
    )


def _distinct_files(table: OutcomeTable, codes: NDArray[np.int64]) -> list[int]:
    """Return the number of clean and FLIP files at each rung; what several listeners heard is one file."""
    present, rungs = table.decoded().present[:, :2], table.column("rung")
    if table.clusters is None:
        return [int(table.counts @ (present.sum(axis=1) * (rungs == code))) for code in codes]
    return [
        sum(len(np.unique(table.clusters[heard & (rungs == code)])) for heard in present.T) for code in codes
    ]


def _counts(
    table: OutcomeTable, codes: NDArray[np.int64], resamples: int, generator: np.random.Generator
) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
    """Return right answers and files by rung, and the same for each resample."""
    states = table.decoded()
    of_rung = table.column("rung")[:, None] == codes
    right = states.right[:, :2].sum(axis=1)[:, None] * of_rung
    files = states.present[:, :2].sum(axis=1)[:, None] * of_rung
    columns = {f"right {code}": right[:, place] for place, code in enumerate(codes)}
    columns |= {f"files {code}": files[:, place] for place, code in enumerate(codes)}
    strata = table.column("rung")
    totals = resampled_totals(columns, table.counts, strata, resamples, generator, table.clusters)
    draws, rungs = list(totals.values()), len(codes)
    drawn = np.stack(draws[:rungs], axis=1), np.stack(draws[rungs:], axis=1)
    return (table.counts @ right).astype(np.float64), (table.counts @ files).astype(np.float64), drawn


def fit_weibull(right: Floats, files: Floats, magnitudes: Floats) -> Floats:
    """Fit many curves at once: the best point of one grid for all, then a search around it for each.

    Parameters
    ----------
    right, files : array, shape (B, R)
        Right answers and files at each of R magnitudes, of B curves.
    magnitudes : array, shape (R,)
        Above 0.

    Returns
    -------
    array, shape (B, 3)
        Logarithm of the threshold, logarithm of the slope, and lapse.
    """
    low = np.array([np.log(magnitudes.min() / _MARGIN), math.log(MINIMUM_SLOPE)])
    high = np.array([np.log(magnitudes.max() * _MARGIN), math.log(MAXIMUM_SLOPE)])
    axes = [np.linspace(a, b, n) for a, b, n in zip(low, high, _GRID, strict=True)]
    grid = _product(*axes, np.array(LAPSES))
    distinct, member = np.unique(np.concatenate([right, files], axis=1), axis=0, return_inverse=True)
    some_right, some_files = np.hsplit(distinct, 2)
    best = grid[_best_points(some_right, some_files, weibull(grid, magnitudes))]
    return np.asarray(_refined(some_right, some_files, best, magnitudes, low, high)[member.ravel()])


def _best_points(right: Floats, files: Floats, shares: Floats) -> NDArray[np.int64]:
    """Return for each curve which of P points, with shares of shape (P, R), has the highest likelihood.

    Single precision is enough to find the neighbourhood and halves the memory that passes by.
    """
    counts = np.concatenate([right, files - right], axis=1).astype(np.float32)
    logarithms = np.concatenate([np.log(shares), np.log1p(-shares)], axis=1).astype(np.float32).T
    chunks = range(0, len(counts), _CHUNK)
    return np.concatenate([np.argmax(counts[at : at + _CHUNK] @ logarithms, axis=1) for at in chunks])


def _refined(
    right: Floats, files: Floats, best: Floats, magnitudes: Floats, low: Floats, high: Floats
) -> Floats:
    """Walk from the best points of the grid, in ever smaller steps, to better ones with the same lapse."""
    step = np.append((high - low) / (np.array(_GRID) - 1), 0.0)
    moves = _product(np.array(_MOVES), np.array(_MOVES), np.zeros(1))
    rows = np.arange(len(best))
    for _ in range(_ZOOMS):
        candidates = best[:, None] + moves * step
        candidates[..., :2] = np.clip(candidates[..., :2], low, high)
        best = candidates[rows, np.argmax(_log_likelihood(right, files, candidates, magnitudes), axis=1)]
        step = step * _SHRINK
    return best


def _product(*axes: Floats) -> Floats:
    """Return all combinations of the axes, one a row."""
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _log_likelihood(right: Floats, files: Floats, points: Floats, magnitudes: Floats) -> Floats:
    """Return the log-likelihood, shape (B, P), of P points for each curve, shape (B, P, 3)."""
    shares = weibull(points, magnitudes)
    terms = right[:, None] * np.log(shares) + (files - right)[:, None] * np.log1p(-shares)
    return np.asarray(terms.sum(axis=2), np.float64)


def weibull(parameters: Floats, magnitudes: Floats) -> Floats:
    """Return the share of right answers, shape (..., R), of parameters of shape (..., 3)."""
    threshold, slope, lapse = (parameters[..., place, None] for place in range(3))
    reached = (HEARD - 0.5) / (0.5 - lapse)
    exponent = -np.log1p(-reached) * np.exp(np.exp(slope) * (np.log(magnitudes) - threshold))
    shares = 0.5 - (0.5 - lapse) * np.expm1(-exponent)
    return np.asarray(np.clip(shares, 0.5, 1 - 1e-9))


def _deviance(right: Floats, files: Floats, fit: Floats, magnitudes: Floats) -> float:
    free = np.clip(right / files, 1e-12, 1 - 1e-12)
    best = (right * np.log(free) + (files - right) * np.log1p(-free)).sum()
    return max(
        0.0, 2 * float(best - _log_likelihood(right[None], files[None], fit[None, None], magnitudes)[0, 0])
    )


def _bound(log_threshold: float, magnitudes: Floats, unit: str) -> Bound:
    magnitude = math.exp(log_threshold)
    if magnitude < magnitudes.min() * (1 - 1e-9):
        return Bound(None, "below")
    if magnitude > magnitudes.max() * (1 + 1e-9):
        return Bound(None, "above")
    return Bound(math.exp(magnitude) if unit == "ratio" else magnitude, "within")
