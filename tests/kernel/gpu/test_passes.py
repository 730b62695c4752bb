"""All networks of a bundle at once on a GPU: logits, losses and gradients are those of each by itself, by autograd."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy

from dualres.config import ModelConfig
from dualres.kernel.gpu.draws import NoiseSource
from dualres.kernel.gpu.layout import ParameterLayout
from dualres.model.network import DualRes
from dualres.model.scan import scan_ref

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

PAPER = ModelConfig()
CONTROLS = {
    "both": {},
    "short": {"branches": "short"},
    "long": {"branches": "long"},
    "no rotation": {"rotation": False},
    "no jitter": {"jitter": 0.0},
}


@pytest.fixture(scope="module")
def small(small):
    return replace(small, width=32, states=4)


class Kept(torch.nn.Module):
    def __init__(self, factors):
        super().__init__()
        self.factors = factors

    def forward(self, x):
        return x * self.factors if self.training else x


def by_autograd(network, draws, fit, short, long, labels):
    """Loss, logits and gradients in float64 by the readable path, with the same draws."""
    config = network.config
    network = network.double().cuda().train()
    memory = network.encoder.memory
    memory.scan = scan_ref
    slot = int(draws.count) % draws.slab
    noise, keep = draws.noise[fit, slot].double(), draws.keep[fit, slot]
    memory._log_jitter = lambda v: (config.jitter * noise - config.jitter**2 / 2)[:, None]
    network.dropout = Kept((keep >= config.dropout) / (1 - config.dropout))
    logits = network.classify(short.double(), long.double())
    loss = cross_entropy(logits, labels)
    loss.backward()
    return loss, logits


def test_a_silenced_memory_is_left_to_pytorch():
    from dualres.kernel.gpu.available import fits_the_kernels

    assert fits_the_kernels(PAPER)
    assert not fits_the_kernels(replace(PAPER, memory=False))


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("size", ["paper", "small"])
@pytest.mark.parametrize("sources", [None, (0, 1, 0)], ids=["own views", "shared views"])
def test_logits_losses_and_gradients(sources, size, control, small):
    from dualres.kernel.gpu.passes import Passes

    fits, windows, classes = len(sources or (0, 1)), 5, 3
    config = replace(PAPER if size == "paper" else small, **CONTROLS[control])
    device = torch.device("cuda")
    layout = ParameterLayout(config, classes)
    draws = NoiseSource(range(fits), windows, config.width, device)
    draws.renew()
    draws.count.fill_(26)
    passes = Passes(layout, fits, windows, device, draws=draws, sources=sources)
    networks = [DualRes(classes, config, seed) for seed in range(fits)]
    passes.weights.copy_(torch.stack([layout.pack(network) for network in networks]))
    views = []
    for view, bins in ((passes.short, config.short_bins), (passes.long, config.long_bins)):
        view[..., :bins].uniform_(0, 3)
        view[..., bins] = 1
        views.append(view[..., :bins].unflatten(0, (2, windows))[list(sources or (0, 1))])
    labels = torch.arange(fits * windows, device=device) % classes
    passes.labels.copy_(labels)
    with torch.no_grad():
        passes.forward()
        passes.backward()
    for fit, network in enumerate(networks):
        rows = slice(fit * windows, (fit + 1) * windows)
        loss, logits = by_autograd(network, draws, fit, views[0][fit], views[1][fit], labels[rows])
        close("logits", passes.logits[rows], logits)
        close("loss", passes.losses[rows].sum()[None], loss[None])
        twin = DualRes(classes, config, seed=fit).cuda()
        layout.unpack_gradients(passes.gradients[rows].sum(0), twin)
        for (name, mine), theirs in zip(twin.named_parameters(), network.parameters(), strict=True):
            assert (mine.grad is None) == (theirs.grad is None), name
            if mine.grad is not None:
                close(name, mine.grad, theirs.grad)


def close(name, got, expected):
    off = ((got.double() - expected).abs().max() / expected.abs().max()).item()
    assert off < 3e-5, f"{name} is off by {off:.2g} of its largest entry"
