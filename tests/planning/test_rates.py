"""What one clip's pulse rate tells, against the bound that the documentation states."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from listenbench.compose.rhythm import chain_length, draw_rate, one_clip_bound
from listenbench.plan import plan
from listenbench.randomness import stream
from listenbench.splits import load_split
from listenbench.splits.model import Split

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


def test_items_that_keep_apart_have_rates_as_if_they_did_not():
    """In the train split rates are crowded; items that went where there is room would give clip B away."""
    table = load_split("train").model_dump()
    table["tasks"] = {"rhythm": table["tasks"]["rhythm"]}
    items = list(plan(Split.model_validate(table), 5, items=2_400, variants=("clean",)))
    for ratio in RATIOS:
        places = chain_length(RATES, ratio)
        above = [math.log(60 / i.clip_a.clip.beat / RATES[0]) for i in items if i.rung == ratio]
        counts = np.zeros(places, int)
        for height in above:
            # The bottom is free within less than the distance of two places, so that the place is sure.
            place = math.floor((height - math.log(ratio)) / (2 * math.log(ratio)))
            counts[min(place, places - 1)] += 1
        assert chisquare(counts).pvalue > 0.002, (ratio, counts)
