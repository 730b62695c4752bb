from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm, t

from dualres.explain.trend.limits import BELIEVED, USUAL, BaselineNoise, HealthySpread, limit_factor, mean_variance
from tests.explain.trend.made_series import remembering


@pytest.mark.parametrize("share", [0.05, 1e-3, 1e-5])
def test_one_look_with_an_estimated_spread_is_students_distribution(share):
    for freedom in (3.0, 8.0, 50.0):
        assert limit_factor(freedom, 1, share) == pytest.approx(t.isf(share, freedom), rel=0.02)


def test_many_looks_at_a_known_spread_are_the_highest_of_many():
    assert limit_factor(1e5, 100, 0.01) == pytest.approx(norm.isf(1e-4), rel=0.01)


def test_a_mean_of_neighbours_that_are_alike_varies_more():
    rng = np.random.default_rng(0)
    means = [remembering(208, 0.7, rng)[200:].mean() for _ in range(1500)]
    assert np.var(means) == pytest.approx(mean_variance(8, 0.7), rel=0.12)
    assert mean_variance(8, 0.0) == pytest.approx(1 / 8)
    assert mean_variance(8, 1.0) == 1


def spread_of(levels, *others):
    own = BaselineNoise.of(levels)
    return HealthySpread.among(own, [own, *map(BaselineNoise.of, others)])


def test_a_short_baseline_is_taken_to_be_more_alike_than_it_looks():
    rng = np.random.default_rng(1)
    short = [spread_of(remembering(20, 0.5, rng)).alike for _ in range(200)]
    measured = [BaselineNoise.of(remembering(20, 0.5, rng)).alike for _ in range(200)]
    assert np.mean(short) > 0.5 > np.mean(measured) - 0.05
    assert spread_of(remembering(2000, 0.5, rng)).alike == pytest.approx(0.5, abs=0.06)


def test_outliers_of_a_baseline_widen_its_spread_little():
    levels = np.random.default_rng(2).standard_normal(100)
    levels[[10, 50]] = 40
    found = spread_of(levels)
    assert found.mean == pytest.approx(0, abs=0.3)
    assert found.spread < 1.6
    assert found.freedom > 50


def test_a_baseline_that_looks_still_is_believed_to_vary_as_machines_do():
    assert spread_of(np.tile([0.0, 1e-6], 5)).spread > 0.7 * USUAL
    rng = np.random.default_rng(4)
    still, loud = 0.01 * rng.standard_normal(10), 5 * rng.standard_normal((9, 10))
    assert spread_of(still, *loud).spread > 2
    assert spread_of(loud[0], *[still] * 9).spread == pytest.approx(spread_of(loud[0]).spread, rel=0.3)


def test_levels_of_a_machine_tell_of_each_other_how_much_neighbours_are_alike():
    rng = np.random.default_rng(5)
    alone, slow = rng.standard_normal(10), [remembering(10, 0.9, rng) for _ in range(11)]
    assert spread_of(alone, *slow).alike > spread_of(alone).alike


def test_the_reach_falls_with_the_baseline_and_with_the_window():
    levels = np.random.default_rng(3).standard_normal(200)
    short, long = (spread_of(levels[:count]) for count in (15, 200))
    assert long.reach(4, 50, 1e-3) < short.reach(4, 50, 1e-3)
    assert long.reach(16, 50, 1e-3) < long.reach(4, 50, 1e-3)
    assert long.reach(4, 50, 1e-3) > 3 * sqrt(1 / 4)


def test_freedom_is_that_of_the_belief_and_of_the_baseline():
    levels = 0.3 * np.random.default_rng(6).standard_normal(10)
    found = spread_of(levels)
    assert found.believed == BELIEVED
    assert spread_of(20 * levels).believed < 1
    factor = found.reach(1, 1, 1e-3) / found.spread / sqrt(mean_variance(10, found.alike) + 1)
    assert t.isf(1e-3, BELIEVED + found.freedom) * 0.98 < factor < 1.02 * t.isf(1e-3, BELIEVED)
