"""What a low-passed signal says of the speed of a shaft."""

import numpy as np
import pytest
from scipy.signal import firwin, upfirdn

from dualres.faultlines.speed_evidence import CUTOFF, DECIMATED, GROUPS, KAISER, lowpassed, shaft_evidence

RATE = 2000.0
HZ = 20 * np.exp(np.arange(-40, 41) * 0.01)


def test_a_signal_is_low_passed_as_by_scipy():
    signal = np.random.default_rng(0).standard_normal((2, 40 * DECIMATED)).astype(np.float32)
    taps = firwin(DECIMATED * GROUPS, 2 * CUTOFF, window=("kaiser", KAISER))
    found = lowpassed(signal)
    assert found.shape == (2, 40 - GROUPS + 1)
    for row, samples in zip(found, signal, strict=True):
        wanted = upfirdn(taps, samples.astype(np.float64), 1, 1)[DECIMATED * GROUPS - 1 :: DECIMATED][: found.shape[1]]
        np.testing.assert_allclose(row, wanted, atol=1e-6)


@pytest.mark.parametrize("rows", [1, 7])
def test_a_row_does_not_depend_on_what_is_beside_it(rows):
    signal = np.random.default_rng(1).standard_normal((rows, 20 * DECIMATED)).astype(np.float32)
    np.testing.assert_array_equal(lowpassed(signal)[:1], lowpassed(signal[:1]))


@pytest.mark.parametrize("true_hz", [17.3, 24.0])
def test_a_shafts_lines_are_evidence_for_its_speed(true_hz):
    t = np.arange(int(8 * RATE)) / RATE
    lines = sum(np.sin(2 * np.pi * k * true_hz * t) / k for k in (1, 2, 3))
    evidence = shaft_evidence(lines + np.random.default_rng(2).standard_normal(len(t)), RATE, HZ)
    assert abs(HZ[evidence.argmax()] / true_hz - 1) < 0.01
    assert evidence.max() > np.median(evidence) + 3


def test_hum_of_the_mains_is_none():
    t = np.arange(int(8 * RATE)) / RATE
    noise = np.random.default_rng(3).standard_normal(len(t))
    hum, shaft = (noise + 3 * np.sin(2 * np.pi * hz * t) for hz in (50.0, 47.0))
    evidence = [shaft_evidence(one, RATE, np.array([hz])).item() for one, hz in ((hum, 50.0), (shaft, 47.0))]
    assert evidence[0] < 2 < 5 < evidence[1]
