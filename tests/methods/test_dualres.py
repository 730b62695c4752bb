"""DualRes among the methods: on a GPU its fits go together, and each is judged as if it had gone alone."""

import numpy as np
import pytest
import torch

from dualres.config import Recipe
from dualres.methods import method
from dualres.methods.neural import NeuralMethod

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def support(seed):
    return np.random.default_rng(seed).standard_normal((6, 32_768)).astype(np.float32), np.arange(6) % 3


@needs_cuda
@pytest.mark.parametrize("name", ["dualres", "dualres/short", "dualres/no-rotation"])
def test_fits_together_are_the_fits_alone(name):
    ours = method(name, Recipe(4))
    supports, labels = zip(support(0), support(1), strict=True)
    together = ours.fit_together(supports, labels, 3, seeds=[41, 42], device="cuda")
    for fitted, windows, targets, seed in zip(together, supports, labels, [41, 42], strict=True):
        alone = ours.fit(windows, targets, 3, seed=seed, device="cuda")
        for (part, got), expected in zip(fitted.state().items(), alone.state().values(), strict=True):
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5, err_msg=part)
        assert (fitted.cost.registered, fitted.cost.active) == (alone.cost.registered, alone.cost.active)
        assert [s.loss for s in fitted.history] == pytest.approx([s.loss for s in alone.history], rel=1e-5)


@needs_cuda
def test_parameters_are_counted_as_by_the_shared_recipe():
    ours = method("dualres/short", Recipe(1))
    plain = NeuralMethod(ours.name, ours.family, ours.build, ours.recipe)
    costs = [m.fit(*support(0), 3, device="cuda").cost for m in (ours, plain)]
    assert costs[0].registered == costs[1].registered
    assert costs[0].active == costs[1].active < costs[0].registered


@needs_cuda
def test_scores_on_the_gpu_are_those_on_the_cpu():
    windows, labels = support(0)
    fitted = method("dualres", Recipe(2)).fit(windows, labels, 3, device="cuda")
    unseen = support(5)[0]
    on_gpu = fitted.scores(unseen)
    fitted.network.cpu()
    np.testing.assert_allclose(on_gpu, fitted.scores(unseen), atol=1e-5)
