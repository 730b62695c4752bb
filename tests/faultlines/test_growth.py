import numpy as np
import pytest
from scipy.stats import t

from dualres.errors import ConfigError
from dualres.faultlines.growth import GROWS, REPAIRED_DB, SPREADS_DB, HealthyMachine, HealthyRecording, student_tail

STEADY = dict.fromkeys(SPREADS_DB, -10.0)


def machine(count=6, slope=0.0, seed=0):
    """Recorded from 20 to 40 Hz, with levels that follow the speed."""
    rng, found = np.random.default_rng(seed), []
    for number, hz in enumerate(np.geomspace(20, 40, count).tolist()):
        levels = {name: -10 + slope * np.log2(hz / 28) + rng.normal(0, SPREADS_DB[name]) for name in SPREADS_DB}
        found.append(HealthyRecording(f"{number}.wav", hz, levels))
    return HealthyMachine(tuple(found))


def growths(levels, hz=28.0, healthy=None):
    return {one.pattern: one for one in (healthy or machine()).growths(levels, hz)}


@pytest.mark.parametrize("pattern", GROWS)
def test_the_pattern_whose_levels_grew_is_the_least_likely_to_be_healthy(pattern):
    found = growths({name: level + 10 * (name in GROWS[pattern]) for name, level in STEADY.items()})
    assert min(found.values(), key=lambda one: one.p).pattern == pattern
    assert found[pattern].p < 0.005
    assert all(rise == pytest.approx(10, abs=4) for rise in found[pattern].rises_db.values())


def test_what_stays_or_falls_has_not_grown():
    assert all(one.p > 0.05 for one in growths(STEADY).values())
    assert all(one.p > 0.5 for one in growths({name: level - 15 for name, level in STEADY.items()}).values())


def test_levels_that_follow_the_speed_are_predicted_at_another_one():
    follows = machine(12, slope=12.0)
    at_40 = {name: level + 12 * np.log2(40 / 28) for name, level in STEADY.items()}
    assert min(one.p for one in growths(at_40, 40.0, follows).values()) > 0.05
    assert min(one.p for one in growths(at_40, 40.0).values()) < min(
        one.p for one in growths(at_40, 40.0, follows).values()
    )


def test_a_speed_far_from_all_that_is_known_is_less_certain():
    grown = {name: level + 10 for name, level in STEADY.items()}
    assert growths(grown, 160.0)["unbalance"].score < growths(grown, 28.0)["unbalance"].score


def test_healthy_machines_have_rarely_grown_by_a_repair():
    rng, alarms = np.random.default_rng(3), 0
    for seed in range(400):
        spread = {name: np.hypot(SPREADS_DB[name], REPAIRED_DB[name]) for name in STEADY}
        levels = {name: level + rng.normal(0, spread[name]) for name, level in STEADY.items()}
        alarms += min(one.p for one in growths(levels, 28.0, machine(4, seed=seed)).values()) < 0.05 / len(GROWS)
    assert alarms <= 30


def test_few_recordings_are_not_enough_and_none_is_compared_with_itself():
    known = machine(4)
    with pytest.raises(ConfigError, match="2 healthy recordings are too few"):
        machine(2).growths(STEADY, 25.0)
    assert [one.file for one in known.without("1.wav").recordings] == ["0.wav", "2.wav", "3.wav"]


@pytest.mark.parametrize("freedom", [5.0, 13.0, 60.0])
def test_the_tail_is_students(freedom):
    values = (-2.0, 0.0, 2.0, 4.0)
    assert [student_tail(one, freedom) for one in values] == pytest.approx(t.sf(values, freedom), rel=0.01, abs=1e-6)
