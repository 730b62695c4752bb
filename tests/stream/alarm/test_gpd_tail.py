"""How rare news are that no healthy block had."""

import numpy as np
import pytest
from scipy import stats

from dualres.stream.alarm.gpd_tail import LEAST, tail_quantiles

CHANCES = np.geomspace(1e-4, 1e-7, 10)


def ends_of(distribution, seed, count=8640, normal=1.0):
    return tail_quantiles(distribution.rvs(size=count, random_state=np.random.default_rng(seed)), CHANCES, normal)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("norm", ()), ("laplace", ()), ("t", (5,)), ("weibull_min", (2 / 3,)), ("lognorm", (0.5,)), ("gamma", (2,))],
)
def test_chances_are_seldom_larger_than_stated_whatever_the_tail(name, arguments):
    distribution = getattr(stats, name)(*arguments)
    unfair = [distribution.sf(ends_of(distribution, seed)) / CHANCES for seed in range(40)]
    assert np.mean(np.array(unfair)[:, 0] > 1) <= 0.25
    assert np.mean(np.array(unfair)[:, -1] > 1) <= 0.25


def test_a_thin_tail_is_trusted_beyond_the_reference_and_a_heavy_one_is_not():
    thin = np.median([ends_of(stats.norm, seed)[-1] for seed in range(20)])
    heavy = np.median([ends_of(stats.t(5), seed)[-1] for seed in range(20)])
    assert stats.norm.ppf(1 - 1e-7) < thin < 8
    assert heavy > stats.t(5).ppf(1 - 1e-7) > 2 * thin


def test_ends_rise_and_follow_the_values():
    ends = ends_of(stats.norm, 1)
    assert (np.diff(ends) > 0).all()
    values = stats.norm.rvs(size=8640, random_state=np.random.default_rng(1))
    assert tail_quantiles(3 * values + 5, CHANCES, 1.0) == pytest.approx(3 * ends + 5)
    assert (ends_of(stats.laplace, 1, normal=3.0) >= ends_of(stats.laplace, 1, normal=0.5)).all()


def test_without_enough_different_values_there_is_no_tail():
    assert ends_of(stats.norm, 1, count=LEAST - 1) is None
    assert tail_quantiles(np.zeros(LEAST), CHANCES, 1.0) is None
    assert ends_of(stats.norm, 1, count=LEAST) is not None
