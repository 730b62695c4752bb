from itertools import pairwise

import numpy as np
import pytest

from dualres.config import ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.explain.regions import (
    ENVELOPE,
    LOW_LINES,
    MODULATION,
    REPETITION,
    SPECTRA,
    Region,
    groupings,
    order_groupings,
)
from dualres.faultlines.bearing import bearing_of
from dualres.faultlines.lines import order_lines

CONFIG = ModelConfig()


def test_every_feature_of_every_head_has_its_region():
    groups, sizes = groupings(CONFIG), VIEW_SIZES.features(CONFIG)
    for view, head in {SPECTRA: "spectra", REPETITION: "rhythm", LOW_LINES: "lines"}.items():
        assert len(groups[view].of_feature) == sizes[head]
        assert set(groups[view].of_feature) == set(range(len(groups[view].regions)))


def test_a_bin_lies_in_its_region():
    group = groupings(CONFIG)[SPECTRA]
    for bin, hz in ((5, 5 * 250.0), (129 + 20, 20 * 62.5), (128, 32_000.0)):
        region = group.regions[group.of_feature[bin]]
        assert region.low_hz <= hz <= region.high_hz


def test_repetition_rates_and_lines_follow_each_other_without_gaps():
    rates = [region.repeats_hz for region in groupings(CONFIG)[REPETITION].regions[:9]]
    assert rates[0][0] == pytest.approx(4.0)
    assert rates[-1][1] == pytest.approx(420.0)
    assert all(a[1] == pytest.approx(b[0]) for a, b in pairwise(rates))
    lines = groupings(CONFIG)[LOW_LINES].regions
    assert all(a.high_hz == b.low_hz for a, b in pairwise(lines))


def test_sums_keep_the_total():
    group = groupings(CONFIG)[SPECTRA]
    shares = np.random.default_rng(0).standard_normal((3, len(group.of_feature)))
    np.testing.assert_allclose(group.sums(shares).sum(1), shares.sum(1), atol=1e-9)


def test_words():
    assert str(Region(SPECTRA, 3000.0, 3500.0)) == "3,000 to 3,500 Hz"
    assert str(Region(REPETITION, 750.0, 2000.0, (12.3, 20.5))) == "750 to 2,000 Hz, 12.3 to 20.5 times a second"
    region = Region(SPECTRA, 6000.0, 6500.0)
    assert region.heard(6400.0) == "6,000 to 6,500 Hz"
    assert region.heard(6000.0) == "6,000 to 6,500 Hz, above what was recorded"


@pytest.mark.parametrize("by_order", [True, False])
def test_every_feature_of_a_network_of_orders_has_its_region(by_order):
    groups, sizes = order_groupings(CONFIG, by_order), ORDER_SIZES.features(CONFIG)
    assert list(groups) == [SPECTRA, MODULATION, ENVELOPE]
    for view, group in groups.items():
        assert len(group.of_feature) == sizes[view]
        assert set(group.of_feature) == set(range(len(group.regions)))


def test_a_reading_lies_in_its_region():
    for view, count in ((MODULATION, ORDER_SIZES.oscillators), (ENVELOPE, ORDER_SIZES.lines)):
        by_order, by_hz = (order_groupings(CONFIG, known)[view] for known in (True, False))
        for feature, order in enumerate(ORDER_SIZES.axis(count)):
            low, high = by_order.regions[by_order.of_feature[feature]].orders
            assert low <= order <= high
            assert by_hz.regions[by_hz.of_feature[feature]].repeats_hz == pytest.approx((25 * low, 25 * high))
        assert all(one.repeats_hz is None for one in by_order.regions)
        assert all(one.orders is None for one in by_hz.regions)


def test_orders_in_words():
    band = Region(MODULATION, 2000.0, 5000.0, orders=(3.4, 3.7))
    assert str(band) == "2,000 to 5,000 Hz, 3.55 x shaft"
    assert str(Region(ENVELOPE, 250.0, 32_000.0, orders=(0.97, 1.02))) == "1 x shaft"
    assert str(Region(ENVELOPE, 250.0, 32_000.0, repeats_hz=(68.2, 71.6))) == "68.2 to 71.6 times a second"
    known = order_lines(bearing_of("6205"))
    assert str(band.named(known)) == "2,000 to 5,000 Hz, 3.58 x shaft: BPFO of 6205"
    assert str(Region(ENVELOPE, 250.0, 32_000.0, orders=(7.0, 7.3)).named(known)) == "7.17 x shaft: 2 x BPFO of 6205"
    both = Region(ENVELOPE, 250.0, 32_000.0, orders=(10.7, 10.9)).named(known)
    assert str(both) == "10.8 x shaft: 3 x BPFO of 6205 or 2 x BPFI of 6205"
    assert band.turning(30.0).repeats_hz == pytest.approx((102, 111))
    assert band.turning(None) is band
    in_hz = Region(MODULATION, 2000.0, 5000.0, repeats_hz=(68.2, 71.6))
    assert in_hz.named(known) is in_hz.turning(30.0) is in_hz


def test_a_line_that_slips_out_of_a_region_still_names_it():
    known = order_lines(bearing_of("6205"))
    assert Region(ENVELOPE, 250.0, 32_000.0, orders=(3.64, 3.8)).named(known).lines
    assert not Region(ENVELOPE, 250.0, 32_000.0, orders=(3.67, 3.8)).named(known).lines
