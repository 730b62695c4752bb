import numpy as np
import pytest
import torch

from dualres.config import Recipe
from dualres.learn.augment.draws import draws
from dualres.learn.augment.gains import filtered
from dualres.learn.augment.windows import AugmentedWindows
from dualres.learn.batches import support_order
from dualres.model.spectra import normalise
from tests.learn.test_fit import tones

BOTH = Recipe(path_sigma=1.0, mixup=True)


def augmented(config, recipe=BOTH, microbatch=4):
    windows, labels = tones(config, per_class=3)
    return AugmentedWindows(
        windows, labels, 3, lambda x: (x, 2 * x), recipe, seed=41, microbatch=microbatch, device="cpu"
    )


@pytest.mark.parametrize("recipe", [BOTH, Recipe(path_sigma=0.5), Recipe(mixup=True)], ids=str)
def test_every_update_hears_what_was_drawn_for_it(small, recipe):
    windows, labels = tones(small, per_class=3)
    order, sources, support = support_order(41, 9), draws(recipe, 9, 41), augmented(small, recipe)
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
    ((heard, *_),) = augmented(small, microbatch=9).batches()
    assert np.ptp(heard.square().mean(1).numpy()) > 0.1
