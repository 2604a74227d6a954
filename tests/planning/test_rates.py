"""What one clip's pulse rate tells, against the bound that the documentation states."""

import math

import numpy as np
import pytest

from listenbench.compose.rhythm import (
    RhythmOptions,
    chain_length,
    compose_rhythm,
    draw_rate,
    one_clip_bound,
)
from listenbench.compose.trial import Setting
from listenbench.randomness import stream

RATES = (49.0, 360.0)
RATIOS = (1.1, 1.2, 1.35, 1.5)


def best_guess(faster, slower, bins=150):
    """Accuracy of the best rule on one number, learnt on one half of the draws and tested on the other."""
    edges = np.linspace(math.log(RATES[0]) - 0.01, math.log(RATES[1]) + 0.01, bins)
    learnt = [np.histogram(np.log(rates[::2]), edges)[0] for rates in (faster, slower)]
    tested = [np.histogram(np.log(rates[1::2]), edges)[0] for rates in (faster, slower)]
    says_faster = learnt[0] > learnt[1]
    right = tested[0][says_faster].sum() + tested[1][~says_faster].sum()
    return right / sum(map(sum, tested))


@pytest.mark.parametrize("ratio", RATIOS)
def test_rates_stay_in_range_and_clip_b_tells_what_the_bound_says(ratio):
    generator = stream(0, "rates", str(ratio))
    rates = np.array([draw_rate(generator, RATES, ratio) for _ in range(40_000)])
    assert rates.min() / ratio >= RATES[0] - 1e-6
    assert rates.max() * ratio <= RATES[1] + 1e-6
    bound = one_clip_bound(RATES, ratio)
    assert best_guess(rates * ratio, rates / ratio) == pytest.approx(bound, abs=0.015)


@pytest.mark.parametrize("ratio", RATIOS)
def test_no_distribution_can_beat_the_bound_by_more_than_rounding(ratio):
    """The means of B differ by 2 log q, hence its distributions by 2 log q over the range's length."""
    length = math.log(RATES[1] / RATES[0])
    unavoidable = 0.5 + math.log(ratio) / length
    assert unavoidable <= one_clip_bound(RATES, ratio) <= unavoidable + 0.07


def test_the_bound_by_hand():
    # ln(360 / 49) = 1.994; 2 ln 1.5 = 0.811; two chains fit: 1/2 + 1/4.
    assert chain_length(RATES, 1.5) == 2
    assert one_clip_bound(RATES, 1.5) == 0.75
    # 2 ln 1.1 = 0.1906; ten fit: 1/2 + 1/20.
    assert one_clip_bound(RATES, 1.1) == 0.55


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_rate_is_drawn_whatever_figures_have_room_for_it(ratio):
    """Were it drawn again where it is crowded, middle rates would be rarer, and clip B would tell more."""
    setting, options = Setting(4.0, ()), RhythmOptions()

    def crowded(content, neighbourhood=None):
        is_middle = neighbourhood is not None and 4.5 < neighbourhood.place < 5.3
        return not (is_middle and "guiro" not in content)

    moved = 0
    for seed in range(300):
        free, kept = (
            compose_rhythm(stream(seed, "rates"), setting, options, ratio, accept)
            for accept in (lambda *_: True, crowded)
        )
        assert kept.clip_a.beat == free.clip_a.beat
        moved += kept.material["sound"] != free.material["sound"]
    assert moved > 30
