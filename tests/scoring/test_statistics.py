"""The statistics against independent implementations and hand calculations."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from scoring_data import GOLD, SUBMISSION, balanced_rows, item_rows, oracle, read_lines, write_lines
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from listenbench.scoring import score
from listenbench.scoring.bootstrap import percentile_interval, resampled_totals, wilson_interval
from listenbench.scoring.chance import guessing
from listenbench.scoring.comparison import bootstrap_probability, mcnemar_probability
from listenbench.scoring.metrics import METRICS
from listenbench.scoring.psychometric import LAPSES, fit_weibull, unit_of, weibull
from listenbench.scoring.sensitivity import d_prime_and_criterion

CLEAN, ACC_FS = METRICS[0], METRICS[3]


@pytest.mark.parametrize(
    ("n", "low", "high"), [(250, 43.8, 56.2), (500, 45.6, 54.4), (1000, 46.9, 53.1), (2000, 47.8, 52.2)]
)
def test_chance_covers_the_published_ranges(n: int, low: float, high: float) -> None:
    guessed = guessing(CLEAN, {"clean": {2: n}})
    assert guessed is not None
    found = guessed.interval
    assert (round(100 * found.low, 1), round(100 * found.high, 1)) == (low, high)
    # Acc_FS over n / 2 items has n files.
    guessed = guessing(ACC_FS, {"flip": {2: n // 2}, "stay": {2: n // 2}})
    assert guessed is not None
    half = guessed.interval
    assert (round(100 * half.low, 1), round(100 * half.high, 1)) == (low, high)


@given(st.integers(1, 3000), st.data())
def test_chance_mark_is_the_test_of_a_proportion(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    z = (k - n / 2) / math.sqrt(n / 4)
    guessed = guessing(CLEAN, {"clean": {2: n}})
    assert guessed is not None
    found = guessed.interval
    assert (found.low <= Fraction(k, n) <= found.high) == (2 * stats.norm.sf(abs(z)) >= 0.05)


@given(st.integers(1, 500), st.data())
def test_wilson_interval(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    found = wilson_interval(k / n, n)
    assert (found.low, found.high) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)
    assert (found.low == 0) is (k == 0)
    assert (found.high == 1) is (k == n)


def test_d_prime_by_hand() -> None:
    """Hautus (1995): with 0.5 added to counts and 1 to trials; z(0.8) = 0.8416, z(0.3) = -0.5244."""
    counts = {"hits": 39.5, "different_trials": 49.0, "false_alarms": 14.5, "same_trials": 49.0}
    d_prime, criterion = d_prime_and_criterion({name: np.array([value]) for name, value in counts.items()})
    assert d_prime[0] == pytest.approx(0.8416 + 0.5244, abs=1e-4)
    assert criterion[0] == pytest.approx(-(0.8416 - 0.5244) / 2, abs=1e-4)


@given(st.integers(1, 400), st.integers(1, 400), st.data())
def test_d_prime_against_scipy(different: int, same: int, data: st.DataObject) -> None:
    hits, alarms = data.draw(st.integers(0, different)), data.draw(st.integers(0, same))
    counts = {"hits": hits, "different_trials": different, "false_alarms": alarms, "same_trials": same}
    d_prime, criterion = d_prime_and_criterion({name: np.array([float(v)]) for name, v in counts.items()})
    z_hit = stats.norm.ppf((hits + 0.5) / (different + 1))
    z_alarm = stats.norm.ppf((alarms + 0.5) / (same + 1))
    assert d_prime[0] == pytest.approx(z_hit - z_alarm, abs=1e-9)
    assert criterion[0] == pytest.approx(-(z_hit + z_alarm) / 2, abs=1e-9)


def test_detections_of_the_published_submission_counted_again() -> None:
    rows = {row["id"]: row for row in read_lines(GOLD)}
    answers = {line["item_id"]: line["answer"] for line in read_lines(SUBMISSION) if "item_id" in line}
    analysis = score(SUBMISSION, GOLD, resamples=100).analysis
    assert set(analysis.sensitivities) == {"melody", "harmony", "timbre"}
    for task, found in analysis.sensitivities.items():
        for trials, conditions in (("clean", {"clean"}), ("flip_and_stay", {"flip", "stay"})):
            files = [row for row in rows.values() if row["task"] == task and row["condition"] in conditions]
            reported = [row for row in files if answers[row["id"]] == "B"]
            assert found[trials].different_trials == sum(row["answer"] == "B" for row in files)
            assert found[trials].hits == sum(row["answer"] == "B" for row in reported)
            assert found[trials].false_alarms == sum(row["answer"] == "A" for row in reported)


def test_sensitivity_follows_the_meaning_of_the_letters(tmp_path: Path) -> None:
    """With half of the items' letters swapped, what counts is the report 'different'."""
    rows = []
    for n in range(40):
        choices = ["same", "different"] if n % 2 else ["different", "same"]
        rows += item_rows(f"i{n}", "AB"[n // 2 % 2], choices=choices)
    answers = oracle(rows)
    same_letter = {row["id"]: "A" if row["choices"][0] == "same" else "B" for row in rows}
    key = write_lines(tmp_path / "k.jsonl", rows)
    perfect = score(answers, key, resamples=100).analysis.sensitivities["melody"]["flip_and_stay"]
    assert (perfect.hits, perfect.different_trials, perfect.false_alarms, perfect.same_trials) == (
        40,
        40,
        0,
        40,
    )
    assert perfect.d_prime == pytest.approx(2 * stats.norm.ppf(40.5 / 41))
    assert perfect.criterion == pytest.approx(0)
    never = score(same_letter, key, resamples=100).analysis.sensitivities["melody"]["flip_and_stay"]
    assert (never.hits, never.false_alarms) == (0, 0)
    assert never.d_prime == pytest.approx(0)
    assert never.criterion == pytest.approx(stats.norm.ppf(40.5 / 41))


def test_bootstrap_draws_like_resampling_item_by_item() -> None:
    """Compare with the plain bootstrap of a list of items, task by task."""
    generator = np.random.default_rng(1)
    values = generator.integers(0, 2, (300, 2))
    tasks = np.repeat([0, 1, 2], [50, 100, 150])
    counted = {"flip_wrong": values[:, 0], "stay_wrong": values[:, 1]}
    ones = np.ones(300, np.int64)
    found = resampled_totals(counted, ones, tasks, 20_000, np.random.default_rng(2))
    plain = np.zeros((20_000, 2))
    for task in range(3):
        members = np.flatnonzero(tasks == task)
        chosen = generator.choice(members, (20_000, len(members)))
        plain += values[chosen].sum(axis=1)
    for column, name in enumerate(counted):
        assert found[name].mean() == pytest.approx(values[:, column].sum(), abs=0.3)
        assert stats.ks_2samp(found[name], plain[:, column]).pvalue > 1e-4
    ours, theirs = np.corrcoef(found["flip_wrong"], found["stay_wrong"]), np.corrcoef(plain.T)
    assert ours[0, 1] == pytest.approx(theirs[0, 1], abs=0.03)


def test_bootstrap_keeps_each_task_at_its_size() -> None:
    counted = {"items": np.ones(3, np.int64), "first": np.array([1, 1, 0])}
    draws = resampled_totals(counted, np.array([3, 4, 5]), np.array([0, 0, 1]), 50, np.random.default_rng(0))
    assert set(draws["items"]) == {12.0}
    assert set(draws["first"]) == {7.0}


def test_interval_of_acc_fs_has_the_width_that_theory_gives() -> None:
    """The standard error of a stratified mean, from the variance of the items' own values."""
    stay_and_flip: dict[str, list[float]] = {}
    answers = {line["item_id"]: line["answer"] for line in read_lines(SUBMISSION) if "item_id" in line}
    for row in read_lines(GOLD):
        if row["condition"] != "clean":
            stay_and_flip.setdefault(row["item"], []).append(answers[row["id"]] == row["answer"])
    by_task: dict[str, list[float]] = {}
    for item, right in stay_and_flip.items():
        by_task.setdefault(item[:2], []).append(sum(right) / 2)
    error = math.sqrt(sum(len(v) * float(np.var(v)) for v in by_task.values())) / 1000
    interval = score(SUBMISSION, GOLD).figures["acc_fs"].interval
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        right = generator.random(200) < 0.7
        counted = {"right": right.astype(np.int64)}
        draws = resampled_totals(counted, np.ones(200, np.int64), np.zeros(200, np.int64), 1000, generator)
        interval = percentile_interval(draws["right"] / 200)
        assert interval is not None
        covered += interval.low <= 0.7 <= interval.high
    # 400 trials at 0.95 have a standard deviation of 4.4.
    assert 400 * 0.95 - 18 <= covered <= 400 * 0.95 + 18


def test_all_right_has_an_interval_with_a_width(tmp_path: Path) -> None:
    rows = [row for n in range(10) for row in item_rows(f"i{n}", "A")]
    interval = (
        score(oracle(rows), write_lines(tmp_path / "k.jsonl", rows), resamples=100).figures["acc_fs"].interval
    )
    assert interval is not None
    assert interval.method == "wilson"
    assert (interval.low, interval.high) == pytest.approx(proportion_confint(10, 10, method="wilson"))


def test_a_figure_that_most_resamples_lack_has_no_interval() -> None:
    assert percentile_interval(np.array([0.5, np.nan, np.nan])) is None


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_against_statsmodels(first: int, second: int) -> None:
    if first + second:
        expected = mcnemar([[5, first], [second, 7]], exact=True).pvalue
        assert mcnemar_probability(first, second) == pytest.approx(expected, rel=1e-9)
    else:
        assert mcnemar_probability(first, second) == 1


def test_mcnemar_of_many_files() -> None:
    expected = stats.binomtest(499_000, 1_000_000).pvalue
    assert mcnemar_probability(499_000, 501_000) == pytest.approx(expected, rel=1e-6)


def test_bootstrap_probability_by_hand() -> None:
    assert bootstrap_probability(np.array([0.1, 0.2, -0.1, 0.3, 0.0, 0.4, 0.5, 0.6, 0.7])) == pytest.approx(
        0.6
    )
    assert bootstrap_probability(np.ones(999)) == pytest.approx(2 / 1000)
    assert bootstrap_probability(np.zeros(99)) == 1


def test_weibull_passes_through_its_threshold() -> None:
    for lapse in LAPSES:
        for slope in (0.3, 1.0, 4.0):
            parameters = np.array([math.log(150), math.log(slope), lapse])
            assert weibull(parameters, np.array([150.0]))[0] == pytest.approx(0.75)
            assert weibull(parameters, np.array([1e-9]))[0] == pytest.approx(0.5, abs=1e-3)
            assert weibull(parameters, np.array([1e9]))[0] == pytest.approx(1 - lapse, abs=1e-3)


def _independent_loss(
    x: np.ndarray, lapse: float, right: np.ndarray, files: np.ndarray, m: np.ndarray
) -> float:
    scale, slope = np.exp(x)
    share = 0.5 + (0.5 - lapse) * stats.weibull_min.cdf(m, slope, scale=scale)
    return -float(stats.binom.logpmf(right, files, np.clip(share, 0.5, 1 - 1e-9)).sum())


def test_fit_is_the_maximum_of_the_likelihood() -> None:
    """A fit by scipy, written with scipy's own distributions and other parameters, is not better."""
    generator = np.random.default_rng(3)
    magnitudes, files = np.array([100.0, 200.0, 400.0, 700.0]), np.full(4, 125.0)
    for _ in range(8):
        truth = np.array([math.log(generator.uniform(90, 600)), math.log(generator.uniform(0.7, 3)), 0.02])
        right = generator.binomial(125, weibull(truth, magnitudes)).astype(float)
        log_threshold, log_slope, lapse = fit_weibull(right[None], files[None], magnitudes)[0]
        reached = 0.25 / (0.5 - lapse)
        scale = math.exp(log_threshold) / (-math.log1p(-reached)) ** math.exp(-log_slope)
        ours = _independent_loss(np.array([math.log(scale), log_slope]), lapse, right, files, magnitudes)
        theirs = min(
            optimize.minimize(
                _independent_loss,
                np.array([math.log(start), 0.3]),
                args=(each, right, files, magnitudes),
                method="Nelder-Mead",
                bounds=[(math.log(20), math.log(5000)), (math.log(0.2), math.log(5))],
            ).fun
            for start in (100, 300)
            for each in LAPSES
        )
        assert ours <= theirs + 0.02


def test_fit_finds_the_threshold_that_made_the_data() -> None:
    generator = np.random.default_rng(4)
    magnitudes, files = np.array([100.0, 200.0, 400.0, 700.0]), np.full(4, 2000.0)
    truth = np.array([math.log(230), math.log(1.8), 0.02])
    right = generator.binomial(2000, weibull(truth, magnitudes), (200, 4)).astype(float)
    thresholds = np.exp(fit_weibull(right, np.tile(files, (200, 1)), magnitudes)[:, 0])
    assert thresholds.mean() == pytest.approx(230, rel=0.01)
    assert thresholds.std() / 230 < 0.03


def _listener(tmp_path: Path, heard: dict[str, float], task: str, items: int = 200) -> object:
    """Score a listener who answers that share of each rung's files right, spread evenly."""
    rows, answers = [], {}
    for rung, share in heard.items():
        for n in range(items):
            own = item_rows(f"{rung}-{n}", "AB"[n % 2], task, rung)
            right = n < share * items
            rows += own
            answers |= {r["id"]: r["answer"] if right else "AB"[r["answer"] == "A"] for r in own}
    return score(answers, write_lines(tmp_path / "k.jsonl", rows), resamples=300).analysis.curves.get(task)


def test_threshold_lies_where_the_accuracy_is_three_quarters(tmp_path: Path) -> None:
    # A Weibull function of slope 2: the share missed beyond chance falls as 0.5 ** ((m / 200) ** 2).
    shares = {str(m): 1 - 0.5 * 0.5 ** ((m / 200) ** 2) for m in (100, 200, 400, 700)}
    curve = _listener(tmp_path, shares, "melody")
    assert curve.unit == "cents"
    assert curve.threshold.value == pytest.approx(200, rel=0.03)
    assert curve.low.value < curve.threshold.value < curve.high.value
    assert curve.right == (232, 300, 388, 400)
    assert curve.files == (400,) * 4
    assert curve.slope == pytest.approx(2, rel=0.1)


def test_threshold_of_a_ratio(tmp_path: Path) -> None:
    curve = _listener(tmp_path, {"1.1": 0.5, "1.2": 0.75, "1.35": 0.98, "1.5": 1.0}, "rhythm")
    assert curve.unit == "ratio"
    assert curve.threshold.value == pytest.approx(1.2, abs=0.01)


@pytest.mark.parametrize(("share", "side"), [(1.0, "below"), (0.5, "above")])
def test_threshold_outside_of_the_tested_range_is_no_number(tmp_path: Path, share: float, side: str) -> None:
    curve = _listener(tmp_path, dict.fromkeys(("1", "2", "3"), share), "harmony")
    assert curve.unit == "semitones"
    assert (curve.threshold.value, curve.threshold.side) == (None, side)
    assert (curve.low.side, curve.high.side) == (side, side)


@pytest.mark.parametrize("rungs", [("near", "far"), ("100",), ("100", "near"), ("0", "100"), ("-1", "1")])
def test_no_curve_where_the_rungs_are_no_magnitudes(tmp_path: Path, rungs: tuple[str, ...]) -> None:
    assert _listener(tmp_path, dict.fromkeys(rungs, 0.9), "melody", 10) is None


def test_units() -> None:
    assert unit_of("harmony", (1.0, 3.0)) == "semitones"
    assert unit_of("harmony", (100.0, 300.0)) == "cents"
    assert unit_of("loudness", (1.0,)) == ""


def test_intervals_at_the_rungs_are_those_of_a_plain_bootstrap(tmp_path: Path) -> None:
    rows = []
    for number in range(40):
        rows += item_rows(f"i{number}", "AB"[number % 2], rung=100 * (1 + number % 2))
    answers = oracle(rows)
    for number in range(0, 40, 3):
        answers[f"i{number}-c"] = "AB"[1 - number % 2]
    for number in range(0, 40, 5):
        answers[f"i{number}-f"] = "?"
    curve = score(answers, write_lines(tmp_path / "key.jsonl", rows)).analysis.curves["melody"]
    generator = np.random.default_rng(0)
    for rung in (0, 1):
        clean = [answers[f"i{n}-c"] == "AB"[n % 2] for n in range(rung, 40, 2)]
        flip = [answers[f"i{n}-f"] == "BA"[n % 2] for n in range(rung, 40, 2)]
        shares = np.mean([clean, flip], axis=0)
        draws = generator.choice(shares, (20_000, len(shares))).mean(axis=1)
        expected = np.quantile(draws, [0.025, 0.975])
        assert [curve.intervals[rung].low, curve.intervals[rung].high] == pytest.approx(expected, abs=0.026)
        assert curve.sizes[rung] == 100 * (rung + 1)


def test_the_interval_of_a_rung_without_errors_has_a_width(tmp_path: Path) -> None:
    rows = balanced_rows()
    curve = score(oracle(rows), write_lines(tmp_path / "key.jsonl", rows)).analysis.curves["melody"]
    widths = [(interval.method, interval.low < interval.high) for interval in curve.intervals]
    assert widths == [("wilson", True)] * 2
