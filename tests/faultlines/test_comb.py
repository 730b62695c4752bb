import numpy as np
import pytest
from scipy.ndimage import maximum_filter1d, median_filter

from dualres.faultlines.comb import LEAST, look_for, prominence, scores, shifted_factors
from dualres.faultlines.envelope import PowerSpectrum
from dualres.faultlines.lines import FaultLine

STEP = 0.5


def noise(seed, lines=(), height=30.0):
    """A spectrum of averaged noise with lines at some frequencies, up to 1,500 Hz."""
    power = np.random.default_rng(seed).gamma(12, 1 / 12, 3000) * np.geomspace(3, 0.3, 3000)
    for hz in lines:
        power[round(hz / STEP)] *= height
    return PowerSpectrum(STEP, power)


def test_only_what_sticks_out_counts():
    stands = prominence(noise(0, [200.0]))
    assert stands.argmax() == 400
    assert stands.min() == 0
    assert np.median(stands) < 1


@pytest.mark.parametrize("count", [3, 20, 42, 5000])
def test_surroundings_are_a_median_filter_s(count):
    power = np.random.default_rng(count).exponential(size=count)
    level = np.log(power)
    away = level - median_filter(level, min(41, count // 2 * 2 - 1), mode="nearest")
    noise = 1.4826 * np.median(-away[away < 0]) if (away < 0).any() else 1.0
    expected = np.maximum(away / max(noise, 1e-12), 0)
    expected[:3] = 0
    np.testing.assert_allclose(prominence(PowerSpectrum(1.0, power)), expected, rtol=1e-12)


def test_a_line_between_two_frequencies_counts_by_the_larger():
    stands = np.random.default_rng(0).exponential(size=400)
    line = FaultLine("shaft", "a shaft", 10.0, slip=0.0, multiples=(1, 2, 3))
    near = maximum_filter1d(stands, 3)[[10, 20, 30]]
    found, _ = scores(stands, 1.0, line, np.ones(1))
    assert found[0] == pytest.approx((near.sum() - near.max()) / 2)


def test_the_comb_is_found_at_its_slip():
    line = FaultLine("BPFO", "outer ring", 100.0)
    spectrum = noise(1, [m * 101.5 for m in range(1, 5)])
    (score,), (factor,) = scores(prominence(spectrum), STEP, line, np.ones(1))
    assert factor == pytest.approx(1.015, abs=0.002)
    assert score > LEAST
    (found,) = look_for({"envelope": spectrum}, [line])
    assert found.named
    assert found.hz == pytest.approx(101.5, abs=0.2)
    assert found.slip == pytest.approx(0.015, abs=0.002)


def test_one_strong_frequency_is_no_comb():
    found = look_for({"envelope": noise(2, [100.0], height=1e6)}, [FaultLine("BPFO", "outer ring", 100.0)])
    assert not found[0].named


def test_a_comb_is_not_named_for_frequencies_of_another():
    """The third harmonic of BPFO of a 6205 is within the slip of the second of BPFI."""
    outer, inner = FaultLine("BPFO", "", 107.4), FaultLine("BPFI", "", 162.2)
    found = look_for({"envelope": noise(3, outer.frequencies())}, [inner, outer])
    assert [one.named for one in found] == [False, True]


def test_shifted_combs_stay_away_from_the_line():
    line = FaultLine("BPFO", "", 100.0)
    assert (np.abs(shifted_factors(line) - 1) > 2 * line.slip).all()
    assert len(shifted_factors(line)) > 400


def test_lines_that_are_not_there_are_rarely_named():
    lines = [FaultLine("a", "", 71.0), FaultLine("b", "", 107.4), FaultLine("c", "", 162.2), FaultLine("d", "", 12.0)]
    tested = [look_for({"envelope": noise(100 + seed)}, lines) for seed in range(60)]
    assert sum(any(one.named for one in found) for found in tested) <= 5
    assert all(one.adjusted >= one.p for found in tested for one in found)


def test_p_values_of_noise_are_spread_evenly():
    line = FaultLine("a", "", 107.4)
    p = [look_for({"envelope": noise(500 + seed)}, [line])[0].p for seed in range(150)]
    assert np.mean(np.array(p) <= 0.2) == pytest.approx(0.2, abs=0.1)
    assert np.mean(p) == pytest.approx(0.5, abs=0.08)


def test_a_line_beyond_the_spectrum_is_not_there():
    (found,) = look_for({"envelope": noise(8)}, [FaultLine("a", "", 700.0)])
    assert (found.p, found.named) == (1.0, False)
