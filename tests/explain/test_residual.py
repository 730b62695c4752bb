import numpy as np
import pytest

from dualres.config import ModelConfig
from dualres.explain.residual import residual_shares
from dualres.model.network import DualRes
from dualres.scorers import by_torch, weights_of
from tests.model.made_views import machine_windows

WINDOWS = machine_windows(1, 3, seed=6)


@pytest.mark.parametrize("settings", [{}, {"branches": "short"}, {"branches": "long"}, {"memory": False}])
@pytest.mark.parametrize("neutral", [None, np.linspace(0, 2, 642)], ids=["silence", "given"])
def test_parts_add_up_to_the_logit(settings, neutral):
    network = DualRes(3, ModelConfig(**settings), seed=2).eval()
    logits = by_torch(network, WINDOWS).astype(np.float64)
    logit = logits[:, 2] - logits[:, 0]
    shares = residual_shares(weights_of(network), network, WINDOWS, 2, 0, neutral)
    for total in (shares.total, shares.of_tokens.sum(1), sum(shares.heads.values())):
        np.testing.assert_allclose(total, logit, atol=1e-5)


def test_the_memory_is_computed_and_not_what_is_left():
    """Without features in the head's way, it is all that there is beside the constant."""
    network = DualRes(3, seed=2).eval()
    weights = weights_of(network)
    one = residual_shares(weights, network, WINDOWS, 2, 0)
    arrays = dict(weights.arrays)
    arrays["head.bias"] = arrays["head.bias"] + np.float32([0, 0, 7])
    other = residual_shares(type(weights)(weights.config, arrays), network, WINDOWS, 2, 0)
    np.testing.assert_array_equal(one.memory, other.memory)
    np.testing.assert_allclose(other.constant - one.constant, 7, atol=1e-6)
    assert np.abs(one.memory).max() > 0
