"""Held to SciPy."""

import numpy as np
from scipy import special

from dualres.model.reference.probabilities import log_mean, log_softmax, softmax

LOGITS = np.random.default_rng(0).standard_normal((5, 7, 3)) * [1, 50, 800]


def test_they_are_scipy_s():
    np.testing.assert_array_equal(softmax(LOGITS), special.softmax(LOGITS, axis=-1))
    np.testing.assert_allclose(log_softmax(LOGITS), special.log_softmax(LOGITS, axis=-1), rtol=1e-14)
    logs = special.log_softmax(LOGITS, axis=-1)
    np.testing.assert_allclose(log_mean(logs), special.logsumexp(logs, axis=0) - np.log(5), rtol=1e-13)
