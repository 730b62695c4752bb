from copy import deepcopy

import numpy as np
import pytest
import torch
from torch.nn.functional import silu

from dualres.config import ModelConfig
from dualres.explain.contributions import log_spectra
from dualres.explain.paper_network import memory_said, residual_shares
from dualres.explain.regions import SPECTRA, groupings
from dualres.judge.backends import by_torch, weights_of
from dualres.model.network import DualRes
from tests.model.made_views import machine_windows

WINDOWS = machine_windows(1, 3, seed=6)


@pytest.mark.parametrize("settings", [{}, {"branches": "short"}, {"branches": "long"}, {"memory": False}])
@pytest.mark.parametrize("neutral", [None, np.linspace(0, 2, 642)], ids=["silence", "given"])
def test_parts_add_up_to_the_logit(settings, neutral):
    network = DualRes(3, ModelConfig(**settings), seed=2).eval()
    logits = by_torch(network, WINDOWS).astype(np.float64)
    logit = logits[:, 2] - logits[:, 0]
    shares = residual_shares(weights_of(network), WINDOWS, 2, 0, neutral=neutral)
    for total in (shares.total, shares.of_tokens.sum(1), sum(shares.heads.values())):
        np.testing.assert_allclose(total, logit, atol=1e-5)


def test_the_memory_is_computed_and_not_what_is_left():
    """Without features in the head's way, it is all that there is beside the constant."""
    network = DualRes(3, seed=2).eval()
    weights = weights_of(network)
    one = residual_shares(weights, WINDOWS, 2, 0)
    arrays = dict(weights.arrays)
    arrays["head.bias"] = arrays["head.bias"] + np.float32([0, 0, 7])
    other = residual_shares(type(weights)(weights.config, arrays), WINDOWS, 2, 0)
    np.testing.assert_array_equal(one.memory, other.memory)
    np.testing.assert_allclose(other.constant - one.constant, 7, atol=1e-6)
    assert np.abs(one.memory).max() > 0


def test_a_band_with_what_it_makes_the_memory_say_is_the_slope_of_the_logit():
    """A band goes a thousandth of the way to the neutral point, and the logit falls by a thousandth of both parts."""
    network, neutral = DualRes(3, seed=2).eval(), np.linspace(0, 1, 642)
    shares = residual_shares(weights_of(network), WINDOWS[:1], 2, 0, neutral=neutral)
    config, group = network.config, groupings(network.config)[SPECTRA]
    exact, logs = deepcopy(network).double(), log_spectra(WINDOWS[0], config, np.float64)
    whole = (shares.of_regions + shares.through_memory)[0]

    def logit(spectra):
        short, long = torch.from_numpy(spectra)[None].split([config.short_bins, config.long_bins], dim=2)
        said = exact.classify(short, long)[0].detach()
        return float(said[2] - said[0])

    for region in (*np.argsort(-np.abs(shares.through_memory[0]))[:3], 60):
        moved = np.where(group.of_feature == region, logs - 1e-3 * (logs - neutral), logs)
        assert 1e3 * (logit(logs) - logit(moved)) == pytest.approx(whole[region], abs=1e-5, rel=0.01)
    assert np.abs(shares.through_memory).max() > 1e-4


def test_without_a_memory_nothing_goes_through_it():
    network = DualRes(3, ModelConfig(memory=False), seed=2).eval()
    assert not residual_shares(weights_of(network), WINDOWS, 2, 0).through_memory.any()


@pytest.mark.parametrize("settings", [{}, {"rotation": False}])
def test_the_memory_says_what_pytorch_says_and_its_gradient(settings):
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
