from dataclasses import replace

import numpy as np
import pytest

from dualres.faultlines.order_evidence import order_evidence
from dualres.faultlines.shaft_patterns import HEALTHY, MARGINS, TAILS, patterns
from tests.faultlines.test_order_evidence import STEP, spectra
from tests.faultlines.test_turn_average import envelope


def found(envelope=(), signal=(), teeth=None):
    """Patterns by name, of a machine with lines {order: height} in its envelope and its signal."""
    made = spectra([])
    for rows, lines in ((made.envelopes, dict(envelope)), (made.signals, dict(signal))):
        for order, height in lines.items():
            rows[:, round(order / STEP)] *= height
    return {one.pattern: one for one in patterns(made, order_evidence(made), teeth)}


def passed(patterns):
    return {name for name, one in patterns.items() if one.enough and one.p <= 0.005}


def test_noise_is_like_no_fault():
    assert passed(found(teeth=(29, 95))) == set()


def test_patterns_are_told_apart():
    assert passed(found({1: 30}, {1: 300})) == {"unbalance"}
    assert passed(found({2: 30}, {1: 20, 2: 300})) == {"misalignment"}
    assert passed(found({1: 40, 2: 12}, {1: 900, 2: 300})) == {"bent shaft"}
    loose = dict.fromkeys((0.5, 1, 1.5, 2, 2.5, 3, 3.5), 60)
    assert passed(found({1: 3}, loose)) == {"looseness"}


@pytest.mark.parametrize(("turn", "name"), [(1.0, "gear"), (95 / 29, "mate")])
def test_a_tooth_that_strikes_is_told_by_the_turn_that_it_strikes_in(turn, name):
    made = replace(spectra([]), turned=tuple(envelope(5.0, turn=turn)))
    tests = {one.pattern: one for one in patterns(made, order_evidence(made), (29, 95))}
    assert passed(tests) == {name}
    assert len(tests[name].lines) == 10
    assert not {"gear", "mate"} & set(found())


def test_a_strong_line_that_is_not_heard_repeating_is_no_unbalance():
    """A motor's own line at its rate, which nothing comes and goes with."""
    assert passed(found({}, {1: 1000})) == set()


@pytest.mark.parametrize("pattern", HEALTHY)
def test_healthy_machines_are_a_table_that_falls(pattern):
    assert len(HEALTHY[pattern]) == len(TAILS)
    assert list(HEALTHY[pattern]) == sorted(HEALTHY[pattern])
    assert (np.diff(TAILS) < 0).all()
    assert MARGINS[pattern] >= HEALTHY[pattern][3]
