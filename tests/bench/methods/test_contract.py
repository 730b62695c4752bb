"""What the specification asks of every network alike: its logits, and a pass that never waits for the device."""

import pytest
import torch

from dualres.bench.methods import method
from tests.bench.methods.golden import CLASSES, filled, golden_images, golden_windows

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA here"))]
LOGITS = {
    "mambasl": [0.26958, -0.06788, -0.13042, -0.00677, 0.03969, 0.14317, -0.05215, 0.11092],
    "tscmamba": [-1.44135, 0.52831, 0.20923, -1.26034, 0.49303, 0.17737, -1.28877, 0.46802],
    "medformer": [0.11988, 0.02390, 0.34637, 0.43408, -0.63691, -0.30643, -0.45115, -0.14996],
    "moderntcn": [-0.17797, 0.03539, -0.03542, 0.02328, -0.01426, -0.06868, 0.03516, 0.10380],
    "patchtst": [-2.17704, -0.13656, 0.19252, 0.18735, -0.76980, -1.14207, -0.65201, -0.22668],
    "itransformer": [-0.05985, 0.45071, -0.47566, -0.33802, -0.55063, 0.76905, 0.00114, -0.37937],
    "crossformer": [1.32068, 0.35377, 0.27562, 0.20209, 0.87742, 0.55481, 0.01050, -0.68205],
}


def given(name, network, count, device="cpu"):
    """What the network takes of `count` of the specification's windows."""
    images = (golden_images()[:count],) if name == "tscmamba" else ()
    return [*(part.to(device) for part in (golden_windows()[:count], *images)), *network.draws(count)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("name", LOGITS)
@torch.no_grad()
def test_it_gives_the_specified_logits(name, batch, device):
    network = filled(method(name).build(CLASSES, None)).to(device)
    logits = network(*given(name, network, batch, device))
    torch.testing.assert_close(logits[0].cpu(), torch.tensor(LOGITS[name]), rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", LOGITS)
@torch.no_grad()
def test_a_window_alone_scores_as_in_a_batch(name):
    network = filled(method(name).build(CLASSES, None))
    both = given(name, network, 2)
    alone = [part[1:] if len(part) == 2 else part for part in both]
    torch.testing.assert_close(network(*both)[1:], network(*alone), rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", LOGITS)
def test_a_pass_never_waits_for_the_device(name):
    """On the meta device there is nothing that could be read back, nor a place for a tensor from the host."""
    network = method(name).build(CLASSES, None).to("meta")
    network(*given(name, network, 2, "meta")).sum().backward()
