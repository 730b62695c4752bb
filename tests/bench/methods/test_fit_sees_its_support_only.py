"""From a fold to a fitted method: what is held out cannot reach it."""

import dataclasses

import numpy as np
import pytest

from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import method
from dualres.config import ModelConfig, Recipe
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support
from dualres.simulated import rig as simulated
from tests.variants import also

BUDGET = Budget(recordings=1, windows=1)


class OpenedError(Exception):
    """A recording that must stay closed was opened."""


def sealed(recording):
    def load():
        raise OpenedError(recording.id)

    return dataclasses.replace(recording, load=load)


@pytest.fixture(scope="module")
def fold():
    return load_fold("S1")


@pytest.fixture(scope="module")
def rig(fold):
    """The rig's recordings, each simulated at most once."""
    held = {}

    def kept(recording):
        return dataclasses.replace(recording, load=lambda: held.setdefault(recording.id, recording.load()).copy())

    return [kept(r) for r in simulated.recordings()]


def fitted_bytes(name, fold, recordings):
    support = gather_support(fold, recordings, BUDGET, ModelConfig())
    few = support.labels < 2
    recipe = None if name == "minirocket" else Recipe(1)
    fitted = method(name, recipe).fit(support.windows[few], support.labels[few], 2)
    return {key: array.tobytes() for key, array in fitted.state().items()}


@pytest.mark.parametrize("name", ["dualres", "minirocket", *also(("tscmamba",))])
def test_evaluation_recordings_can_be_shuffled_changed_added_removed_or_closed(name, fold, rig):
    judged = set(fold.evaluation)
    inner = [r for r in rig if r.id not in judged]
    outer = [r for r in rig if r.id in judged]
    assert outer
    noise = np.random.default_rng(0).standard_normal(400_000).astype(np.float32)
    expected = fitted_bytes(name, fold, rig)
    for variant in (
        [*reversed(outer), *inner],
        [*inner, *(dataclasses.replace(r, load=lambda: noise) for r in outer)],
        [*inner, *outer, *(dataclasses.replace(r, id=f"another {r.id}") for r in outer)],
        inner,
        [*(sealed(r) for r in outer), *inner],
    ):
        assert fitted_bytes(name, fold, variant) == expected


def test_the_closed_recordings_do_notice_being_opened(fold, rig):
    with pytest.raises(OpenedError):
        gather_support(fold, [sealed(r) for r in rig], BUDGET, ModelConfig())
