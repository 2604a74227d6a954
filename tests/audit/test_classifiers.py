"""The statistics of shortcuts: planted cues are found, chance is chance, intervals are Wilson's."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from listenbench.audit.shortcuts import cross_validated, folds, wilson


@pytest.mark.parametrize(("right", "count"), [(125, 250), (140, 250), (250, 250), (3, 20)])
@pytest.mark.parametrize("level", [0.05, 0.001])
def test_the_interval_is_the_one_of_another_implementation(right, count, level):
    from scipy.stats import norm

    expected = proportion_confint(right, count, level, "wilson")
    assert wilson(right / count, count, norm.isf(level / 2)) == pytest.approx(expected)


def planted(strength, seed=0, items=120):
    generator = np.random.default_rng(seed)
    answers = np.tile([True, False], items)
    features = generator.normal(size=(2 * items, 30))
    features[:, 7] += strength * answers
    return features, answers, np.repeat(np.arange(items), 2)


def estimated(features, answers, items, level):
    return cross_validated(features, answers, items, folds(answers, items), level)


def test_folds_keep_items_together_and_answers_even():
    answers, items = np.repeat(np.arange(40) % 2 == 0, 3), np.repeat(np.arange(40), 3)
    for learned, tested in folds(answers, items):
        assert not set(items[learned]) & set(items[tested])
        assert set(learned) | set(tested) == set(range(len(items)))
        assert answers[tested].mean() == 0.5


def test_a_planted_cue_is_found_above_chance():
    estimate = estimated(*planted(2.0), level=0.001)
    assert estimate.low > 0.5
    assert estimate.area > 0.8


def test_without_a_cue_the_interval_holds_chance():
    estimate = estimated(*planted(0.0), level=0.001)
    assert estimate.low <= 0.5 <= estimate.high
    assert estimate.items == 120
    assert estimate.recordings == 240


def test_features_that_never_vary_answer_by_coin():
    features, answers, items = planted(0.0)
    assert estimated(np.ones_like(features), answers, items, 0.05).accuracy == 0.5


def test_what_an_item_alone_tells_is_not_learned_from_its_own_recordings():
    """An item's identity goes with its answer, but items are never in training and test at once."""
    generator = np.random.default_rng(3)
    features = np.repeat(np.eye(100), 2, axis=0)
    answers = np.repeat(generator.permutation(100) % 2 == 0, 2)
    estimate = estimated(features, answers, np.repeat(np.arange(100), 2), 0.001)
    assert estimate.low <= 0.5
