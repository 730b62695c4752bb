"""Hydra and MultiRocket against aeon's, on windows short enough for a processor."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import RidgeClassifierCV
from sklearn.preprocessing import StandardScaler

from dualres.bench.methods import hydra_rocket as peer
from dualres.bench.methods import method
from dualres.bench.methods.hydra_transform import (
    ROCKET_FEATURES,
    hydra_features,
    hydra_kernels,
    rocket_features,
    rocket_levels,
)
from dualres.bench.methods.minirocket import ALPHAS

SEED, WINDOW = 3, 600


@pytest.fixture(scope="module")
def signals():
    return torch.from_numpy(np.random.default_rng(1).standard_normal((4, WINDOW)).astype(np.float32))


@pytest.mark.usefixtures("kernel")
def test_hydra_is_aeon_s(signals):
    aeon = pytest.importorskip("aeon.transformations.collection.convolution_based._hydra")
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        theirs = aeon._HydraInternal(WINDOW, 1)
    kernels = hydra_kernels(WINDOW, SEED)
    assert torch.equal(kernels, theirs.W)
    torch.testing.assert_close(hydra_features(signals, kernels), theirs(signals[:, None]))


@pytest.mark.slow
@pytest.mark.usefixtures("kernel")
def test_multirocket_is_aeon_s(signals):
    """Sums of floats in another order put a few responses on the other side of a level. aeon compiles for a minute."""
    aeon = pytest.importorskip("aeon.transformations.collection.convolution_based")
    before = np.random.get_state()  # noqa: NPY002
    try:
        theirs = aeon.MultiRocket(random_state=SEED).fit(signals.numpy()[:, None])
        expected = theirs.transform(signals.numpy()[:, None])
    finally:
        np.random.set_state(before)  # noqa: NPY002, for aeon seeds the generator that everybody shares
    levels = rocket_levels(signals, SEED), rocket_levels(signals.diff(), SEED)
    for ours, parameters in zip(levels, (theirs.parameter, theirs.parameter1), strict=True):
        np.testing.assert_allclose(ours, parameters[2], atol=1e-5)
    found = torch.cat(
        [
            rocket_features(signals, torch.from_numpy(theirs.parameter[2]), differences=False),
            rocket_features(signals.diff(), torch.from_numpy(theirs.parameter1[2]), differences=True),
        ],
        dim=1,
    ).numpy()
    assert found.shape == expected.shape == (4, 8 * ROCKET_FEATURES)
    close = np.isclose(found, expected, rtol=1e-3, atol=1e-3)
    assert close.mean() > 0.999
    assert np.abs(found - expected)[~close].max(initial=0) < 2


def test_scaling_and_ridge_are_aeon_s():
    """On features made up: zeros of Hydra stay zero, and those that are often zero count for less."""
    aeon = pytest.importorskip("aeon.classification.convolution_based._hydra")
    rng = np.random.default_rng(0)
    hydra = (rng.exponential(size=(9, 5)) * (rng.random((9, 5)) < 0.7)).astype(np.float32)
    rocket = rng.standard_normal((9, 6)).astype(np.float32)
    rocket[:, 2] = 1
    expected = np.hstack(
        [aeon._SparseScaler().fit_transform(torch.from_numpy(hydra)), StandardScaler().fit_transform(rocket)]
    )
    scaled = peer._scaled(hydra, rocket, peer._scaling(hydra, rocket))
    np.testing.assert_allclose(scaled, expected, atol=1e-5)
    assert RidgeClassifierCV(alphas=ALPHAS).fit(scaled, np.arange(9) % 3).coef_.shape == (3, 11)


def test_its_shapes_are_those_of_a_blank_one():
    hydra = method("hydra-multirocket")
    for classes in (2, 4):
        blank = hydra.blank(classes)
        assert {name: array.shape for name, array in blank.state().items()} == hydra.shapes(classes)
        assert blank.cost.registered == (1 if classes == 2 else classes) * (12_288 + 49_728 + 1)
    with pytest.raises(ValueError, match="for 3 classes"):
        hydra.restore(hydra.blank(2).state(), {}, 3, seed=1, cost=hydra.blank(2).cost)
