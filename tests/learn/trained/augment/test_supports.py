from dataclasses import replace

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig, Recipe
from dualres.kernel import compiled
from dualres.learn.support import MICROBATCH
from dualres.learn.trained.augment.draws import draws
from dualres.learn.trained.augment.paths import curves, filtered
from dualres.learn.trained.augment.standardise import fold_into, standard_of
from dualres.learn.trained.augment.supports import AugmentedSpectra, AugmentedWindows
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import support_order
from dualres.model.network import DualRes
from dualres.model.spectra import aligned_magnitudes, normalise
from tests.learn.trained.test_fit import tones

ROBUST = Recipe(path_sigma=1.0, mixup=True, standardise=True)


def augmented(config, recipe=ROBUST, per_class=4, seed=41):
    windows, labels = tones(config, per_class)
    return AugmentedSpectra(Task(windows, labels, 3, seed), config, recipe)


def whole(support):
    """One update's batches put together: views and targets."""
    batches = [[tensor.clone() for tensor in batch] for batch in support.batches()]
    return [torch.cat(parts) for parts in zip(*batches, strict=True)]


def by_hand(config, recipe, updates, per_class=4, seed=41):
    """The definition, window by window in float64: what the last of so many updates sees."""
    windows, labels = tones(config, per_class)
    order = support_order(seed, len(labels))
    sources = draws(recipe, len(labels), seed)
    drawn = [next(sources) for _ in range(updates)][-1]
    seen = []
    for magnitudes in aligned_magnitudes(torch.from_numpy(windows[order]), config):
        standard = standard_of(magnitudes)
        exact, frequencies = magnitudes.double().numpy(), torch.linspace(0, 1, magnitudes.shape[-1]).double()
        if recipe.path_sigma:
            exact = exact * curves(drawn.paths, frequencies).exp().numpy()[:, None]
        share = drawn.mixture.shares[:, None, None].astype(np.float64)
        view = share * np.log1p(exact) + (1 - share) * np.log1p(exact[drawn.mixture.partners])
        if recipe.standardise:
            view = (view - standard.mean.numpy()) / standard.spread.numpy()
        seen.append(view)
    one_hot, share = np.eye(3)[labels[order]], drawn.mixture.shares[:, None]
    return [*seen, share * one_hot + (1 - share) * one_hot[drawn.mixture.partners]]


@pytest.mark.parametrize(
    "recipe",
    [ROBUST, Recipe(path_sigma=0.5), Recipe(mixup=True), Recipe(standardise=True), replace(ROBUST, path_waves=1)],
    ids=str,
)
@pytest.mark.parametrize("setting", [None, compiled.OFF])
def test_every_update_sees_what_was_drawn_for_it(small, recipe, setting, monkeypatch):
    if setting:
        monkeypatch.setenv(compiled.SETTING, setting)
    support = augmented(small, recipe)
    for update in (1, 2):
        for got, expected in zip(whole(support), by_hand(small, recipe, update), strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-5)


def test_partners_may_be_in_another_batch(small):
    support = augmented(small, per_class=MICROBATCH)
    assert [len(batch[0]) for batch in support.batches()] == [MICROBATCH] * 3
    got, expected = whole(support), by_hand(small, ROBUST, 2, per_class=MICROBATCH)
    assert all(np.allclose(g, e, atol=1e-5) for g, e in zip(got, expected, strict=True))


def test_the_targets_are_shares_of_classes(small):
    *_, targets = whole(augmented(small))
    torch.testing.assert_close(targets.sum(1), torch.ones(12))
    assert (targets > 0).sum(1).max() == 2


def test_pytorch_s_generator_is_left_alone(small):
    before = torch.get_rng_state()
    whole(augmented(small))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("branches", ["both", "short", "long"])
def test_a_folded_network_takes_plain_windows(branches):
    config = ModelConfig(branches=branches)
    windows, labels = tones(config, per_class=2)
    recipe = Recipe(standardise=True)
    support = AugmentedSpectra(Task(windows, labels, 3, seed=41), config, recipe)
    *views, _ = whole(support)
    network = DualRes(3, config, seed=1).eval()
    frozen = {name: p.clone() for name, p in network.named_parameters() if not p.requires_grad}
    with torch.no_grad():
        expected = network.classify(*views)
        unfolded = network(torch.from_numpy(windows[support_order(41, len(labels))]))
        fold_into(network.encoder, support.standards)
        folded = network(torch.from_numpy(windows[support_order(41, len(labels))]))
    torch.testing.assert_close(folded, expected, rtol=0, atol=1e-5)
    assert (unfolded - expected).abs().max() > 1e-2
    assert sum(p.numel() for p in network.parameters()) == 39_528 + 65 * 3
    assert all(torch.equal(p, network.get_parameter(name)) for name, p in frozen.items())


BOTH = Recipe(path_sigma=1.0, mixup=True)


def augmented_windows(config, recipe=BOTH, microbatch=4):
    windows, labels = tones(config, per_class=3)
    return AugmentedWindows(Task(windows, labels, 3, seed=41), lambda x: (x, 2 * x), recipe, microbatch)


@pytest.mark.parametrize("recipe", [BOTH, Recipe(path_sigma=0.5), Recipe(mixup=True)], ids=str)
def test_every_update_hears_what_was_drawn_for_it(small, recipe):
    windows, labels = tones(small, per_class=3)
    order, sources, support = support_order(41, 9), draws(recipe, 9, 41), augmented_windows(small, recipe)
    for _ in range(2):
        drawn = next(sources)
        heard = normalise(torch.from_numpy(windows[order]))
        if recipe.path_sigma:
            heard = filtered(heard, drawn.curve)
        share = torch.from_numpy(drawn.mixture.shares)[:, None]
        one_hot = torch.eye(3)[labels[order]]
        batches = list(support.batches())
        assert [len(batch[0]) for batch in batches] == [4, 4, 1]
        got, views, targets = (torch.cat(parts) for parts in zip(*batches, strict=True))
        torch.testing.assert_close(got, share * heard + (1 - share) * heard[drawn.mixture.partners])
        assert torch.equal(views, 2 * got)
        torch.testing.assert_close(targets, share * one_hot + (1 - share) * one_hot[drawn.mixture.partners])


def test_nothing_is_normalised_again(small):
    ((heard, *_),) = augmented_windows(small, microbatch=9).batches()
    assert np.ptp(heard.square().mean(1).numpy()) > 0.1
