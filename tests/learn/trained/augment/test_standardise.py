import pytest
import torch

from dualres.learn.trained.augment.standardise import SMALLEST_SPREAD, fold, no_standard, standard_of


def test_mean_and_spread_are_over_tokens_and_windows():
    magnitudes = torch.rand(4, 7, 5) * torch.tensor([1.0, 10, 100, 1e3, 1e4])
    logs = magnitudes.log1p().flatten(0, 1)
    found = standard_of(magnitudes)
    torch.testing.assert_close(found.mean, logs.mean(0))
    torch.testing.assert_close(found.spread, logs.std(0, correction=0))
    assert found.mean.dtype == torch.float32


def test_a_frequency_that_holds_nothing_is_not_blown_up():
    magnitudes = torch.rand(4, 7, 2) * torch.tensor([1e-6, 100.0])
    magnitudes[..., 1] = 3.0
    assert standard_of(magnitudes).spread.tolist() == pytest.approx([SMALLEST_SPREAD] * 2)


def test_noise_of_any_level_is_above_the_floor():
    noise = torch.randn(4, 2000, 2, dtype=torch.complex64, generator=torch.Generator().manual_seed(0)).abs()
    assert standard_of(noise * torch.tensor([1.0, 1e4])).spread.tolist() == pytest.approx([0.25, 0.64], abs=0.02)


def test_a_folded_map_takes_what_the_other_took_standardised():
    torch.manual_seed(0)
    magnitudes, layer = 1e3 * torch.rand(4, 7, 513), torch.nn.Linear(513, 32)
    standard = standard_of(magnitudes)
    expected = layer((magnitudes.log1p() - standard.mean) / standard.spread)
    fold(layer, standard)
    torch.testing.assert_close(layer(magnitudes.log1p()), expected, rtol=0, atol=1e-5)


def test_no_standard_changes_nothing():
    layer = torch.nn.Linear(3, 2)
    before = [p.detach().clone() for p in layer.parameters()]
    fold(layer, no_standard(torch.ones(1, 1, 3)))
    assert all(torch.equal(p, b) for p, b in zip(layer.parameters(), before, strict=True))
