"""The graph in ONNX Runtime against PyTorch, at sizes and dampings of all kinds."""

import copy

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.export.test_vectors import logits_of
from dualres.model.network import DualRes
from dualres.model.scan import scan_ref
from tests.export.conftest import made_model
from tests.export.onnx_runtime import run

model_graph = pytest.importorskip("dualres.export.model_graph").model_graph


@pytest.mark.parametrize(
    "settings",
    [{}, {"branches": "short", "rotation": False}, {"branches": "long", "rotation": False}, {"memory": False}],
    ids=str,
)
def test_other_sizes_and_controls(small, settings):
    config = ModelConfig(**{**vars(small), "window": 264, **settings})
    model = made_model(config)
    windows = np.random.default_rng(0).standard_normal((5, 264)).astype(np.float32)
    assert np.abs(run(model_graph([model.network]), windows) - logits_of(model, windows)).max() < 1e-5


@pytest.mark.parametrize("log_rate", [-9.0, 3.0, 15.0, 60.0])
def test_any_damping(small, log_rate):
    network = made_model(small).network
    with torch.no_grad():
        network.encoder.memory.log_rate.copy_(torch.linspace(log_rate - 2, log_rate + 2, small.width))
    exact = copy.deepcopy(network).double()
    exact.encoder.memory.scan = scan_ref
    windows = torch.randn(3, small.window)
    with torch.inference_mode():
        wanted = exact(windows.double()).numpy()
    got = run(model_graph([network]), windows.numpy())
    assert np.abs(got - wanted).max() < 1e-5 * max(1, np.abs(wanted).max())


def test_frames_that_do_not_fit_the_hop_are_refused():
    config = ModelConfig(rate=2000, window=256, hop=10, short=16, long=56, width=8, states=2, frequency_hz=(5.0, 90.0))
    with pytest.raises(ConfigError, match="no multiple of hop"):
        model_graph([DualRes(2, config)])
