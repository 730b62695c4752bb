import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge import backends as scorers
from dualres.judge.backends import in_torch, scorer, weights_of
from dualres.kernel import compiled
from dualres.kernel.gpu.available import available
from dualres.model.network import DualRes
from dualres.model.weights import shapes
from dualres.recordings.windows import every_window
from tests.model.made_orders import made_orders
from tests.model.made_views import machine_windows, made_views


@pytest.fixture(params=["cpu", "cuda"])
def device(request) -> str:
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return request.param


@pytest.fixture(params=[None, compiled.OFF])
def setting(request, monkeypatch):
    if request.param:
        monkeypatch.setenv(compiled.SETTING, request.param)


def expected(network: torch.nn.Module, windows) -> np.ndarray:
    with torch.inference_mode():
        return network.double().cpu()(torch.from_numpy(np.array(windows, dtype=np.float64))).numpy()


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_every_way_gives_the_networks_logits(device, count):
    network = DualRes(3, seed=0).eval().to(device)
    window = network.config.window
    signal = np.random.default_rng(count).standard_normal((count + 1) * window // 2).astype(np.float32) + 2
    signal.setflags(write=False)  # as a file mapped into memory is
    overlapping = every_window(signal, window)
    score = scorer(network)
    views, copies = score(overlapping), score(np.array(overlapping))
    exact = expected(network, overlapping)
    assert views.shape == copies.shape == (count, 3)
    assert views.dtype == np.float32
    np.testing.assert_allclose(views, exact, atol=1e-5)
    np.testing.assert_allclose(copies, exact, atol=1e-5)


def test_without_a_kernel_or_a_gpu_numpy_does_it(monkeypatch, small):
    windows = np.random.default_rng(0).standard_normal((40, small.window)).astype(np.float32)
    network = DualRes(3, small, seed=0).eval()
    np.testing.assert_allclose(scorer(network)(windows), expected(DualRes(3, small, seed=0).eval(), windows), atol=1e-5)
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    paper = DualRes(3, seed=0).eval()
    noise = np.random.default_rng(0).standard_normal((2, paper.config.window)).astype(np.float32)
    assert not available(paper.config, "cpu")
    np.testing.assert_allclose(scorer(paper)(noise), expected(DualRes(3, seed=0).eval(), noise), atol=1e-5)


def test_no_window_no_logits(device, setting):
    network = DualRes(3, seed=0).eval().to(device)
    assert scorer(network)(np.empty((0, network.config.window), np.float32)).shape == (0, 3)


def test_changed_weights_are_noticed(device):
    network = DualRes(2, seed=0).eval().to(device)
    window = np.random.default_rng(0).standard_normal((1, network.config.window)).astype(np.float32)
    before = scorer(network)(window)
    with torch.no_grad():
        network.head.bias.add_(1)
    np.testing.assert_allclose(scorer(network)(window), before + 1, atol=1e-5)


def test_other_kinds_of_numbers_are_taken_and_other_shapes_refused(setting):
    network = DualRes(2, seed=0).eval()
    counts = np.random.default_rng(0).integers(-1000, 1000, (2, network.config.window))
    as_floats = scorer(network)(counts.astype(np.float32))
    for kind in (np.float64, np.int16, ">f4"):
        np.testing.assert_array_equal(scorer(network)(counts.astype(kind)), as_floats)
    for wrong in (counts[0], counts[:, :100]):
        with pytest.raises(ConfigError, match="32768"):
            scorer(network)(wrong)


def test_a_network_in_training_is_scored_as_if_it_were_not(setting):
    network = DualRes(2, seed=0).train()
    window = np.random.default_rng(0).standard_normal((1, network.config.window)).astype(np.float32)
    np.testing.assert_array_equal(scorer(network)(window), scorer(network)(window))
    assert network.training


def test_weights_without_pytorch_score_as_the_network_does(setting):
    network = DualRes(3, seed=0).eval()
    windows = np.random.default_rng(1).standard_normal((3, network.config.window)).astype(np.float32)
    weights = weights_of(network)
    np.testing.assert_array_equal(scorer(weights)(windows), scorer(network)(windows))
    back = in_torch(weights)
    assert all(torch.equal(a, b) for a, b in zip(network.parameters(), back.parameters(), strict=True))


def test_a_network_of_other_numbers_is_left_to_pytorch():
    network = DualRes(2, seed=0).eval()
    window = np.random.default_rng(0).standard_normal((1, network.config.window)).astype(np.float32)
    single = scorer(network)(window)
    np.testing.assert_allclose(scorer(network.double())(window), single, atol=1e-5)


def test_the_shapes_in_a_file_are_those_of_the_network(small):
    for config in (small, ModelConfig()):
        state = DualRes(5, config).state_dict()
        assert shapes(config, 5) == {name: tuple(tensor.shape) for name, tensor in state.items()}


@pytest.mark.parametrize("settings", [{}, {"rotation": False}])
def test_the_rotation_is_pytorch_s_to_the_last_bits(settings):
    network = DualRes(2, ModelConfig(**settings), seed=0)
    with torch.no_grad():
        network.encoder.memory.pitch.add_(torch.randn(8))
    expected = network.encoder.memory.theta().detach().double().numpy()
    np.testing.assert_allclose(weights_of(network).theta(), expected, rtol=2e-7)


def test_networks_of_views_are_scored_by_every_way(device, setting):
    network, windows = made_views().to(device), machine_windows(2, seed=1)
    weights = weights_of(network)
    by_network, by_weights = scorer(network)(windows), scorer(weights)(windows)
    exact = expected(network, windows)
    for said in (by_network, by_weights):
        np.testing.assert_allclose(said, exact, atol=1e-4 * np.abs(exact).max())


def test_changed_heads_of_views_are_noticed():
    network, windows = made_views(), machine_windows(1)
    before = scorer(network)(windows)
    with torch.no_grad():
        network.heads["lines"].sharpness.mul_(2)
    assert np.abs(scorer(network)(windows) - before).max() > 1e-3


@pytest.mark.skipif(not compiled.able(), reason="the compiled library is not built")
def test_views_take_the_kernel_where_it_serves(monkeypatch):
    network = made_views()
    monkeypatch.setattr(scorers, "by_torch", None)
    for one in (network, weights_of(network)):
        assert scorer(one)(machine_windows(1)).shape == (4, 4)


def test_windows_are_looked_at_once_and_scored_at_any_speed(device, setting):
    """A network of other numbers, and one on a GPU, look by PyTorch."""
    dtype = torch.float64 if device == "cpu" else torch.float32
    network, windows = made_orders().to(device, dtype), machine_windows(2, seed=4)
    seen = scorers.seen(network, windows)
    weights = weights_of(network)
    for hz in (None, np.full(len(windows), 24.0), np.full(len(windows), 31.0)):
        wanted = scorers.scores(weights, windows, hz)
        np.testing.assert_allclose(scorers.scores(network, seen, hz), wanted, atol=1e-4)
        np.testing.assert_allclose(scorers.scores(network, windows, hz), wanted, atol=1e-4)
    some = scorers.sliced(seen, np.array([3, 1]))
    np.testing.assert_array_equal(some.lines, seen.lines[[3, 1]])
    for one, whole in zip(scorers.joined([scorers.sliced(seen, slice(2)), some]), seen, strict=True):
        np.testing.assert_array_equal(one, whole[[0, 1, 3, 1]])
