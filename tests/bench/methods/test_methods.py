"""The registry, and what holds for every method alike."""

import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from dualres.bench.campaign.rigs import PICKED, PICKED_TRAINED
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import CONTROL_NAMES, NAMES, method, names
from dualres.bench.methods.catalog import entry
from dualres.bench.methods.neural import NeuralMethod
from dualres.config import ModelConfig, Recipe, recipe_named
from dualres.errors import ConfigError
from dualres.learn.fit import fit_network
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support
from dualres.simulated import rig as simulated

FAST_ONES = ("dualres", "itransformer", "patchtst", "minirocket")
SLOW_ONES = {"mambasl": 6, "medformer": 4}  # updates that fit into the default run


@pytest.fixture(scope="module")
def support():
    """Eight windows of the rig, one per class."""
    return gather_support(load_fold("S1"), simulated.recordings(), Budget(1, 1), ModelConfig())


def sparing(every):
    """Parameters: each method has its own tests, so that a few will do for what holds for all."""
    return [name if name in FAST_ONES else pytest.param(name, marks=pytest.mark.exhaustive) for name in every]


IN_CLOSED_FORM = ("dualres/views", "dualres/orders", "dualres/orders-no-speed")


def bytes_of(fitted):
    return {name: array.tobytes() for name, array in fitted.state().items()}


def test_there_are_nine_the_paper_s_four_controls_and_two_more():
    assert (len(NAMES), len(CONTROL_NAMES)) == (9, 4)
    ours = (*NAMES, *CONTROL_NAMES, "dualres/no-memory", *IN_CLOSED_FORM)
    assert (*ours, *PICKED[:-1], *PICKED_TRAINED, PICKED[-1]) == names()
    for name in names():
        assert method(name).name == name


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"'mamba' is not known; there are dualres, mambasl, .*dualres/no-jitter"):
        method("mamba")


@pytest.mark.subprocess
def test_asking_for_a_method_loads_no_library_of_another():
    code = (
        "import sys; from dualres.bench.methods import method; method('patchtst'); "
        "print([m for m in ('aeon', 'numba', 'triton', 'dualres.recordings.readers') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def lowers_its_loss(name, support, updates):
    fitted = method(name, Recipe(updates)).fit(support.windows, support.labels, 8)
    losses = [step.loss for step in fitted.history]
    assert len(losses) == updates
    # Dropout makes single values jump; ModernTCN drops every second one.
    few = min(3, updates // 2)
    assert np.mean(losses[-few:]) < np.mean(losses[:few])
    assert fitted.cost.fit_s > 0


@pytest.mark.parametrize("name", sparing(name for name in names() if entry(name).trains))
def test_training_lowers_the_loss(name, support):
    lowers_its_loss(name, support, SLOW_ONES.get(name, 30))


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW_ONES)
def test_training_lowers_the_loss_of_the_slow_ones_too(name, support):
    lowers_its_loss(name, support, 30)


def test_dualres_among_the_methods_is_dualres(support):
    fitted = method("dualres", Recipe(2)).fit(support.windows, support.labels, 8, seed=42)
    plain = fit_network(support.windows, support.labels, 8, recipe=Recipe(2), seed=42)
    assert fitted.history == plain.history
    for ours, theirs in zip(fitted.network.parameters(), plain.network.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("name", sparing(NAMES))
def test_a_fit_is_a_function_of_its_support_and_seed(name, support):
    """Whatever else happened in the process, be it scoring other data or drawing numbers, the result is the same."""
    recipe = None if name == "minirocket" else Recipe(1)
    windows, labels = support.windows[[0, 4, 1, 5, 2]], np.array([0, 1, 0, 1, 2])  # two microbatches, three classes
    first = method(name, recipe).fit(windows, labels, 3)
    before = bytes_of(first), dict(first.constants)
    first.scores(np.concatenate([support.windows[3:] * 100, support.windows[:1]]))
    assert (bytes_of(first), dict(first.constants)) == before  # scoring teaches it nothing
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002 - the global generator is meant
    random.seed(5)
    again = method(name, recipe).fit(windows.copy(), labels.copy(), 3)
    assert (bytes_of(again), dict(again.constants)) == before
    other = method(name, recipe).fit(windows, labels, 3, seed=42)
    assert bytes_of(other) != before[0]


@pytest.mark.parametrize("name", sparing(NAMES))
def test_the_caller_s_generators_are_left_alone(name, support):
    recipe = None if name == "minirocket" else Recipe(1)
    states = []
    for fits in (False, True):
        torch.manual_seed(9)
        np.random.seed(9)  # noqa: NPY002
        random.seed(9)
        if fits:
            method(name, recipe).fit(support.windows[:2], np.array([0, 1]), 2)
        states.append((torch.rand(1).item(), np.random.rand(), random.random()))  # noqa: NPY002
    assert states[0] == states[1]


@pytest.mark.parametrize("name", NAMES)
def test_scores_of_a_window_do_not_depend_on_its_neighbours(name, support):
    recipe = None if name == "minirocket" else Recipe(1)
    fitted = method(name, recipe).fit(support.windows[:4], np.array([0, 1, 2, 0]), 3)
    together = fitted.scores(support.windows)
    assert (together.shape, together.dtype) == ((8, 3), np.float64)
    alone = np.concatenate([fitted.scores(window[None]) for window in support.windows])
    np.testing.assert_allclose(alone, together, atol=1e-5)
    assert fitted.scores(support.windows[:0]).shape == (0, 3)
    if isinstance(method(name), NeuralMethod):
        np.testing.assert_allclose(together.sum(1), 1)


@pytest.mark.parametrize("name", ["dualres", "patchtst", "minirocket"])
def test_a_support_that_cannot_be_used_is_refused(name, support):
    with pytest.raises(ConfigError, match="no support window carries class 1"):
        method(name).fit(support.windows, support.labels * 0, 2)
    with pytest.raises(ConfigError, match="32768"):
        method(name).fit(support.windows[:, :1000], support.labels, 8)


@pytest.mark.parametrize("name", ["itransformer", "tscmamba", "dualres/short"])
def test_every_neural_method_takes_the_robust_recipe(support, name):
    robust = recipe_named("robust", updates=3)
    fitted, again = (method(name, robust).fit(support.windows, support.labels, 8) for _ in range(2))
    plain = method(name, Recipe(3, 1e-3, 0.996)).fit(support.windows, support.labels, 8)
    assert bytes_of(fitted) == bytes_of(again)
    assert bytes_of(fitted) != bytes_of(plain)
    assert replace(fitted.cost, fit_s=0.0) == replace(plain.cost, fit_s=0.0)
    assert np.isfinite(fitted.scores(support.windows)).all()
