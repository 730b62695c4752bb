import numpy as np
import pytest
from scipy.ndimage import maximum_filter1d

from dualres.faultlines.order_evidence import AROUND, local_median, near_maximum, order_evidence
from dualres.faultlines.order_spectra import OrderSpectra

STEP, ORDERS = 1 / 64, 20.0


def spectra(lines, seed=0, rows=6, height=40.0, bands=None):
    """Averaged noise with lines at some orders, in all bands or the first few."""
    rng = np.random.default_rng(seed)
    count = int(ORDERS / STEP)
    envelopes, signals = rng.gamma(8, 1 / 8, (rows, count)), rng.gamma(8, 1 / 8, (1, count))
    for order in lines:
        envelopes[:bands, round(order / STEP)] *= height
    return OrderSpectra(STEP, ((200.0, 4000.0),) * rows, envelopes, signals, 300.0, 25.0)


def test_a_line_of_all_bands_stands_out_more_than_one_of_a_single_band():
    everywhere = order_evidence(spectra([3.6])).envelope
    once = order_evidence(spectra([3.6], bands=1)).envelope
    at = round(3.6 / STEP)
    assert everywhere.argmax() == at
    assert everywhere[at] > 4 * once[at] > 4
    assert np.std(everywhere[everywhere < 4]) == pytest.approx(1, abs=0.15)


def test_the_speed_is_refined_by_the_shafts_own_harmonics():
    found = order_evidence(spectra([1.01 * k for k in range(1, 19)]))
    assert found.speed_found
    assert found.speed_factor == pytest.approx(1.01, abs=0.001)
    assert found.at(found.envelope, np.array([5.0])) > 10
    unknown = order_evidence(spectra([]))
    assert (unknown.speed_found, unknown.speed_factor) == (False, 1.0)


def test_what_may_be_another_parts_does_not_refine_the_speed():
    lines = [0.99 * k for k in range(3, 12)]
    assert order_evidence(spectra(lines)).speed_factor == pytest.approx(0.99, abs=0.002)
    assert order_evidence(spectra(lines), lines).speed_factor == 1


def test_lines_of_the_shaft_are_left_out_and_others_are_not():
    found = order_evidence(spectra([1.01 * k for k in range(1, 19)] + [3.6])).without_shaft
    assert np.isnan(found[round(4.04 / STEP)])
    assert found[round(3.6 / STEP)] > 5
    assert np.isnan(found).mean() < 0.12


def test_beyond_the_end_there_is_nothing():
    found = order_evidence(spectra([3.6]))
    assert found.at(found.envelope, np.array([ORDERS + 1])) == 0


def test_the_largest_of_neighbours_keeps_what_is_left_out():
    curve = np.random.default_rng(0).standard_normal(50)
    np.testing.assert_array_equal(near_maximum(curve), maximum_filter1d(curve, 3, mode="nearest"))
    curve[[10, 11]] = np.nan
    near = near_maximum(curve)
    assert np.isnan(near[[10, 11]]).all()
    assert near[9] == max(curve[8], curve[9])


def test_a_local_median_is_one():
    row = np.random.default_rng(1).standard_normal(200)
    half = AROUND // 2
    found = local_median(row[None])[0]
    assert found[100] == np.median(row[100 - half : 101 + half])
    assert np.isfinite(local_median(np.ones((1, 3)))).all()
