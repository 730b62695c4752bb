import numpy as np
from scipy.special import ndtr, ndtri

from dualres.stream.alarm.normal import quantile, share_below


def test_shares_and_quantiles_are_those_of_scipy_in_the_same_shape():
    values = np.concatenate([np.linspace(-35, 35, 701), [-np.inf, np.inf]])
    np.testing.assert_allclose(share_below(values), ndtr(values), rtol=1e-12)
    shares = np.concatenate([[0.0, 1e-300, 1e-12], np.linspace(0.001, 0.999, 333), [1 - 1e-12, 1.0]])
    np.testing.assert_allclose(quantile(shares), ndtri(shares), rtol=1e-12, atol=1e-15)
    assert quantile(0.5).shape == ()
    assert share_below(np.zeros((2, 3))).shape == (2, 3)
