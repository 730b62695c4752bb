from dataclasses import replace

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.faultlines.bearing_templates import PartTest
from dualres.faultlines.check import CAGE_MARGIN, MARGIN
from dualres.faultlines.fault_orders import FaultOrders
from dualres.faultlines.part_evidence import LEAST, MOST, NEUTRAL, nats_of, parts_evidence
from tests.faultlines.struck_bearing import RATE, struck_bearing


def heard(fault, seed=1, seconds=4.0):
    signal, bearing, shaft_hz = struck_bearing(seed, fault, seconds, 10.0)
    orders = FaultOrders.of_bearing(bearing)
    return parts_evidence([[signal]], RATE, lambda at, _: 0 * at + shaft_hz, seconds=seconds, orders=orders)


def test_a_damaged_part_speaks_for_itself_and_others_do_not():
    found = heard("outer")
    assert found["outer race"].nats > 3
    assert max(one.nats for part, one in found.items() if part != "outer race") < 1


def test_noise_speaks_a_little_against_all_parts():
    found = heard(None)
    assert {one.nats < 0 for one in found.values()} == {True}
    assert min(one.nats for one in found.values()) >= LEAST


def test_a_standard_deviation_is_a_nat_within_bounds():
    test = PartTest("inner race", 5.4, 1.0, MARGIN, 0.01, ())
    assert nats_of(test) == NEUTRAL
    assert nats_of(replace(test, score=MARGIN - 1)) == NEUTRAL - 1
    assert nats_of(replace(test, score=0.0)) == LEAST
    assert nats_of(replace(test, score=30.0)) == MOST
    assert nats_of(replace(test, part="cage", score=CAGE_MARGIN)) == NEUTRAL


def test_few_revolutions_are_an_error():
    with pytest.raises(RecordingError, match="revolutions of the shaft"):
        heard("outer", seconds=0.3)


def test_parts_without_orders_are_left_out():
    signal = np.random.default_rng(0).standard_normal(3 * RATE)
    found = parts_evidence([[signal]], RATE, lambda at, _: 0 * at + 30, seconds=3.0, orders=FaultOrders(inner=5.4))
    assert set(found) == {"inner race"}
