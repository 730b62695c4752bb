import numpy as np
import pytest
import torch
from torch.nn.functional import silu

from dualres.config import ModelConfig
from dualres.explain.paper_network import memory_said
from dualres.judge.backends import weights_of
from dualres.model.network import DualRes


@pytest.mark.parametrize("settings", [{}, {"rotation": False}])
def test_it_is_what_pytorch_says_and_its_gradient(settings):
    network = DualRes(3, ModelConfig(**settings), seed=2).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1.5)
    rng = np.random.default_rng(0)
    features, head = rng.standard_normal((2, 40, 64)), rng.standard_normal(64)
    weights = weights_of(network)
    said, slopes = memory_said(weights, features, head)

    encoder, given = network.double().encoder, torch.from_numpy(features).requires_grad_()
    encoder.memory.theta = lambda: torch.from_numpy(weights.theta())  # float32 rounds it
    y = encoder.memory(encoder.norm(given))[0]
    expected = (encoder.mix(y) * silu(encoder.gate(y))) @ torch.from_numpy(head)
    np.testing.assert_allclose(said, expected.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(slopes, torch.autograd.grad(expected.sum(), given)[0].numpy(), atol=1e-12)
