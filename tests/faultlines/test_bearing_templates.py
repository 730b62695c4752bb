import numpy as np
import pytest

from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.bearing_templates import part_test, template
from dualres.faultlines.fault_orders import FaultOrders
from dualres.faultlines.order_evidence import order_evidence
from tests.faultlines.test_order_evidence import STEP, spectra

ORDERS = FaultOrders.of_bearing(bearing_of("6205"))


def harmonics(order, count=4):
    return [k * order for k in range(1, count + 1)]


def of(part, evidence, orders=ORDERS):
    return part_test(part, orders, evidence)


@pytest.mark.parametrize("slip", [0.994, 1.0, 1.006])
def test_a_comb_is_found_at_its_slip(slip):
    found = of("outer race", order_evidence(spectra(harmonics(slip * ORDERS.outer), height=4.0)))
    assert found.factor == pytest.approx(slip, abs=0.002)
    assert found.score > 6
    assert found.p < 0.005
    assert [round(order / ORDERS.outer / slip) for order, _ in found.lines] == [1, 2, 3, 4]


def test_sidebands_speak_for_an_inner_ring_and_for_an_element():
    inner = [k * ORDERS.inner + side for k in (1, 2, 3) for side in (-1, 1)]
    ball = [k * ORDERS.ball + side * ORDERS.cage for k in (1, 2) for side in (-1, 1)]
    for part, order, lines in (("inner race", ORDERS.inner, inner), ("rolling element", ORDERS.ball, ball)):
        alone = of(part, order_evidence(spectra(harmonics(order, 3), height=3.0)))
        beside = of(part, order_evidence(spectra(harmonics(order, 3) + lines, height=3.0)))
        assert beside.score > 1.2 * alone.score
    assert {line.offset for line in template("outer race", ORDERS)} == {0.0}
    assert {line.offset for line in template("rolling element", FaultOrders(ball=4.7))} == {0.0}


def test_one_strong_line_is_no_comb():
    found = of("outer race", order_evidence(spectra([ORDERS.outer], height=1e6)))
    assert found.score < 5


def test_p_values_of_noise_are_spread_evenly():
    p = np.array([of("outer race", order_evidence(spectra([], seed=seed))).p for seed in range(80)])
    assert p.mean() == pytest.approx(0.5, abs=0.1)
    assert np.mean(p <= 0.1) <= 0.2


def test_a_comb_elsewhere_is_not_taken_for_the_bearings():
    found = of("outer race", order_evidence(spectra(harmonics(1.11 * ORDERS.outer), height=4.0)))
    assert found.p > 0.005
    assert found.score < 3


def test_what_is_not_known_or_not_reached_is_not_tested():
    evidence = order_evidence(spectra([]))
    assert of("cage", evidence, FaultOrders(outer=3.6)) is None
    assert of("outer race", evidence, FaultOrders(outer=len(evidence.envelope) * STEP / 2)) is None
