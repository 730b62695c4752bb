"""The threshold that healthy evidence sets."""

from math import log

import numpy as np
import pytest

from dualres.stream.alarm.excursions import LEAST_TRIED, threshold


def test_evidence_that_goes_no_further_than_fair_bets_let_it_changes_nothing():
    low = np.random.default_rng(1).exponential(0.5, 20_000)
    assert threshold(low, 20_000.0) == pytest.approx(np.log1p(20_000))


@pytest.mark.parametrize("between", [2e4, 2e5])
def test_evidence_that_goes_further_sets_a_threshold_that_it_reaches_as_rarely_as_stated(between):
    """The exponential that is exceeded once in `between` is known."""
    rng, found = np.random.default_rng(2), []
    for _ in range(50):
        found.append(threshold(rng.exponential(3.0, 20_000), between))
    exact = 3 * log(between)
    assert np.mean(np.array(found) > exact) > 0.9
    assert np.median(found) < 1.6 * exact  # and not much more


def test_bursts_that_come_again_and_again_are_taken_as_possible():
    evidence = np.random.default_rng(3).exponential(0.5, 20_000)
    evidence[250::500] += 30.0
    assert 30 < threshold(evidence, 1e4) < 75


def test_too_few_bets_tell_nothing_of_how_far_evidence_goes():
    evidence = np.random.default_rng(4).exponential(9.0, LEAST_TRIED)
    assert threshold(evidence[:-1], 1000.0) == pytest.approx(np.log1p(1000))
    assert threshold(evidence, 1000.0) > 2 * np.log1p(1000)
    assert threshold(np.zeros(LEAST_TRIED), 1000.0) == pytest.approx(np.log1p(1000))


def test_what_is_rarer_than_the_reference_tells_is_left_to_fair_bets():
    evidence = np.random.default_rng(5).exponential(1.5, 5000)
    assert threshold(evidence, 50_000.0) > np.log1p(50_000)
    assert threshold(evidence, 1e15) == pytest.approx(np.log1p(1e15))
