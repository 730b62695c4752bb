"""Fits of all networks that the shared recipe trains, side by side: each is what it is alone, to the last bit."""

import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from dualres.config import Recipe, recipe_named
from dualres.errors import ConfigError
from dualres.learn.batches import PlainSupport, views_of
from dualres.learn.history import Task
from dualres.machinery.cuda_graphs import full_precision
from dualres.machinery.seeding import seeded
from dualres.machinery.side_by_side import SideBySide, completed
from dualres.methods import NAMES, method
from dualres.methods.catalogue import entry
from dualres.methods.neural import WINDOW, Learned

NETWORKS = [name for name in NAMES if entry(name).trains and not entry(name).fits_together]
ON_GPU = pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"))
DEVICES = ["cpu", ON_GPU]
FAST = ("itransformer", "tscmamba", "crossformer")
ROBUST = replace(recipe_named("robust"), updates=2)


def task(device, seed=41, windows=5, **more):
    """Windows of noise: with five, a microbatch of four and one of a single window."""
    noise = np.random.default_rng(seed).standard_normal((windows, WINDOW)).astype(np.float32)
    return Task(noise, np.arange(windows) % 2, 2, seed, device, **more)


def cases(device):
    """Every network in its own way of learning, with a stage, and twice, once augmented, what is fast on a CPU."""
    updates = {"cpu": 2, "cuda": 6}[device]
    plain = {name: (method(name, Recipe(updates)), task(device, stages=(1,))) for name in NETWORKS}
    more = {f"{name}, again": (method(name, Recipe(updates)), task(device, 42)) for name in FAST}
    augmented = {f"{name}, augmented": (method(name, ROBUST), task(device, 43)) for name in FAST}
    return plain | more | augmented


def tensors(learned: Learned):
    """All that a fit leaves behind, as bytes."""
    return {
        (updates, name): tensor.detach().cpu().numpy().tobytes()
        for updates, network in learned.networks.items()
        for name, tensor in network.state_dict().items()
    }


def alone(learner, task):
    """The fit by itself, with nothing that takes turns; on a GPU on the default stream."""
    with seeded(task.seed), full_precision():
        return completed(learner.learning(task))


@pytest.mark.parametrize("device", DEVICES)
def test_each_fit_is_what_it_is_alone(device):
    told, fits = {name: [] for name in cases(device)}, SideBySide(device)
    for name, (learner, given) in cases(device).items():
        heard = replace(given, progress=lambda step, updates, own=told[name]: own.append(step))
        fits.begin(name, given.seed, partial(learner.learning, heard))
    random.seed(7)
    found = {ended.name: ended.result for ended in fits.ended()}
    assert found.keys() == cases(device).keys()
    for name, (learner, given) in cases(device).items():
        assert not isinstance(found[name], Exception), (name, found[name])
        expected = alone(learner, given)
        assert found[name].history == expected.history == told[name], name
        assert tensors(found[name]) == tensors(expected), name
        assert set(found[name].networks) == {*given.stages, learner.recipe.updates}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["itransformer", "medformer"])
def test_a_fit_is_the_plain_loop(name, device):
    """By a loop that draws and steps as the recipe says, without graphs and without turns."""
    given, recipe = task(device), Recipe(3)
    with seeded(given.seed), full_precision():
        network = method(name).build(2, given.seed).to(device)
        views, targets = views_of(network.views, given.windows, device), torch.from_numpy(given.labels).to(device)
        support = PlainSupport(views, targets, seed=given.seed, microbatch=network.microbatch)
        optimiser, losses = torch.optim.Adam(network.train().parameters(), fused=device == "cuda"), []
        for update in (1, 2, 3):
            optimiser.param_groups[0]["lr"] = recipe.rate_at(update)
            optimiser.zero_grad()
            loss = 0.0
            for *inputs, labels in support.batches():
                part = cross_entropy(network(*inputs, *network.draws()), labels) * (len(labels) / 5)
                part.backward()
                loss += float(part.detach())
            optimiser.step()
            losses.append(loss)
    fitted = method(name, recipe).learn(given)
    assert [step.loss for step in fitted.history] == pytest.approx(losses, rel=1e-6)
    for key, tensor in network.state_dict().items():
        if device == "cpu":
            assert np.array_equal(fitted.state()[key], tensor.numpy()), key
        else:
            np.testing.assert_allclose(fitted.state()[key], tensor.cpu().numpy(), rtol=1e-4, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("device", DEVICES)
def test_tasks_learned_together_are_what_they_are_alone_and_in_their_order(device):
    learner, tasks = method("itransformer", Recipe(2)), [task(device, seed) for seed in (1, 2, 3)]
    for together, given in zip(learner.learn_together(tasks), tasks, strict=True):
        assert together[-1].seed == given.seed
        assert {k: a.tobytes() for k, a in together[-1].state().items()} == {
            k: a.tobytes() for k, a in learner.learn(given).state().items()
        }
        assert together[-1].cost.fit_s > 0
        assert (together[-1].cost.peak_bytes is None) == (device == "cpu")


@pytest.mark.parametrize("device", DEVICES)
def test_one_that_cannot_learn_leaves_the_others_unharmed(device):
    learner, fits = method("itransformer", Recipe(3)), SideBySide(device)
    silent = replace(task(device, 2), windows=np.full((5, WINDOW), np.nan, np.float32))

    def interrupted(step, updates):
        if step.update == 2:
            raise RuntimeError("odd")

    given = {"sound": task(device, 1), "silent": silent, "late": task(device, 3, progress=interrupted)}
    for name, one in given.items():
        fits.begin(name, one.seed, partial(learner.learning, one))
    ended = {end.name: end for end in fits.ended()}
    assert isinstance(ended["silent"].result, ConfigError)
    assert str(ended["late"].result) == "odd"
    assert tensors(ended["sound"].result) == tensors(alone(learner, given["sound"]))
    with pytest.raises(ConfigError, match="NaN"):
        learner.fitted(silent, ended["silent"])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("name", NETWORKS)
def test_recorded_scoring_is_scoring_to_the_last_bit(name):
    fitted = method(name, Recipe(2)).learn(task("cuda"))
    windows = task("cpu", 7, windows=14).windows
    with torch.inference_mode(), full_precision():
        plain = fitted.network.logits(windows)
        for _ in range(4):  # as it is, then recorded, then replayed
            assert np.array_equal(fitted.network.logits(windows, fitted.forward), plain)
        assert len(fitted.forward._passes._graphs) == 2  # of four windows, and of the last two
        with torch.no_grad():
            next(fitted.network.parameters()).add_(0.01)
        changed = fitted.network.logits(windows)
        assert not np.array_equal(changed, plain)
        assert np.array_equal(fitted.network.logits(windows, fitted.forward), changed)
    assert np.isfinite(fitted.scores(windows)).all()


def test_what_was_not_fitted_on_a_gpu_judges_by_the_network_itself():
    fitted = method("itransformer", Recipe(1)).learn(task("cpu"))
    assert fitted.forward is None
    restored = fitted.method.restore(fitted.state(), fitted.constants, 2, 41, fitted.cost)
    assert restored.forward is None
    windows = task("cpu", 7, windows=6).windows
    assert np.array_equal(restored.scores(windows), fitted.scores(windows))
