"""Features of Hydra and MultiRocket by the compiled library against their twins in PyTorch."""

import numpy as np
import pytest
import torch

from dualres.bench.methods.hydra_transform import (
    PER_KERNEL,
    hydra_features,
    hydra_features_ref,
    hydra_kernels,
    rocket_features,
    rocket_features_ref,
    rocket_levels,
)
from dualres.bench.methods.rocket import dilations
from dualres.kernel import compiled, dilated
from tests.threads import by_threads

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")

LENGTHS = [100, 511, 512, 517, 1301]  # around the blocks that the library works on


def noise(samples):
    return torch.from_numpy(np.random.default_rng(samples).standard_normal((2, samples)).astype(np.float32))


@pytest.mark.parametrize("samples", LENGTHS)
def test_hydra_is_the_reference(variant, samples):
    signals, kernels = noise(samples), hydra_kernels(samples, 1)
    found = hydra_features(signals, kernels)
    torch.testing.assert_close(found, hydra_features_ref(signals, kernels), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("differences", [False, True])
@pytest.mark.parametrize("samples", LENGTHS)
def test_multirocket_is_the_reference(variant, samples, differences):
    signals = noise(samples)
    # Off the responses that they are quantiles of, which sums of floats in another order put on either side.
    levels = torch.from_numpy(rocket_levels(signals, 2)) + 1e-4
    found = rocket_features(signals, levels, differences=differences)
    expected = rocket_features_ref(signals, levels, differences=differences)
    assert torch.isclose(found, expected, rtol=1e-3, atol=1e-3).float().mean() > 0.9999


def test_levels_that_no_response_is_above_or_below(variant):
    signals = noise(300)
    distinct, counts = dilations(300, PER_KERNEL)
    for level, share, place in ((1e6, 0.0, -1.0), (-1e6, 1.0, None)):
        levels = np.full(84 * counts.sum(), level, np.float32)
        shares, stretches, _, places = np.moveaxis(
            dilated.multirocket(signals.numpy(), distinct, counts, levels, late=False), 1, 0
        )
        assert (shares == share).all()
        # Every response is below, one sample after another; or none is, and the stretch is all there is.
        assert ((stretches == 1) if share == 0 else (stretches == 2 * places)).all()
        if place is not None:
            assert (places == place).all()


def test_a_window_that_is_not_finite_has_no_features_of_hydra(variant):
    signals = noise(600)
    signals[1] = torch.nan
    assert hydra_features(signals, hydra_kernels(600, 0)).isnan().any(1).tolist() == [False, True]


def test_the_number_of_threads_does_not_change_a_bit():
    signals, kernels = noise(600), hydra_kernels(600, 0)
    levels = torch.from_numpy(rocket_levels(signals, 0))
    np.testing.assert_array_equal(*by_threads((1, 3), lambda: hydra_features(signals, kernels).numpy()))
    np.testing.assert_array_equal(
        *by_threads((1, 3), lambda: rocket_features(signals, levels, differences=True).numpy())
    )


def test_what_the_library_would_misread_is_refused():
    signals, (distinct, counts) = noise(600).numpy(), dilations(600, PER_KERNEL)
    levels = np.zeros(84 * counts.sum(), np.float32)
    for wrong, reason in [
        ((signals.astype(np.float64), distinct, counts, levels), "signals are float64"),
        ((signals[:, ::2], distinct, counts, levels), "without gaps"),
        ((signals, distinct, counts, levels[1:]), "levels are"),
        ((signals, distinct[1:], counts, levels), "levels are"),
        ((signals, distinct * 8, counts, levels), "leave no response of 600 samples"),
        ((signals, distinct - 1, counts, levels), "no features of signals"),
        ((np.zeros((1, 1 << 17), np.float32), distinct, counts, levels), "no features of signals"),
    ]:
        with pytest.raises(ValueError, match=reason):
            dilated.multirocket(*wrong, late=False)
    with pytest.raises(ValueError, match="kernels are"):
        dilated.hydra(signals, [1, 2], np.zeros((1, 256, 9), np.float32))
    with pytest.raises(ValueError, match="no features of signals"):
        dilated.hydra(signals, [0], np.zeros((1, 256, 9), np.float32))


def test_it_can_be_switched_off(monkeypatch):
    assert dilated.available()
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert not dilated.available()
