from itertools import pairwise

import numpy as np
import pytest

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.explain.regions import LOW_LINES, REPETITION, SPECTRA, Region, groupings

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
