"""Fits on a GPU, one and many at once: the same as by the readable path, the same every time."""

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from dualres.config import RECIPES, ModelConfig, Recipe, recipe_named
from dualres.kernel.gpu.draws import SLAB, NoiseSource
from dualres.learn.fit import expected_s
from dualres.learn.trained.augment.paths import curves, draw_paths, filtered
from dualres.learn.trained.augment.standardise import fold_into
from dualres.learn.trained.augment.supports import AugmentedSpectra
from dualres.learn.trained.fit import fit_network, fit_networks
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import support_order
from dualres.model.kinds import network_recipe
from dualres.model.network import DualRes
from tests.kernel.gpu.test_passes import by_autograd
from tests.learn.trained.augment.test_supports import whole
from tests.learn.trained.test_fit import tones

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.fixture(scope="module")
def small(small):
    """As small as the kernels allow."""
    return replace(small, width=32, states=4)


def tasks_of(supports, labels, seeds):
    return [Task(*its, 3, seed, "cuda") for *its, seed in zip(supports, labels, seeds, strict=True)]


def row(network):
    return torch.cat([p.detach().flatten() for p in network.parameters()]).cpu()


def trained_by_autograd(network, recipe, windows, shown):
    """Losses of `network` by the readable path in float64, with the draws of seed 5; `shown()` are the views of the
    next update, of so many windows, and their targets.
    """
    network.double().cuda()
    draws = NoiseSource([5], windows, network.config.width, torch.device("cuda"))
    optimiser = torch.optim.Adam(p for p in network.parameters() if p.requires_grad)
    losses = []
    for update in range(1, recipe.updates + 1):
        if (update - 1) % SLAB == 0:
            draws.renew()
        draws.count.fill_(update - 1)
        optimiser.param_groups[0]["lr"] = recipe.rate_at(update)
        optimiser.zero_grad()
        losses.append(by_autograd(network, draws, 0, *shown())[0].item())
        optimiser.step()
    return losses


def test_it_learns_what_can_be_learned(small):
    fitted = fit_network(*tones(small), 3, config=small, recipe=Recipe(200, 1e-2), device="cuda")
    losses = [s.loss for s in fitted.history]
    assert losses[-1] < 0.2 < 0.9 < losses[0]
    unseen, truth = tones(small, seed=1)
    with torch.no_grad():
        assert (fitted.network(torch.from_numpy(unseen).cuda()).argmax(1).cpu().numpy() == truth).mean() > 0.9
    assert not fitted.network.training


@pytest.mark.parametrize("size", ["paper", "small"])
def test_losses_and_weights_are_those_of_the_readable_path_with_the_same_draws(size, small):
    config = ModelConfig() if size == "paper" else small
    windows, labels = tones(config, per_class=2)
    recipe = Recipe(SLAB + 5, 1e-3)
    fitted = fit_network(windows, labels, 3, config=config, recipe=recipe, seed=5, device="cuda")
    network = DualRes(3, config, seed=5)
    short, long = (view.cuda() for view in network.spectra(torch.from_numpy(windows).double()))
    targets = torch.from_numpy(labels).cuda()
    losses = trained_by_autograd(network, recipe, len(windows), lambda: (short, long, targets))
    assert [s.loss for s in fitted.history] == pytest.approx(losses, rel=2e-3)
    off = (row(fitted.network) - row(network)).abs().max()
    assert off < 2e-3, f"weights differ by up to {off:.2g} after {recipe.updates} updates of 1e-3"


@pytest.mark.parametrize("size", ["paper", "small"])
@pytest.mark.parametrize("branches", ["both", "short", "long"])
def test_augmented_it_learns_as_by_the_readable_path_with_the_same_draws(branches, size, small):
    config = replace(ModelConfig() if size == "paper" else small, branches=branches)
    windows, labels = tones(config, per_class=2)
    recipe = recipe_named("robust", updates=SLAB + 5)
    fitted = fit_network(windows, labels, 3, config=config, recipe=recipe, seed=5, device="cuda")
    support = AugmentedSpectra(Task(windows, labels, 3, seed=5), config, recipe)
    back = np.argsort(support_order(5, len(windows)))  # the kernels take windows as they come
    network = DualRes(3, config, seed=5)
    losses = trained_by_autograd(
        network, recipe, len(windows), lambda: tuple(tensor[back].double().cuda() for tensor in whole(support))
    )
    fold_into(network.encoder, support.standards)
    assert [s.loss for s in fitted.history] == pytest.approx(losses, rel=2e-3)
    with torch.no_grad():
        got, expected = (
            fitted.network(torch.from_numpy(windows).cuda()),
            network.eval()(torch.from_numpy(windows).double().cuda()),
        )
    torch.testing.assert_close(got.double(), expected.double(), rtol=0, atol=1e-2)


