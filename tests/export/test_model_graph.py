"""Graphs of one network and of several, in ONNX Runtime against the model."""

import numpy as np
import pytest
from scipy.special import softmax

from dualres.export.test_vectors import logits_of
from tests.export.conftest import CLASSES, ODD_WINDOWS, made_model, made_views_model
from tests.export.onnx_runtime import run
from tests.model.made_views import machine_windows

model_graph = pytest.importorskip("dualres.export.model_graph").model_graph


@pytest.mark.parametrize(("made", "members"), [(made_model, 2), (made_model, 3), (made_views_model, 2)])
def test_softmax_of_the_logits_is_the_mean_probability(made, members):
    model = made(members=members)
    windows = machine_windows(1, len(CLASSES), seed=3)
    said = run(model_graph(model.networks), windows)
    assert np.abs(softmax(said, axis=1) - model.scores(windows)).max() < 1e-4
    assert np.abs(np.exp(said).sum(1) - 1).max() < 1e-5
    wanted = logits_of(model, windows)
    assert np.abs(said - wanted).max() < 1e-4 * max(1, np.abs(wanted).max())


def test_odd_windows_of_several_networks():
    model, windows = made_model(members=3), np.stack([*ODD_WINDOWS.values()])
    wanted = logits_of(model, windows)
    assert np.abs(run(model_graph(model.networks), windows) - wanted).max() < 1e-5 * np.abs(wanted).max()


@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize(
    ("made", "axes"), [(made_model, "apart"), (made_model, "shared"), (made_views_model, "shared")]
)
def test_several_axes(made, axes, members):
    model = made(members=members, axes=axes, channels=("x", "y"))
    windows = machine_windows(1, len(CLASSES), seed=3)
    pairs = np.stack([windows, windows[::-1]], axis=1)  # (batch, axes, window)
    graph = model_graph(model.networks, 2, model.card.apart > 1)
    said = run(graph, pairs)
    wanted = np.mean([model.scores(pairs[:, axis], axis) for axis in range(2)], axis=0)
    assert np.abs(softmax(said, axis=1) - wanted).max() < 1e-4
    if axes == "apart":
        assert np.abs(run(graph, pairs[:, ::-1].copy()) - said).max() > 1e-3
    assert np.abs(said - logits_of(model, pairs)).max() < 1e-4 * np.abs(said).max()
