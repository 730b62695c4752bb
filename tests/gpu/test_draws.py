"""Each fit's random numbers follow from its own seed, whatever it is drawn beside."""

import numpy as np
import torch

from dualres.config import Recipe, recipe_named
from dualres.gpu.draws import SLAB, Draws
from dualres.learn.augment.draws import draws
from dualres.learn.batches import support_order


def slabs(seeds, count=2):
    own = Draws(seeds, 3, 4, torch.device("cpu"))
    seen = []
    for _ in range(count):
        own.renew()
        seen.append((own.noise.clone(), own.keep.clone()))
    return seen


def test_a_fit_draws_the_same_alone_and_beside_others():
    for (noise, keep), (noise_alone, keep_alone) in zip(slabs([1, 2, 3]), slabs([2]), strict=True):
        assert torch.equal(noise[1], noise_alone[0])
        assert torch.equal(keep[1], keep_alone[0])


def test_seeds_slabs_and_updates_differ():
    (first, _), (second, _) = slabs([1, 2])
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first[0], second[0])
    assert len(first[0].flatten(1).unique(dim=0)) == SLAB


def test_noise_is_normal_and_keep_uniform():
    ((noise, keep),) = slabs(range(50), 1)
    assert abs(noise.mean()) < 0.05
    assert abs(noise.std() - 1) < 0.05
    assert 0 <= keep.min() < 0.01 < 0.99 < keep.max() <= 1


def test_windows_are_shown_as_drawn_for_them_whatever_their_order():
    seeds, windows = [5, 41], 6
    recipe = recipe_named("robust")
    shown = Draws(seeds, windows, 4, torch.device("cpu"), recipe).shown
    sources = [draws(recipe, windows, seed) for seed in seeds]
    for _ in range(2):
        shown.renew()
        for update in range(SLAB):
            for fit, (seed, source) in enumerate(zip(seeds, sources, strict=True)):
                order, drawn = support_order(seed, windows), next(source)
                np.testing.assert_allclose(shown.amplitudes[fit, update][order], drawn.paths.amplitudes, rtol=1e-6)
                np.testing.assert_allclose(shown.phases[fit, update][order], drawn.paths.phases, rtol=1e-6)
                assert (shown.shares[fit, update].numpy()[order] == drawn.shares).all()
                assert (shown.partners[fit, update].numpy()[order] == order[drawn.partners]).all()


def test_a_plain_recipe_shows_windows_as_they_are():
    assert Draws([5], 6, 4, torch.device("cpu"), recipe_named("paper")).shown is None
    shown = Draws([5], 6, 4, torch.device("cpu"), Recipe(standardise=True)).shown
    shown.renew()
    assert shown.amplitudes.numel() == 0
    assert (shown.shares == 1).all()
    assert (shown.partners == torch.arange(6)).all()
