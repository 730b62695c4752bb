"""The network of orders in NumPy says what it says in PyTorch, with and without the speed."""

from copy import deepcopy

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.judge.backends import weights_of
from dualres.model.reference.orders import log_probabilities, looks, reading
from dualres.model.views.order_network import OrdersNetwork
from tests.model.made_orders import made_orders
from tests.model.made_views import machine_windows

HZ = np.array([24.0, 31.5, np.nan, 18.0, 60.0, 25.0, 90.0, 7.0])


@pytest.fixture(scope="module")
def network():
    return made_orders()


@pytest.fixture(scope="module")
def unseen():
    return machine_windows(2, seed=7)


def test_looks_are_those_of_pytorch(network, unseen):
    for exact, found in zip(looks(network.config, unseen), network.looks(torch.from_numpy(unseen)), strict=True):
        np.testing.assert_allclose(found, exact, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("hz", [None, HZ, np.full(8, np.nan), np.full(8, 25.0)], ids=["none", "some", "nan", "all"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_log_probabilities_are_those_of_pytorch(network, unseen, hz, dtype):
    exact = log_probabilities(weights_of(network), unseen, hz)
    turning = None if hz is None else torch.from_numpy(hz)
    found = deepcopy(network).to(dtype)(torch.from_numpy(unseen).to(dtype), turning).numpy()
    np.testing.assert_allclose(found, exact, atol=1e-4)
    np.testing.assert_allclose(np.exp(exact).sum(1), 1, atol=1e-12)


def test_the_speed_matters_only_where_it_is_known_and_was_labelled(network, unseen):
    weights, slow, fast = weights_of(network), np.full(8, 20.0), np.full(8, 30.0)
    without = log_probabilities(weights, unseen)
    assert np.abs(log_probabilities(weights, unseen, slow) - log_probabilities(weights, unseen, fast)).max() > 0.1
    np.testing.assert_array_equal(log_probabilities(weights, unseen, np.full(8, np.nan)), without)
    unlabelled = weights_of(made_orders(labelled=False))
    np.testing.assert_array_equal(
        log_probabilities(unlabelled, unseen, slow), log_probabilities(unlabelled, unseen, fast)
    )


def test_no_windows_give_no_rows(network):
    assert log_probabilities(weights_of(network), np.empty((0, ModelConfig().window), np.float32)).shape == (0, 4)


def test_a_network_has_at_most_a_hundred_thousand_parameters_with_the_classes_of_any_rig():
    assert sum(p.numel() for p in OrdersNetwork(14).parameters()) <= 100_000


def test_readings_lie_between_points_and_are_zero_beyond_the_last():
    values = np.array([[1.0, 3.0, 2.0]])
    np.testing.assert_allclose(reading(values, np.array([[-1.0, 0.25, 1.5, 2.0, 2.1]])), [[1.0, 1.5, 2.5, 2.0, 0.0]])
