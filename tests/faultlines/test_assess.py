import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.faultlines.assess import assess
from dualres.faultlines.lines import bearing_lines, machine_lines
from tests.faultlines.struck_bearing import RATE, struck_bearing
from tests.variants import also


@pytest.mark.parametrize(("fault", "name"), [("outer", "BPFO"), *also(("inner", "BPFI"), ("ball", "2xBSF"))])
def test_a_damaged_part_is_named_through_ten_decibels_of_noise(fault, name):
    named = []
    for seed in range(6):
        signal, bearing, shaft_hz = struck_bearing(seed, fault)
        found = assess(signal, RATE, shaft_hz, bearing_lines(bearing, shaft_hz))
        named.append([one.line.name for one in found.named])
    assert sum(names == [name] for names in named) >= 5


def test_a_gear_shows_in_the_spectrum():
    t = np.arange(10 * 12_000) / 12_000
    rng = np.random.default_rng(0)
    signal = rng.standard_normal(len(t))
    once_a_turn = np.exp(-0.5 * (((20 * t) % 1 - 0.5) / 0.1) ** 2)  # a tooth that gives way
    for k in (1, 2, 3, 4):
        signal += (1 - once_a_turn) * np.cos(2 * np.pi * 20 * 29 * k * t) / k
    found = assess(signal, 12_000, 20.0, machine_lines(20.0, teeth=(29, 95)))
    assert {one.line.name for one in found.named} == {"mesh", "mesh ± shaft"}


def test_too_few_revolutions_are_refused():
    with pytest.raises(RecordingError, match="revolutions"):
        assess(np.ones(1000), 1000, 5.0, machine_lines(5.0))
