from itertools import islice

import numpy as np

from dualres.config import Recipe
from dualres.learn.trained.augment.draws import draws

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
