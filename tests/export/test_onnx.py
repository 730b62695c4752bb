"""The ONNX file in ONNX Runtime against PyTorch."""

import json
import sys

import numpy as np
import pytest

from dualres.errors import ConfigError, ExportError, OutputError
from dualres.export import onnx as export
from dualres.export.onnx import write_onnx
from dualres.export.test_vectors import logits_of
from tests.export.conftest import ODD_WINDOWS, machine, made_comparator, made_model
from tests.export.onnx_runtime import onnx, run


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("onnx") / "new" / "model.onnx"
    assert write_onnx(model, path) < 1e-5
    return path


def test_odd_windows_in_one_batch(path, model):
    windows = np.stack([*ODD_WINDOWS.values()])
    wanted = logits_of(model, windows)
    assert np.abs(run(path, windows) - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_any_number_of_windows(path, model):
    for count in (1, 3):
        windows = np.stack([machine(0.512, 64_000, seed) for seed in range(count)])
        assert np.abs(run(path, windows) - logits_of(model, windows)).max() < 1e-5


def test_the_file_is_valid_and_carries_the_card(path, model):
    made = onnx.load(path)
    onnx.checker.check_model(made, full_check=True)
    card = json.loads({entry.key: entry.value for entry in made.metadata_props}["dualres"])
    assert tuple(card["classes"]) == model.classes
    assert card["config"]["window"] == 32_768


def test_an_existing_file_is_left_alone(model, tmp_path):
    there = tmp_path / "m.onnx"
    there.write_text("mine")
    with pytest.raises(OutputError, match="--overwrite"):
        write_onnx(model, there)
    assert there.read_text() == "mine"
    write_onnx(model, there, overwrite=True)
    onnx.load(there)


def test_what_disagrees_is_not_written(model, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "logits_of", lambda model, windows: logits_of(model, windows) + 1e-3)
    with pytest.raises(ExportError, match="other logits"):
        write_onnx(model, tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_a_file_of_several_axes_takes_them_in_the_order_of_its_card(tmp_path):
    model = made_model(channels=("x", "y", "z"), axes="apart")
    assert write_onnx(model, tmp_path / "m.onnx") < 1e-4
    made = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(made, full_check=True)
    assert [d.dim_value for d in made.graph.input[0].type.tensor_type.shape.dim] == [0, 3, 32_768]
    card = json.loads({entry.key: entry.value for entry in made.metadata_props}["dualres"])
    assert (card["channels"], card["axes"]) == (["x", "y", "z"], "apart")


def test_what_is_no_network_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"only DualRes networks .* the method minirocket"):
        write_onnx(made_comparator(), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_is_named(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r"dualres\[export\]"):
        write_onnx(model, tmp_path / "m.onnx")
