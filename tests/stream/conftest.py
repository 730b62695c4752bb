import numpy as np
import pytest

from dualres.bench.datasets.catalog import names, release
from dualres.config import HELD, ModelConfig, Recipe
from dualres.judge.backends import weights_of
from dualres.judge.model import Model
from dualres.learn.closed_form import fit_views
from dualres.learn.workflow import fit_model
from dualres.model.kinds import PAPER, VIEWS
from dualres.model.network import DualRes
from dualres.model_file.card import APART, Card
from tests.judge.test_turning import FAULTS, machine

CLASSES = ("good", "inner", "outer")
RATES = sorted({release(name).rate for name in names()})  # of every dataset


def noise(samples, seed=0):
    """Coloured, with an offset and a step in the middle."""
    white = np.random.default_rng(seed).standard_normal(samples)
    white[1:] += 0.8 * white[:-1]
    white[samples // 2 :] += 2.0
    return (white + 5.0).astype(np.float32)


@pytest.fixture(scope="session")
def views_weights():
    some = np.stack([noise(32_768, seed)[::-1] ** (1 + seed % 3) for seed in range(6)])
    return weights_of(fit_views(some, np.arange(6) % 3, 3))


@pytest.fixture(scope="session")
def views(views_weights):
    return Model((views_weights,), Card(CLASSES, ModelConfig(), None, 0, HELD, {}, method=VIEWS.method))


@pytest.fixture(scope="session")
def papers():
    """Two members, whose windows share work where a recording is scored."""
    members = tuple(weights_of(DualRes(3, seed=seed).eval()) for seed in (0, 1))
    return Model(members, Card(CLASSES, ModelConfig(), Recipe(), 0, HELD, {}, method=PAPER.method, members=2))


@pytest.fixture(scope="session")
def two_axes(views_weights):
    second = weights_of(fit_views(np.stack([noise(32_768, seed) for seed in range(6)]), np.arange(6) % 3, 3))
    card = Card(CLASSES, ModelConfig(), None, 0, HELD, {}, method=VIEWS.method, channels=("x", "y"), axes=APART)
    return Model((views_weights, second), card)


@pytest.fixture(scope="session")
def orders():
    """A network of orders that learned at speeds from 22 to 27 Hz."""
    labelled = [
        machine(label, hz, 10 * i + j, stated=hz)
        for i, label in enumerate(FAULTS)
        for j, hz in enumerate((22.0, 24.5, 27.0))
    ]
    return fit_model(labelled, estimate=False).model.without_torch()
