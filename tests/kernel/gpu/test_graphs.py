"""Recorded scoring on a GPU gives the network's own logits, for one window, for many, for windows far apart."""

import pytest
import torch

from dualres.config import ModelConfig
from dualres.model.network import DualRes

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.fixture(scope="module")
def network():
    return DualRes(8, ModelConfig(), seed=3).cuda().eval()


@pytest.fixture(scope="module")
def signal():
    return torch.randn(400_000, generator=torch.Generator().manual_seed(0)).numpy()


@torch.no_grad()
def expected(network, signal, starts):
    length = network.config.window
    return network(torch.stack([torch.from_numpy(signal[s : s + length]) for s in starts]).cuda())


@pytest.mark.parametrize("starts", [[0], [5, 300_000], range(0, 360_000, 16_384), range(0, 367_000, 1000)], ids=len)
@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_logits_of_windows_in_a_signal(network, signal, starts, where):
    from dualres.kernel.gpu.graphs import scorer

    given = signal if where == "cpu" else torch.from_numpy(signal).cuda()
    logits = scorer(network).logits(given, starts)
    torch.testing.assert_close(logits, expected(network, signal, starts), rtol=1e-4, atol=2e-5)


def test_many_windows_are_done_in_parts_whatever_was_there_before(network):
    from dualres.kernel.gpu.graphs import MANY, scorer

    noise = torch.randn(1_400_000, generator=torch.Generator().manual_seed(1)).numpy()
    for offset, windows in ((1000.0, 80), (-5.0, 66), (0.0, 79)):
        starts = range(16_384, 16_384 * (windows + 1), 16_384)
        assert len(starts) == windows >= MANY
        logits = scorer(network).logits(noise + offset, starts)
        torch.testing.assert_close(logits, expected(network, noise + offset, starts), rtol=1e-4, atol=1e-4)


def test_one_window(network, signal):
    from dualres.kernel.gpu.graphs import scorer

    for start in (0, 1000):
        samples = signal[start : start + network.config.window]
        logits = torch.from_numpy(scorer(network).window(samples))
        torch.testing.assert_close(logits, expected(network, signal, [start])[0].cpu(), rtol=1e-4, atol=2e-5)


def test_changed_parameters_are_noticed(network, signal):
    from dualres.kernel.gpu.graphs import scorer

    before = scorer(network)
    assert scorer(network) is before
    with torch.no_grad():
        network.head.bias.add_(1)
    torch.testing.assert_close(
        scorer(network).logits(signal, [0]), expected(network, signal, [0]), rtol=1e-4, atol=2e-5
    )
