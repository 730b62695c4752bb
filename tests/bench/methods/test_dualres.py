"""DualRes among the methods: on a GPU its fits go together, and each is judged as if it had gone alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dualres.bench.methods import method
from dualres.bench.methods.neural import NeuralMethod
from dualres.config import Recipe
from dualres.learn.trained.task import Task

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def support(seed):
    return np.random.default_rng(seed).standard_normal((6, 32_768)).astype(np.float32), np.arange(6) % 3


@needs_cuda
@pytest.mark.parametrize("name", ["dualres", "dualres/short", "dualres/no-rotation"])
def test_fits_together_are_the_fits_alone(name):
    ours = method(name, Recipe(4))
    supports, labels = zip(support(0), support(1), strict=True)
    every = zip(supports, labels, [41, 42], strict=True)
    together = ours.learn_together([Task(*its, 3, seed, "cuda") for *its, seed in every])
    for (fitted,), windows, targets, seed in zip(together, supports, labels, [41, 42], strict=True):
        alone = ours.fit(windows, targets, 3, seed=seed, device="cuda")
        for (part, got), expected in zip(fitted.state().items(), alone.state().values(), strict=True):
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5, err_msg=part)
        assert (fitted.cost.registered, fitted.cost.active) == (alone.cost.registered, alone.cost.active)
        assert [s.loss for s in fitted.history] == pytest.approx([s.loss for s in alone.history], rel=1e-5)


@needs_cuda
def test_a_short_fit_is_the_beginning_of_a_long_one_on_a_gpu():
    # 70: more than a burst of updates.
    tasks = [Task(*support(number), 3, 41 + number, "cuda", stages=(3, 70)) for number in (0, 1)]
    long = method("dualres", Recipe(80)).learn_together(tasks)
    for stage, updates in enumerate((3, 70, 80)):
        short = method("dualres", Recipe(updates)).learn_together([replace(task, stages=()) for task in tasks])
        for stages, (alone,) in zip(long, short, strict=True):
            fitted = stages[stage]
            assert fitted.history == alone.history
            for (part, got), expected in zip(fitted.state().items(), alone.state().values(), strict=True):
                np.testing.assert_array_equal(got, expected, err_msg=part)


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
