import numpy as np
import pytest

from dualres.faultlines.machine_levels import shaft_levels
from dualres.faultlines.order_evidence import order_evidence
from dualres.faultlines.order_spectra import order_spectra

RATE, HZ = 8000, 25.0


def levels(*, once=0.3, twice=0.1, half=0.0, rubs=0.1, gain=1.0, axes=1):
    angle = 2 * np.pi * HZ * np.arange(4 * RATE) / RATE
    noise = np.random.default_rng(0).standard_normal((axes, len(angle))) * (1 + rubs * np.cos(angle))
    lines = once * np.cos(angle) + twice * np.cos(2 * angle + 1) + half * np.cos(angle / 2)
    signals = [[gain * (one + lines)] for one in noise]
    spectra = order_spectra(signals, RATE, lambda at, _: 0 * at + HZ, seconds=4.0, highest=13.0)
    return shaft_levels(spectra, order_evidence(spectra))


def test_a_line_that_is_twice_as_large_is_six_decibels_higher():
    before, after = levels(), levels(once=0.6)
    assert after["once"] - before["once"] == pytest.approx(6, abs=0.8)
    assert after["twice"] - before["twice"] == pytest.approx(0, abs=0.3)
    assert after["comes once"] - before["comes once"] == pytest.approx(0, abs=1)


def test_what_comes_and_goes_and_half_orders_have_levels_of_their_own():
    before, rubs, loose = levels(), levels(rubs=0.4), levels(half=0.3)
    assert rubs["comes once"] - before["comes once"] > 8
    assert rubs["twice"] - before["twice"] == pytest.approx(0, abs=1)
    assert loose["halves"] - before["halves"] > 2
    assert loose["comes once"] - before["comes once"] == pytest.approx(0, abs=1)


@pytest.mark.parametrize("options", [{"gain": 50.0}, {"axes": 3}])
def test_neither_gain_nor_the_number_of_axes_changes_levels(options):
    before, after = levels(), levels(**options)
    assert all(
        after[name] == pytest.approx(before[name], abs=3 * (options.get("axes", 1) > 1) + 1e-6) for name in before
    )
