"""What is new in a block."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import expit

from dualres.stream.alarm.innovations import (
    GIVEN,
    LOG_ODDS,
    ar_coefficient,
    best_scale,
    innovations,
    variance_inflation,
)


def autoregression(rng, correlation, count):
    noise = rng.standard_normal(count) * np.sqrt(1 - correlation**2)
    noise[0] = rng.standard_normal()
    return lfilter([1], [1, -correlation], noise)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("count", [500, 2000])
def test_what_is_carried_over_is_rarely_too_small(correlation, count):
    rng = np.random.default_rng(1)
    found = [ar_coefficient([autoregression(rng, correlation, count)], 1.28, 1.0) for _ in range(200)]
    assert np.mean(np.array(found) < correlation) < 0.15
    assert np.median(found) < correlation + 3 * np.sqrt((1 - correlation**2) / count) + 4 / count


def test_more_is_carried_over_the_shorter_the_reference_and_the_rarer_the_alarm():
    scores = autoregression(np.random.default_rng(2), 0.5, 200)
    assert ar_coefficient([scores], 1.0, 5.0) == ar_coefficient([scores], 1.0, 1.0)
    assert ar_coefficient([scores], 1.0, 15.0) > ar_coefficient([scores], 1.0, 1.0)
    assert ar_coefficient([scores], 1.0, 99.0) == ar_coefficient([scores], 1.0, 15.0)


def test_news_of_an_autoregression_are_independent_and_those_of_a_drift_are_not():
    rng = np.random.default_rng(3)
    scores = autoregression(rng, 0.9, 20_000)
    new = innovations(scores, 0.9)
    assert len(new) == len(scores) - 1
    assert abs(np.corrcoef(new[1:], new[:-1])[0, 1]) < 0.03
    assert variance_inflation([new], 1.28) == pytest.approx(1, abs=0.1)
    drift = scores + np.sin(2 * np.pi * np.arange(20_000) / 20_000)
    assert variance_inflation([innovations(drift, ar_coefficient([drift], 1.28, 1.0))], 1.28) > 2
    assert variance_inflation([scores], 1.28) > 5


def test_the_scale_is_the_one_on_which_news_are_alike_at_every_level():
    rng = np.random.default_rng(4)
    levels = autoregression(rng, 0.8, 3000)
    assert best_scale([levels]) == GIVEN
    assert best_scale([expit(levels - 2)]) == LOG_ODDS
    assert best_scale([(levels + 50) / 100]) == GIVEN
    assert best_scale([np.append(expit(levels - 2), 1.0)]) == GIVEN  # it has no log-odds


def test_scores_that_never_change_carry_nothing_over():
    assert ar_coefficient([np.zeros(100)], 0.0, 0.0) == pytest.approx(0.01, abs=0.01)
    assert 0 <= ar_coefficient([np.zeros(100)], 1.0, 1.0) < 0.2
    assert variance_inflation([np.zeros(100)], 1.28) == 1  # equal scores do not drift


def test_what_is_carried_over_is_told_more_exactly_where_news_are_bounded_or_skewed():
    """A fault that fills the upper end of a bounded score would be no news if too much were carried over."""
    rng = np.random.default_rng(6)
    normal, two_humps, skewed = (
        np.median([ar_coefficient([draw()], 0.96, 1.0) for _ in range(100)])
        for draw in (
            lambda: rng.standard_normal(60),
            lambda: rng.beta(0.2, 0.2, 60),
            lambda: rng.standard_exponential(60) ** 2,
        )
    )
    assert max(two_humps, skewed) < 0.6 * normal
