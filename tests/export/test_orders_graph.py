"""The graph of a network of orders in ONNX Runtime against NumPy in float64, at known and unknown speeds."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dualres.config import ModelConfig
from dualres.errors import ConfigError, ExportError
from dualres.export import onnx as export
from dualres.export.onnx import write_onnx
from dualres.export.test_vectors import logits_of
from dualres.judge.model import Model
from dualres.learn.closed_form import fit_orders
from dualres.model.views.order_network import OrdersNetwork
from tests.export.conftest import CLASSES, ODD_WINDOWS, made_orders_model
from tests.export.onnx_runtime import onnx, run
from tests.model.made_orders import SPEEDS
from tests.model.made_views import machine_windows

model_graph = pytest.importorskip("dualres.export.model_graph").model_graph
TOLERANCE = 1e-4
UNKNOWN = (np.nan, 0.0, -3.0, -np.inf)
# Shafts slower and faster than those labelled, so slow and so fast that nothing is heard of them, and unknown ones.
HZ = np.array([24.0, 30.0, np.nan, 0.0, 7.0, 90.0, 1e-30, 1e30], np.float32)


@pytest.fixture(scope="module")
def model():
    return made_orders_model()


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("onnx") / "model.onnx"
    assert write_onnx(model, path) < 1e-5
    return path


@pytest.fixture(scope="module")
def unseen():
    return machine_windows(1, len(CLASSES), seed=3)


def off(made, model, windows, hz):
    """By how much logits differ at most, of each window."""
    speeds = np.broadcast_to(np.float32(hz), len(windows))
    return np.abs(run(made, windows, speeds) - logits_of(model, windows, speeds.astype(np.float64))).max(1)


@pytest.mark.parametrize("hz", [HZ, *SPEEDS, np.nan], ids=["some", "slow", "fast", "unknown"])
def test_windows_like_those_learned_from(path, model, unseen, hz):
    assert off(path, model, unseen, hz).max() < TOLERANCE


def test_one_window_and_several_at_several_speeds(path, unseen):
    together = run(path, unseen[:3], HZ[:3])
    for number in range(3):
        at = slice(number, number + 1)
        np.testing.assert_allclose(run(path, unseen[at], HZ[at])[0], together[number], atol=TOLERANCE)


def test_one_window_at_many_speeds_is_a_search(path, model):
    """As somebody outside of the graph would do it."""
    hz = np.linspace(15, 40, 9, dtype=np.float32)
    windows = np.repeat(machine_windows(1, 3, seed=5)[2:], len(hz), axis=0)
    found, wanted = run(path, windows, hz).max(1), logits_of(model, windows, hz.astype(np.float64)).max(1)
    assert found.argmax() == wanted.argmax()
    assert np.ptp(found) > 0.1


def test_a_speed_that_is_not_known_leaves_it_to_the_heads_on_hz(path, unseen):
    without = run(path, unseen, np.full(len(unseen), np.nan, np.float32))
    for hz in UNKNOWN:
        np.testing.assert_array_equal(run(path, unseen, np.full(len(unseen), hz, np.float32)), without)
    assert np.abs(run(path, unseen, np.full(len(unseen), 25.0, np.float32)) - without).max() > 0.1


@pytest.mark.parametrize("hz", [np.nan, 25.0, 3.0, 200.0])
def test_odd_windows_in_one_batch(path, model, hz):
    assert off(path, model, np.stack([*ODD_WINDOWS.values()]), hz).max() < TOLERANCE


@pytest.mark.parametrize("hz", [np.nan, 25.0])
def test_noise_and_a_band_that_the_sensor_did_not_record(path, model, hz):
    windows = np.random.default_rng(0).standard_normal((4, 32_768))
    spectrum = np.fft.rfft(windows)
    spectrum[2:, 32_768 // 10 :] = 0  # above 6.4 kHz
    assert off(path, model, np.fft.irfft(spectrum).astype(np.float32), hz).max() < TOLERANCE


def test_a_window_that_is_not_finite_spoils_no_other(path, unseen):
    spoiled = unseen[:2].copy()
    spoiled[0, 5] = np.nan
    said = run(path, spoiled, HZ[:2])
    assert np.isnan(said[0]).all()
    np.testing.assert_allclose(said[1], run(path, unseen[:2], HZ[:2])[1], atol=TOLERANCE)


def test_the_file_is_valid_and_small_and_carries_the_labelled_speeds(path):
    made = onnx.load(path)
    onnx.checker.check_model(made, full_check=True)
    shapes = {given.name: given.type.tensor_type.shape.dim for given in made.graph.input}
    taken = {name: [size.dim_param or size.dim_value for size in shape] for name, shape in shapes.items()}
    assert taken == {"windows": ["batch", 32_768], "speed": ["batch"]}
    assert [given.name for given in made.graph.output] == ["logits"]
    assert told(path)["dualres_speeds_hz"] == [*SPEEDS]
    assert tuple(told(path)["dualres"]["classes"]) == CLASSES
    assert path.stat().st_size < 4_500_000


def told(path):
    return {entry.key: json.loads(entry.value) for entry in onnx.load(path).metadata_props}


def test_a_network_that_learned_from_no_speeds_heeds_none(tmp_path, unseen):
    plain = made_orders_model(labelled=False)
    path = tmp_path / "it.onnx"
    assert write_onnx(plain, path) < 1e-5
    assert told(path)["dualres_speeds_hz"] is None
    assert off(path, plain, unseen, 20.0).max() < TOLERANCE
    np.testing.assert_array_equal(run(path, unseen, HZ), run(path, unseen, HZ[::-1].copy()))


@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize("axes", ["apart", "shared"])
def test_several_axes_and_members(axes, members, unseen):
    model = made_orders_model(members=members, axes=axes, channels=("x", "y"))
    pairs = np.stack([unseen, unseen[::-1]], axis=1)  # (batch, axes, window)
    made = model_graph(model.networks, 2, model.card.apart > 1)
    assert off(made, model, pairs, HZ).max() < TOLERANCE
    exact = HZ.astype(np.float64)
    wanted = np.mean([model.scores(pairs[:, axis], axis, exact) for axis in range(2)], axis=0)
    assert np.abs(np.exp(run(made, pairs, HZ)) - wanted).max() < TOLERANCE


def test_a_file_of_several_axes_says_so_and_is_checked(tmp_path):
    model = made_orders_model(axes="apart", channels=("x", "y"))
    assert write_onnx(model, tmp_path / "it.onnx") < TOLERANCE
    shapes = [[d.dim_value for d in i.type.tensor_type.shape.dim] for i in onnx.load(tmp_path / "it.onnx").graph.input]
    assert shapes == [[0, 2, 32_768], [0]]


@pytest.mark.parametrize("wrong", [0, 2], ids=["at a speed", "at none"])
def test_what_disagrees_is_not_written(model, tmp_path, monkeypatch, wrong):
    def other(model, windows, hz):
        return logits_of(model, windows, hz) + 1e-3 * (np.arange(len(windows)) == wrong)[:, None]

    monkeypatch.setattr(export, "logits_of", other)
    with pytest.raises(ExportError, match="other logits"):
        write_onnx(model, tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_windows_of_other_lengths_and_rates():
    config = ModelConfig(rate=52_000, window=33_024)
    windows = np.random.default_rng(2).standard_normal((8, config.window)).astype(np.float32)
    hz = np.linspace(20, 30, 8)
    network = fit_orders(windows, np.arange(8) % 2, 2, hz=hz, config=config)
    card = replace(made_orders_model(CLASSES[:2]).card, config=config)
    assert off(model_graph([network]), Model((network,), card), windows, hz).max() < TOLERANCE


@pytest.mark.parametrize(
    ("frames", "message"),
    [({"hop": 96}, "no multiple of hop"), ({"hop": 129, "short": 258, "long": 1032, "window": 129 * 254}, "even")],
)
def test_frames_that_cannot_be_cut_are_refused(frames, message):
    with pytest.raises(ConfigError, match=message):
        model_graph([OrdersNetwork(2, ModelConfig(**frames))])
