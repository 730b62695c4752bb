import numpy as np
import pytest
import torch

from dualres.fit import fits_together
from dualres.kernel import compiled
from dualres.model.network import DualRes
from dualres.recordings.windows import every_window
from dualres.score import scorer


@pytest.fixture(params=["cpu", "cuda"])
def device(request) -> str:
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return request.param


def expected(network: DualRes, windows) -> np.ndarray:
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


def test_without_a_kernel_or_a_gpu_pytorch_does_it(monkeypatch, small):
    windows = np.random.default_rng(0).standard_normal((40, small.window)).astype(np.float32)
    network = DualRes(3, small, seed=0).eval()
    np.testing.assert_allclose(scorer(network)(windows), expected(DualRes(3, small, seed=0).eval(), windows), atol=1e-5)
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    paper = DualRes(3, seed=0).eval()
    noise = np.random.default_rng(0).standard_normal((2, paper.config.window)).astype(np.float32)
    assert not fits_together(paper.config, "cpu")
    np.testing.assert_allclose(scorer(paper)(noise), expected(DualRes(3, seed=0).eval(), noise), atol=1e-5)


@pytest.mark.parametrize("setting", [None, compiled.OFF])
def test_no_window_no_logits(device, setting, monkeypatch):
    if setting:
        monkeypatch.setenv(compiled.SETTING, setting)
    network = DualRes(3, seed=0).eval().to(device)
    assert scorer(network)(np.empty((0, network.config.window), np.float32)).shape == (0, 3)
