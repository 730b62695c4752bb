"""Whether stated probabilities hold, by what was held out."""

import numpy as np
import pytest

from dualres.learn.calibrate import calibrated
from dualres.learn.reliability import BINS, answered, bins_of
from tests.learn.test_calibrate import fit_of_labelled, labelled


def test_every_held_out_recording_is_answered_by_its_own_scores():
    recordings, estimate = labelled(), fit_of_labelled().estimate
    known = calibrated(estimate, recordings)
    found = answered(estimate, recordings, known)
    assert [one.held for one in found] == list(estimate.held)
    for one in found:
        assert one.stated == max(one.held.probabilities.values())
        assert one.calibrated == one.answer.probability
        assert one.right == (one.held.verdict == one.held.label)
        if one.answer.classes:
            assert one.answer.classes[0] == one.held.verdict


def test_bins_hold_everything_once_and_in_order():
    stated = np.random.default_rng(0).uniform(size=500)
    right = stated > 0.5
    bins = bins_of(stated.tolist(), right.tolist())
    assert len(bins) == BINS
    assert sum(one.count for one in bins) == 500
    assert sum(one.right for one in bins) == right.sum()
    assert all(one.low < one.stated <= one.high for one in bins)
    assert [one.low for one in bins] == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])


def test_an_edge_belongs_to_the_bin_below_it_and_empty_bins_are_left_out():
    lower, middle, upper = bins_of([0.6, 1.0, 0.61], [True, False, True])
    assert (lower.high, lower.count, lower.right) == (pytest.approx(0.6), 1, 1)
    assert (middle.low, middle.count, middle.right) == (pytest.approx(0.6), 1, 1)
    assert (upper.low, upper.count, upper.right) == (pytest.approx(0.8), 1, 0)
