"""Fits of all networks that the shared recipe trains, and the scoring of what was fitted on a GPU."""

import random
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from dualres.bench.methods import NAMES, medformer, method
from dualres.bench.methods.catalog import entry
from dualres.bench.methods.neural import WINDOW, WINDOWS_AT_ONCE
from dualres.config import Recipe, recipe_named
from dualres.kernel.gpu.cuda_graphs import full_precision
from dualres.learn.support import views_of
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import PlainSupport, seeded

NETWORKS = [name for name in NAMES if entry(name).trains and not entry(name).fits_together]
ON_GPU = pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"))
DEVICES = ["cpu", ON_GPU]
ROBUST = replace(recipe_named("robust"), updates=2)


def task(device, seed=41, windows=5, **more):
    """Windows of noise: with five, a microbatch of four and one of a single window."""
    noise = np.random.default_rng(seed).standard_normal((windows, WINDOW)).astype(np.float32)
    return Task(noise, np.arange(windows) % 2, 2, seed, device, **more)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["itransformer", "medformer"])
def test_a_fit_is_the_plain_loop(name, device):
    """By a loop that draws and steps as the recipe says, without graphs."""
    given, recipe = task(device), Recipe(3)
    with seeded(given.seed), full_precision():
        network = method(name).build(2, given.seed).to(device)
        views, targets = views_of(network.views, given.windows, device), torch.from_numpy(given.labels).to(device)
        at_once = network.at_once(targets.device)
        support = PlainSupport(views, targets, seed=given.seed, microbatch=at_once)
        optimiser, losses = torch.optim.Adam(network.train().parameters(), fused=device == "cuda"), []
        for update in (1, 2, 3):
            optimiser.param_groups[0]["lr"] = recipe.rate_at(update)
            optimiser.zero_grad()
            loss = 0.0
            for *inputs, labels in support.batches():
                part = cross_entropy(network(*inputs, *network.draws(len(labels))), labels) * (len(labels) / 5)
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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("recipe", [Recipe(6), ROBUST], ids=["paper", "robust"])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_fit_on_a_gpu_is_the_same_again_and_begins_as_a_longer_one(name, recipe):
    given = task("cuda", windows=10, stages=(1,))
    shorter, whole = method(name, recipe).learn_together([given])[0]
    again, short = (
        method(name, recipe).learn(given),
        method(name, replace(recipe, updates=1)).learn(task("cuda", windows=10)),
    )
    for one, other in ((whole, again), (shorter, short)):
        assert one.history == other.history
        assert {k: a.tobytes() for k, a in one.state().items()} == {k: a.tobytes() for k, a in other.state().items()}


def passed(network, views, targets, at_once, monkeypatch):
    """The loss of a training pass that draws nothing but Medformer's lengths, its gradients and running statistics."""
    random.seed(3)
    monkeypatch.setattr(medformer, "dropout", lambda tokens, share: (1 - share) * tokens)
    network.zero_grad()
    total = 0.0
    for *part, labels in zip(*(view.split(at_once) for view in (*views, targets)), strict=True):
        logits = network(*part, *network.draws(len(labels)))
        loss = cross_entropy(logits, labels) * (len(labels) / len(targets))
        loss.backward()
        total += float(loss.detach())
    gradients = {name: p.grad.clone() for name, p in network.named_parameters() if p.grad is not None}
    return total, gradients, {name: buffer.clone() for name, buffer in network.named_buffers()}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NETWORKS)
def test_microbatches_that_pass_at_once_are_what_they_are_one_after_the_other(name, device, monkeypatch):
    """Of ten windows: two microbatches, and one of two windows."""
    given = task(device, windows=10)
    with seeded(given.seed), full_precision():
        network = method(name).build(2, given.seed)
        assert network.joins
        network.learn_constants(torch.from_numpy(given.windows))
        apart = network.to(device).train()
        for part in apart.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0
        joined = deepcopy(apart)
        views, targets = views_of(apart.views, given.windows, device), torch.from_numpy(given.labels).to(device)
        expected = passed(apart, views, targets, apart.microbatch, monkeypatch)
        loss, gradients, buffers = passed(joined, views, targets, 10, monkeypatch)
    assert loss == pytest.approx(expected[0], rel=1e-5)
    largest = max(float(gradient.abs().max()) for gradient in expected[1].values())
    assert gradients.keys() == expected[1].keys()
    for key, gradient in expected[1].items():
        torch.testing.assert_close(gradients[key], gradient, rtol=1e-3, atol=1e-5 * largest, msg=key)
    for key, buffer in expected[2].items():
        torch.testing.assert_close(buffers[key], buffer, rtol=1e-5, atol=1e-6, msg=key)


@pytest.mark.parametrize(("gigabytes", "windows"), [(1, 4), (8, 8), (24, 28), (96, WINDOWS_AT_ONCE)])
def test_as_many_windows_pass_at_once_as_a_gpu_has_memory_for(gigabytes, windows, monkeypatch):
    gpu = SimpleNamespace(total_memory=gigabytes * 10**9)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: gpu)
    network = method("patchtst").build(2, 0)
    assert network.at_once(torch.device("cuda")) == windows
    assert network.at_once(torch.device("cpu")) == 4
    network.joins = False  # as of every network that does not say otherwise
    assert network.at_once(torch.device("cuda")) == 4


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


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("name", NETWORKS)
def test_recorded_scoring_is_scoring_to_the_last_bit(name):
    fitted = method(name, Recipe(2)).learn(task("cuda"))
    windows = task("cpu", 7, windows=14).windows
    with torch.inference_mode(), full_precision():
        plain = fitted.network.logits(windows)
        for _ in range(4):  # as it is, then recorded, then replayed
            assert np.array_equal(fitted.network.logits(windows, fitted.forward), plain)
        assert len(fitted.forward._passes._graphs) == 1  # of all fourteen windows
        with torch.no_grad():
            next(fitted.network.parameters()).add_(0.01)
        changed = fitted.network.logits(windows)
        assert not np.array_equal(changed, plain)
        assert np.array_equal(fitted.network.logits(windows, fitted.forward), changed)
    assert np.isfinite(fitted.scores(windows)).all()


def test_what_was_not_fitted_on_a_gpu_judges_by_the_network_itself():
    fitted = method("itransformer", Recipe(1)).learn(task("cpu"))
    assert fitted.forward is None
    restored = fitted.method.restore(fitted.state(), fitted.constants, 2, seed=41, cost=fitted.cost)
    assert restored.forward is None
    windows = task("cpu", 7, windows=6).windows
    assert np.array_equal(restored.scores(windows), fitted.scores(windows))
