import numpy as np
import pytest

from dualres.explain.views import view_shares
from dualres.judge.backends import scorer, weights_of
from dualres.model.views.weights import ViewsWeights
from tests.model.made_views import machine_windows, made_views


@pytest.fixture(scope="module")
def weights():
    return weights_of(made_views(4))


@pytest.fixture(scope="module")
def windows():
    return machine_windows(2, 4, seed=5)


def said(weights, windows, label, rival):
    logits = scorer(weights)(windows).astype(np.float64)
    return logits[:, label] - logits[:, rival]


@pytest.mark.parametrize(("label", "rival"), [(0, 1), (2, 3), (3, 0)])
def test_parts_add_up_to_the_logit(weights, windows, label, rival):
    shares, logit = view_shares(weights, windows, label, rival), said(weights, windows, label, rival)
    assert np.abs(logit).max() > 1
    np.testing.assert_allclose(shares.total, logit, atol=1e-5)
    np.testing.assert_allclose(sum(shares.heads.values()), logit, atol=1e-5)
    np.testing.assert_allclose(shares.of_tokens.sum(1), logit, atol=2e-5)
    assert set(shares.heads) == {"spectra", "repetition", "rhythm", "lines"}


def test_they_do_for_a_network_that_nobody_fitted(weights, windows):
    """Its heads have offsets that are no distances, which the constant tells."""
    arrays = dict(weights.arrays)
    arrays["heads.lines.offsets"] = arrays["heads.lines.offsets"] + np.arange(4, dtype=np.float32)
    other = ViewsWeights(weights.config, arrays)
    shares = view_shares(other, windows, 0, 1)
    np.testing.assert_allclose(shares.total, said(other, windows, 0, 1), atol=1e-5)
    assert np.abs(shares.constant).max() > 1e-3
    assert np.abs(view_shares(weights, windows, 0, 1).constant).max() < 1e-5


def test_exchanging_the_classes_changes_the_sign(weights, windows):
    one, other = view_shares(weights, windows, 1, 2), view_shares(weights, windows, 2, 1)
    np.testing.assert_allclose(one.of_regions, -other.of_regions, atol=1e-9)
