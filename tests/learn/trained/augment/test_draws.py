from itertools import islice

import numpy as np
import torch

from dualres.config import Recipe
from dualres.learn.trained.augment.draws import Mixture, draw_mixture, draws, no_mixture

BOTH = Recipe(path_sigma=0.7, path_waves=3, mixup=True)


def first(count, recipe=BOTH, windows=5, seed=41):
    return list(islice(draws(recipe, windows, seed), count))


def test_the_order_of_the_draws():
    """Part of what a seed means: a change here changes every augmented fit."""
    chance = np.random.default_rng(2041)
    for drawn in first(2):
        assert np.array_equal(drawn.paths.amplitudes, chance.normal(0, 0.7 / np.sqrt(3), (5, 3)))
        assert np.array_equal(drawn.paths.phases, chance.uniform(0, 2 * np.pi, (5, 3)))
        share = chance.uniform(size=5)
        assert np.array_equal(drawn.mixture.shares, np.maximum(share, 1 - share).astype(np.float32))
        assert np.array_equal(drawn.mixture.partners, chance.permutation(5))


def test_every_update_and_every_seed_draws_anew():
    (one, two), (other,) = first(2), first(1, seed=42)
    for a, b in ((one, two), (one, other)):
        assert not np.array_equal(a.paths.phases, b.paths.phases)
        assert not np.array_equal(a.mixture.shares, b.mixture.shares)


def test_what_a_recipe_does_without_is_not_drawn():
    (paths_only,), (mixup_only,) = first(1, Recipe(path_sigma=0.7, path_waves=3)), first(1, Recipe(mixup=True))
    assert np.array_equal(paths_only.paths.phases, first(1)[0].paths.phases)
    assert (paths_only.mixture.shares == 1).all()
    assert paths_only.mixture.partners.tolist() == [0, 1, 2, 3, 4]
    assert mixup_only.paths is None
    share = np.random.default_rng(2041).uniform(size=5)
    assert np.array_equal(mixup_only.mixture.shares, np.maximum(share, 1 - share).astype(np.float32))


def test_a_window_has_the_larger_share_of_its_mixture():
    drawn = draw_mixture(np.random.default_rng(0), 1000)
    assert drawn.shares.min() >= 0.5
    assert drawn.shares.max() <= 1
    assert abs(drawn.shares.mean() - 0.75) < 0.02
    assert sorted(drawn.partners) == list(range(1000))


def test_a_blend_has_its_share_of_both_and_without_a_mixture_nothing_changes():
    mixture = Mixture(np.array([1, 0]), np.array([0.75, 1.0], np.float32))
    blended = mixture.blended(torch.tensor([[0.0, 4.0], [8.0, 0.0]]))
    assert blended.tolist() == [[2.0, 3.0], [8.0, 0.0]]
    x = torch.randn(3, 5)
    assert torch.equal(no_mixture(3).blended(x), x)
