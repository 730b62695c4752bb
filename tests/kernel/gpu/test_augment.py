"""What an augmented fit sees on a GPU is what it sees elsewhere, update by update, and for every fit of a bundle."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig, Recipe
from dualres.kernel.gpu.draws import SLAB
from dualres.kernel.gpu.layout import ParameterLayout
from dualres.learn.trained.augment.supports import AugmentedSpectra
from dualres.learn.trained.fit import augmentation_of
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import support_order
from tests.learn.trained.augment.test_supports import ROBUST, whole
from tests.learn.trained.test_fit import tones

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

RECIPES = [ROBUST, Recipe(path_sigma=0.5), Recipe(mixup=True), Recipe(standardise=True), replace(ROBUST, path_waves=1)]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("size", ["paper", "small"])
@torch.no_grad()
def test_every_update_sees_what_was_drawn_for_it(size, recipe, small):
    from dualres.learn.trained.gpu.fit import Bundle

    config = ModelConfig() if size == "paper" else replace(small, width=32, states=4)
    seeds, device = [41, 7], torch.device("cuda")
    supports, labels = zip(*(tones(config, per_class=3, seed=s) for s in seeds), strict=True)
    windows = len(labels[0])
    augmentation = augmentation_of(recipe, windows, seeds)
    bundle = Bundle(ParameterLayout(config, 3), seeds, windows, recipe=recipe, device=device, augmentation=augmentation)
    with torch.cuda.stream(torch.cuda.Stream()):
        bundle.load(supports, labels)
    torch.cuda.synchronize()
    expected = [
        AugmentedSpectra(Task(windows, its, 3, seed), config, recipe)
        for windows, its, seed in zip(supports, labels, seeds, strict=True)
    ]
    for update in range(SLAB + 1):
        if update % SLAB == 0:
            bundle.draws.renew()
        bundle.draws.count.fill_(update)
        bundle._show()
        for fit, (seed, support) in enumerate(zip(seeds, expected, strict=True)):
            order = support_order(seed, support.windows)
            for view, seen in zip((bundle.passes.short, bundle.passes.long), whole(support), strict=False):
                got, bins = view.unflatten(0, (len(seeds), -1))[fit][order].cpu(), seen.shape[-1]
                # Logarithms of up to 7 nats, divided by spreads down to 0.1.
                np.testing.assert_allclose(got[..., :bins], seen, rtol=1e-4, atol=2e-4)
                assert (got[..., bins] == 1).all()
                assert not got[..., bins + 1 :].any()
