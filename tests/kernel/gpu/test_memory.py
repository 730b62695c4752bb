"""The memory's walks are the token loop: readout and every gradient, at any damping and for any number of chunks."""

import math

import pytest
import torch

from dualres.config import ModelConfig
from dualres.kernel.gpu.draws import NoiseSource
from dualres.kernel.gpu.layout import ParameterLayout
from dualres.model.network import DualRes
from tests.kernel.gpu.test_passes import by_autograd

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

SIZES = {"rate": 2000, "hop": 8, "short": 16, "long": 64, "frequency_hz": (5.0, 100.0)}
CONFIGS = {
    "paper": ModelConfig(window=32_768),
    "small": ModelConfig(window=256, width=32, states=4, **SIZES),
    "many states": ModelConfig(window=640, width=32, states=16, **SIZES),
    "one token": ModelConfig(window=64, width=32, states=4, **SIZES),
    "no rotation": ModelConfig(window=640, width=32, states=4, rotation=False, **SIZES),
}
# Increments of the first and the last channel.
DAMPINGS = {"as built": None, "weak": (1e-6, 1e-3), "strong": (1.0, 300.0), "mixed": (1e-6, 300.0)}
WINDOWS = 3


def passes_of(config, network):
    from dualres.kernel.gpu.passes import Passes

    device = torch.device("cuda")
    layout, draws = ParameterLayout(config, 3), NoiseSource([7], WINDOWS, config.width, device)
    draws.renew()
    passes = Passes(layout, 1, WINDOWS, device, draws=draws)
    passes.weights.copy_(layout.pack(network)[None])
    for view, bins in ((passes.short, config.short_bins), (passes.long, config.long_bins)):
        view[..., :bins].uniform_(0, 3)
        view[..., bins] = 1
    passes.labels.copy_(torch.arange(WINDOWS) % 3)
    return passes, draws


@pytest.mark.parametrize("damping", DAMPINGS)
@pytest.mark.parametrize("name", CONFIGS)
def test_forward_and_backward(name, damping):
    config = CONFIGS[name]
    generator = torch.Generator().manual_seed(0)
    network = DualRes(3, config, seed=0)
    memory = network.encoder.memory
    with torch.no_grad():
        memory.damping.weight.normal_(0, 0.2, generator=generator)
        if DAMPINGS[damping]:
            first, last = (math.log(x * config.token_rate) for x in DAMPINGS[damping])
            memory.log_rate.copy_(torch.linspace(first, last, config.width))
        passes, draws = passes_of(config, network)
        passes.forward()
        passes.backward()
    readouts = []
    memory.register_forward_hook(lambda _, __, out: readouts.append(out[0]))
    views = passes.short[..., : config.short_bins], passes.long[..., : config.long_bins]
    by_autograd(network, draws, 0, *views, passes.labels.long())
    close("y", passes.y, readouts[0])
    twin = DualRes(3, config, seed=0).cuda()
    ParameterLayout(config, 3).unpack_gradients(passes.gradients.sum(0), twin)
    theirs = dict(memory.named_parameters())
    for part, mine in twin.encoder.memory.named_parameters():
        assert (mine.grad is None) == (theirs[part].grad is None), part
        if mine.grad is not None:
            close(f"gradient of {part}", mine.grad, theirs[part].grad)


def close(name, got, expected):
    got, expected = got.detach().double(), expected.detach().double()
    whole = ((got - expected).abs().max() / expected.abs().max().clamp(min=1e-30)).item()
    assert whole < 3e-5, f"{name} is off by {whole:.2g} of its largest entry"


def test_the_same_numbers_every_time():
    config = CONFIGS["paper"]
    with torch.no_grad():
        passes, _ = passes_of(config, DualRes(3, config, seed=0))
        seen = []
        for _ in range(2):
            passes.forward()
            passes.backward()
            seen.append((passes.y.clone(), passes.gradients.clone()))
    for first, second in zip(*seen, strict=True):
        assert torch.equal(first, second)
