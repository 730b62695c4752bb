"""Evidence that bets add up to."""

import numpy as np
import pytest

from dualres.stream.alarm.alarm import Alarm
from dualres.stream.alarm.detector import LARGEST_WEALTH, evidence, grown, healthy_evidence
from dualres.stream.alarm.e_values import LIFTS
from tests.stream.alarm.test_innovations import autoregression


def test_wealth_begins_and_grows_with_every_block_and_stays_finite():
    wealth = grown(np.full(len(LIFTS), 2.0), np.log([[3.0] * len(LIFTS), [5.0] * len(LIFTS)]))
    assert wealth == pytest.approx(2 * 5 + 3)
    assert evidence(wealth) == pytest.approx(np.log1p(13))
    assert grown(np.full(len(LIFTS), LARGEST_WEALTH), np.ones((2, len(LIFTS)))).max() == LARGEST_WEALTH


def remembering(rng, blocks):
    """A block before does not tell how neighbours are alike."""
    return autoregression(rng, 0.95, blocks) + rng.standard_normal(blocks)


@pytest.mark.parametrize(("scores", "joins"), [(np.random.Generator.standard_normal, False), (remembering, True)])
def test_healthy_evidence_is_that_of_an_alarm(scores, joins):
    rng = np.random.default_rng(1)
    alarm = Alarm.learned(scores(rng, 4000), blocks_between_false_alarms=1e6)
    assert (alarm.joined > 1) == joins
    new = scores(rng, 60 * alarm.joined) + 0.5  # equal to no block of the reference
    told = [alarm.update(score).evidence for score in new]
    assert healthy_evidence(alarm.e_values, new) == pytest.approx(told[2 * alarm.joined - 1 :: alarm.joined])


def test_a_healthy_block_counts_as_just_above_itself():
    healthy = np.random.default_rng(2).standard_normal(800)
    alarm = Alarm.learned(healthy, blocks_between_false_alarms=1e6)
    told = np.array([alarm.update(score).evidence for score in healthy])[1:]
    found = healthy_evidence(alarm.e_values, healthy)
    assert (found >= told - 1e-12).all()
    assert found.max() > told.max() + 0.1
