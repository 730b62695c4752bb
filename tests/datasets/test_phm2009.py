"""Real gearbox recordings, where they are at hand."""

import numpy as np
import pytest

from dualres.benchmark.protocol import Budget, evaluate, gather_support
from dualres.benchmark.score import macro_f1
from dualres.config import ModelConfig, Recipe
from dualres.datasets.folds import load_fold
from dualres.diagnose import diagnose_recording
from dualres.fit import fit_network
from dualres.model.artifact import Card, Model
from dualres.recordings.store import open_store

PAPER = ModelConfig()


def test_a_few_recordings_go_all_the_way(phm2009):
    recordings = open_store(phm2009)
    fold = load_fold("P1")
    support = gather_support(fold, recordings, Budget(recordings=1, windows=1), PAPER)
    assert support.windows.shape == (14, PAPER.window)
    assert np.unique([round(s, 3) for s in support.seconds.values()]).tolist() == [0.512]
    fitted = fit_network(support.windows, support.labels, 14, recipe=Recipe(updates=25))
    losses = [s.loss for s in fitted.history]
    assert losses[-1] < 0.9 * losses[0]
    model = Model(fitted.network, Card(fold.classes, PAPER, Recipe(25), 41, "-", support.seconds))
    for recording in recordings[:3]:
        verdict = diagnose_recording(model, recording)
        assert verdict.windows == 14
        assert np.isfinite(list(verdict.probabilities.values())).all()


def test_the_short_recording_is_judged_by_the_windows_it_has(phm2009):
    (short,) = (r for r in open_store(phm2009) if r.id == "helical5_50hz_high_2")
    assert len(short.signal) == 245_648


@pytest.mark.slow
@pytest.mark.parametrize(("name", "low", "high"), [("P1", 0.54, 0.70), ("P2", 0.48, 0.60)])
def test_the_paper_s_pilot_lands_within_the_spread_over_seeds(phm2009, name, low, high):
    recordings, fold = open_store(phm2009), load_fold(name)
    support = gather_support(fold, recordings, Budget(3, 4), PAPER)
    fitted = fit_network(support.windows, support.labels, 14, recipe=Recipe(300), seed=41)
    model = Model(fitted.network, Card(fold.classes, PAPER, Recipe(300), 41, "-", support.seconds))
    score = macro_f1(evaluate(model, fold, recordings).confusion)
    print(f"{name}: macro-F1 {100 * score:.2f}")
    assert low < score < high
