import json
from dataclasses import replace

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.bearing_templates import PartTest
from dualres.faultlines.check import CAGE_MARGIN, MARGIN, SEARCHED_MARGIN, Machine, _judged, check_array, check_signals
from dualres.faultlines.fault_orders import FaultOrders
from dualres.faultlines.shaft_patterns import PatternTest
from dualres.simulated import rig
from dualres.simulated.machines import MachineSetting, machine, simulate
from tests.faultlines.struck_bearing import RATE, struck_bearing
from tests.variants import also

PARTS = {"outer": "outer race", "inner": "inner race", "ball": "rolling element"}
M6205 = Machine(FaultOrders.of_bearing(bearing_of("6205")))


def checked(seed, fault, decibels=10.0):
    signal, bearing, shaft_hz = struck_bearing(seed, fault, 4.0, decibels)
    if fault == "inner":  # its damage goes through the load zone in each turn
        signal = signal * (1 + 0.5 * np.cos(2 * np.pi * shaft_hz * np.arange(len(signal)) / RATE))
    return check_array(signal, RATE, shaft_hz, machine=Machine(FaultOrders.of_bearing(bearing)))


@pytest.mark.parametrize("fault", ["outer", *also(("inner",), ("ball",))])
def test_a_damaged_part_is_named(fault):
    answers = [checked(seed, fault).answer for seed in range(5)]
    assert answers.count(PARTS[fault]) >= 4


def test_an_inner_race_is_not_taken_for_a_slower_shaft():
    """BPFI of a 6203 is 4.95 times the shaft's rate, and its harmonics those of a shaft that is 1 % slower."""
    shaft = 30.0 * np.arange(6 * RATE) / RATE
    strikes = np.cos(np.pi * bearing_of("6203").inner * shaft) ** 40 * (1 + 0.5 * np.cos(2 * np.pi * shaft))
    noise = np.random.default_rng(0).standard_normal((2, len(shaft)))
    orders = FaultOrders.of_bearing(bearing_of("6203"))
    found = check_array(noise[0] + strikes * noise[1], RATE, 30.0, machine=Machine(orders))
    assert found.answer == "inner race"
    assert found.evidence.speed_factor == pytest.approx(1, abs=0.002)


def test_noise_names_nothing():
    answers = [checked(seed, None) for seed in range(8)]
    assert {one.answer for one in answers} == {"nothing found"}
    assert all(one.p > 0.05 or not one.findings[0].named for one in answers)


def test_healthy_simulated_machines_are_not_blamed():
    """Of a seed that had no part in choosing margins."""
    blamed = 0
    for number in range(3):
        sheet = machine(number, 77)
        setting = MachineSetting("good", "light", sheet.speeds[1], sheet.loads[0])
        known = Machine(FaultOrders.of_bearing(sheet.bearing), sheet.teeth)
        blamed += check_array(simulate(sheet, setting), sheet.rate, setting.speed / 60, machine=known).answer != (
            "nothing found"
        )
    assert blamed == 0


def test_one_cannot_tell_of_a_short_recording_or_a_narrow_band():
    noise = np.random.default_rng(0).standard_normal(4000)
    assert "revolutions" in check_array(noise, 12_000, 20.0, machine=M6205).reason
    noise = np.random.default_rng(0).standard_normal(60_000)
    narrow = check_array(noise, 1500, 60.0, machine=Machine(FaultOrders(outer=7.0, inner=9.0)))
    assert narrow.answer == "cannot tell"
    assert "too narrow" in narrow.reason
    assert narrow.p is None


def test_several_axes_say_more_than_one():
    signals, clean = [], struck_bearing(3, "outer", 4.0, -12.0)
    for seed in range(3):
        noise = np.random.default_rng([seed, 9]).standard_normal(len(clean[0]))
        signals.append(clean[0] + 0.5 * noise)
    machine = Machine(FaultOrders.of_bearing(clean[1]))

    def score(some):
        found = check_signals(
            [[one] for one in some], RATE, lambda at, _: 0 * at + clean[2], len(clean[0]) / RATE, machine=machine
        )
        return next(one.score for one in found.findings if one.name == "outer race")

    assert score(signals) > score(signals[:1])


@pytest.mark.parametrize("error", [0.0, 0.01, 1.0, float("nan")])
def test_an_error_that_cannot_be_kept_is_refused(error):
    with pytest.raises(ConfigError, match=r"0\.02"):
        check_array(np.ones(10), 100, 1.0, machine=M6205, error=error)


def test_its_data_is_json():
    said = json.loads(json.dumps(checked(1, "outer").as_data()))
    assert said["answer"] == "outer race"
    assert said["findings"][0]["adjusted"] == said["p"]
    assert said["findings"][0]["lines"][0].keys() == {"order", "stands_out"}
    assert len(said["findings"]) == 8


def test_what_is_weak_is_told():
    """A cage of a rolling machine, say: there, and not loud enough to be damaged."""
    signal, bearing, shaft_hz = struck_bearing(1, "outer", 4.0, -3.0)
    orders = FaultOrders(cage=bearing.outer)
    found = check_array(signal, RATE, shaft_hz, machine=Machine(orders))
    assert found.findings[0].score < CAGE_MARGIN
    assert (found.answer, found.said) == ("nothing found", "nothing found (weak: cage)")


@pytest.mark.parametrize(("state", "answer"), [("healthy_speed", "nothing found"), ("break_H_speed", "gear")])
def test_a_broken_tooth_is_named_and_healthy_gears_are_not(state, answer):
    """Of the embedded rig, whose gears have strong lines in any state."""
    recording = next(one for one in rig.recordings() if one.id == f"{state}_2000rpm_20Nm")
    known = Machine(FaultOrders.of_bearing(bearing_of("ER-16K")), rig.SECOND_PAIR)
    rate, seconds = float(recording.rate), float(recording.length / recording.rate)
    found = check_signals([[recording.signal]], rate, recording.speed.over, seconds, machine=known)
    assert found.answer == answer


OUTER = PartTest("outer race", 3.58, 1.0, MARGIN + 1, 0.001, ())
CAGE = PartTest("cage", 0.4, 1.0, CAGE_MARGIN + 0.5, 0.001, ())
TWICE = PatternTest("misalignment", 20.0, 0.002, ())


def named(*tests):
    return [one.name for one in _judged(list(tests), 0.05) if one.named]


def test_a_p_value_and_a_score_are_both_needed():
    assert named(OUTER) == ["outer race"]
    assert named(replace(OUTER, score=MARGIN - 0.1)) == []
    assert named(replace(OUTER, p=0.04), TWICE) == ["misalignment"]
    assert named(replace(OUTER, score=SEARCHED_MARGIN - 0.1, elements=9)) == []


def test_the_cage_is_named_alone_and_where_it_is_loud():
    assert named(CAGE) == ["cage"]
    assert named(CAGE, OUTER) == ["outer race"]
    assert named(replace(CAGE, score=MARGIN + 1)) == []


def test_a_shaft_or_a_gear_is_not_blamed_where_a_bearing_may_strike():
    tooth = PatternTest("gear", 10.0, 0.002, ())
    assert named(tooth) == ["gear"]
    assert named(tooth, replace(OUTER, score=MARGIN - 1)) == []
    assert named(TWICE) == ["misalignment"]
    assert named(TWICE, replace(OUTER, score=MARGIN - 1)) == []
    assert named(TWICE, replace(OUTER, score=1.0)) == ["misalignment"]