def test_augmented_it_outlives_a_path_that_was_not_in_the_support(small):
    unseen, truth = tones(small, per_class=30, seed=1)
    paths = draw_paths(np.random.default_rng(5), len(unseen), 1.5, 4)
    through = filtered(torch.from_numpy(unseen), partial(curves, paths))
    recipe = recipe_named("robust", updates=120, learning_rate=1e-2, decay=0.99)
    network = fit_network(*tones(small), 3, config=small, recipe=recipe, device="cuda").network
    with torch.no_grad():
        assert (network(through.cuda()).argmax(1).cpu().numpy() == truth).mean() > 0.95


@pytest.mark.parametrize("name", RECIPES)
def test_the_same_seed_gives_the_same_weights_to_the_last_bit(name, small):
    recipe = recipe_named(name, updates=5)
    fits = [fit_network(*tones(small), 3, config=small, recipe=recipe, seed=s, device="cuda") for s in (41, 41, 42)]
    first, again, other = (row(f.network) for f in fits)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("name", RECIPES)
def test_a_fit_in_a_bundle_is_the_fit_alone(name, small):
    supports, labels = zip(*(tones(small, seed=s) for s in range(3)), strict=True)
    seeds, recipe = [41, 42, 43], recipe_named(name, updates=SLAB + 3)
    bundle = fit_networks(tasks_of(supports, labels, seeds), small, recipe)
    for fitted, windows, targets, seed in zip(bundle, supports, labels, seeds, strict=True):
        alone = fit_network(windows, targets, 3, config=small, recipe=recipe, seed=seed, device="cuda")
        torch.testing.assert_close(row(fitted.network), row(alone.network), rtol=0, atol=2e-5)
        assert [s.loss for s in fitted.history] == pytest.approx([s.loss for s in alone.history], rel=1e-4)


def test_fits_that_learn_from_the_same_windows_are_shown_the_same(small):
    from dualres.learn.trained.gpu.fit import sources_of

    windows, labels = tones(small)
    other, _ = tones(small, seed=1)
    supports, seeds, recipe = [windows, other, windows.copy()], [41, 42, 43], Recipe(SLAB + 3)
    assert sources_of(supports) == [0, 1, 0]
    bundle = fit_networks(tasks_of(supports, [labels] * 3, seeds), small, recipe)
    for fitted, support, seed in zip(bundle, supports, seeds, strict=True):
        alone = fit_network(support, labels, 3, config=small, recipe=recipe, seed=seed, device="cuda")
        torch.testing.assert_close(row(fitted.network), row(alone.network), rtol=0, atol=2e-5)


def test_progress_hears_of_every_update_in_order(small):
    seen = []
    fitted = fit_network(
        *tones(small), 3, config=small, recipe=Recipe(SLAB + 2), device="cuda", progress=lambda *s: seen.append(s)
    )
    assert [s for s, _ in seen] == fitted.history
    assert {total for _, total in seen} == {SLAB + 2}


def test_frozen_parameters_do_not_move_and_have_no_gradient(small):
    config = replace(small, branches="long", rotation=False)
    start = DualRes(3, config, seed=41)
    end = fit_network(*tones(small), 3, config=config, recipe=Recipe(3), device="cuda").network
    assert torch.equal(start.encoder.short.weight, end.encoder.short.weight.cpu())
    assert torch.equal(start.encoder.memory.pitch, end.encoder.memory.pitch.cpu())
    assert not torch.equal(start.encoder.long.weight, end.encoder.long.weight.cpu())
    for parameter in end.parameters():
        assert (parameter.grad is not None) == parameter.requires_grad


def test_the_caller_s_generators_are_left_alone(small):
    torch.manual_seed(9)
    expected = torch.rand(1), torch.rand(1, device="cuda")
    torch.manual_seed(9)
    fit_network(*tones(small), 3, config=small, recipe=Recipe(2), device="cuda")
    assert (torch.rand(1), torch.rand(1, device="cuda")) == expected


def test_a_bundle_too_large_for_the_memory_is_fitted_in_parts(small, monkeypatch):
    from dualres.learn.trained.gpu import fit as gpu_fit

    sizes, whole = [], gpu_fit.fit_together

    def crammed(networks, *arguments, **settings):
        sizes.append(len(networks))
        if len(networks) > 1:
            raise torch.cuda.OutOfMemoryError
        return whole(networks, *arguments, **settings)

    monkeypatch.setattr(gpu_fit, "fit_together", crammed)
    supports, labels = zip(*(tones(small, seed=s) for s in range(3)), strict=True)
    fits = fit_networks(tasks_of(supports, labels, [1, 2, 3]), small, Recipe(2))
    assert sizes == [3, 1, 2, 1, 1]
    assert len(fits) == 3


def test_a_network_of_other_sizes_takes_the_other_path(small):
    odd = replace(small, width=6)
    fitted = fit_network(*tones(odd), 3, config=odd, recipe=Recipe(3), device="cuda")
    assert np.isfinite([s.loss for s in fitted.history]).all()


def test_how_long_a_fit_takes_is_known_before():
    support, recipe = tones(ModelConfig(), per_class=32), Recipe(400)
    expected = expected_s(96, network_recipe(recipe), device="cuda")
    begin = time.perf_counter()
    fit_network(*support, 3, recipe=recipe, device="cuda")
    assert 0.2 < expected / (time.perf_counter() - begin) < 2
