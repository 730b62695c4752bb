"""The graph of a network of views in ONNX Runtime against PyTorch."""

import numpy as np
import pytest

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.export.onnx import write_onnx
from dualres.export.test_vectors import logits_of
from dualres.model.views.network import ViewsNetwork
from tests.export.conftest import CLASSES, ODD_WINDOWS
from tests.export.onnx_runtime import onnx, run
from tests.model.made_views import machine_windows

model_graph = pytest.importorskip("dualres.export.model_graph").model_graph


@pytest.fixture(scope="module")
def path(views_model, tmp_path_factory):
    path = tmp_path_factory.mktemp("onnx") / "model.onnx"
    assert write_onnx(views_model, path) < 1e-5
    return path


def test_windows_like_those_learned_from(path, views_model):
    windows = machine_windows(1, len(CLASSES), seed=3)
    wanted, said = logits_of(views_model, windows), run(path, windows)
    assert said.argmax(1).tolist() == [*range(len(CLASSES))]
    assert np.abs(said - wanted).max() < 1e-5 * np.abs(wanted).max()
    np.testing.assert_allclose(run(path, windows[:1]), said[:1], atol=1e-4)


def test_odd_windows_in_one_batch(path, views_model):
    windows = np.stack([*ODD_WINDOWS.values()])
    wanted = logits_of(views_model, windows)
    assert np.abs(run(path, windows) - wanted).max() < 1e-3 * max(1, np.abs(wanted).max())


def test_the_file_is_valid_and_small(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    assert path.stat().st_size < 2_000_000


@pytest.mark.parametrize(
    ("frames", "message"), [({"window": 32_768 + 128}, "multiple of 1024"), ({"hop": 96}, "no multiple of hop")]
)
def test_frames_that_cannot_be_cut_are_refused(frames, message):
    with pytest.raises(ConfigError, match=message):
        model_graph([ViewsNetwork(2, ModelConfig(**frames))])
