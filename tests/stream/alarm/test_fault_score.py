"""How unhealthy a block looks."""

import pytest

from dualres.errors import ConfigError
from dualres.judge.trust.calibration import NAMED, NONE_OF_THESE, Answer
from dualres.judge.verdict import Verdict
from dualres.stream.alarm.alarm import fault_score


def said(kind=None):
    answer = Answer(kind, ("good",), 0.1) if kind else None
    return Verdict("pump", "good", {"good": 0.6, "worn in": 0.1, "inner": 0.3}, 4, answer=answer)


def test_a_score_is_the_probability_of_everything_but_health():
    assert fault_score(said(), ["good"]) == pytest.approx(0.4)
    assert fault_score(said(NAMED), {"good", "worn in"}) == pytest.approx(0.3)


def test_none_of_these_outranks_every_fault():
    assert fault_score(said(NONE_OF_THESE), ["good"]) == pytest.approx(1.4)


@pytest.mark.parametrize("healthy", [[], ["fine"], ["good", "fine"]])
def test_healthy_classes_are_the_models(healthy):
    with pytest.raises(ConfigError, match="name some of good, worn in, inner"):
        fault_score(said(), healthy)
