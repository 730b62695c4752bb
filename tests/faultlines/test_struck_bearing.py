import numpy as np
import pytest

from tests.faultlines.struck_bearing import RATE, struck_bearing


def test_what_rings_is_as_strong_as_said():
    signal, bearing, shaft_hz = struck_bearing(3, "outer", 2.0, decibels=0.0)
    quiet, *same = struck_bearing(3, "outer", 2.0, decibels=-200.0)
    assert same == [bearing, shaft_hz]
    assert len(signal) == 2 * RATE
    assert np.std(signal - quiet) == pytest.approx(1, rel=1e-6)
    noise, *_ = struck_bearing(3, None, 2.0)
    assert np.std(noise) == pytest.approx(1, rel=0.02)
