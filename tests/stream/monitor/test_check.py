from dataclasses import replace
from fractions import Fraction

import pytest

from dualres.errors import ConfigError
from dualres.judge.training_profile import TrainingProfile
from dualres.stream.monitor.check import check_rate


def learned_at(model, *rates):
    profile = TrainingProfile(rates=tuple(map(Fraction, rates)))
    return replace(model, card=replace(model.card, learned_from=profile.as_data()))


@pytest.mark.parametrize("rate", [1, "12.8", 1199, 480_001, "12800kHz"])
def test_a_rate_far_from_those_learned_is_refused(views, rate):
    with pytest.raises(ConfigError, match="learned at 12000, 48000 Hz: more than a factor of 10"):
        check_rate(learned_at(views, 12_000, 48_000), rate)


@pytest.mark.parametrize("rate", [1200, 12_800, 480_000])
def test_others_are_not(views, rate):
    check_rate(learned_at(views, 12_000, 48_000), rate)
    check_rate(views, 100)  # which does not know at what rates it learned


def test_without_such_knowledge_a_rate_is_at_least_of_some_use(views):
    with pytest.raises(ConfigError, match="below 100 Hz"):
        check_rate(views, "99.9")
