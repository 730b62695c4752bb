"""The memory's kernels are the memory with the token loop: readout and every gradient, at any damping."""

import math

import pytest
import torch

from dualres.config import ModelConfig
from dualres.gpu.draws import Draws
from dualres.gpu.layout import Layout
from dualres.kernel.pack import MAPS
from dualres.model.network import DualRes
from dualres.model.scan import scan_ref

pytest.importorskip("triton", reason="there is no Triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

SIZES = {"rate": 2000, "hop": 8, "short": 16, "long": 64, "frequency_hz": (5.0, 100.0)}
CONFIGS = {
    "paper": ModelConfig(window=32_768),
    "small": ModelConfig(window=256, width=8, states=2, **SIZES),
    "wide": ModelConfig(window=640, width=32, states=16, **SIZES),
    "one token": ModelConfig(window=64, width=16, states=4, **SIZES),
    "no rotation": ModelConfig(window=640, width=16, states=4, rotation=False, **SIZES),
}
# Increments of the first and the last channel.
DAMPINGS = {"as built": None, "weak": (1e-6, 1e-3), "strong": (1.0, 300.0), "mixed": (1e-6, 300.0)}
WINDOWS = 3


@pytest.mark.parametrize("damping", DAMPINGS)
@pytest.mark.parametrize("name", CONFIGS)
def test_forward_and_backward(name, damping):
    from dualres.gpu.passes import Memory

    config = CONFIGS[name]
    generator = torch.Generator().manual_seed(0)
    network = DualRes(3, config, seed=0)
    memory = network.encoder.memory
    with torch.no_grad():
        memory.damping.weight.normal_(0, 0.2, generator=generator)
        if DAMPINGS[damping]:
            first, last = (math.log(x * config.token_rate) for x in DAMPINGS[damping])
            memory.log_rate.copy_(torch.linspace(first, last, config.width))
    device = torch.device("cuda")
    layout, draws = Layout(config, 3), Draws([7], WINDOWS, config.width, device)
    draws.renew()
    gradients = torch.zeros(WINDOWS, layout.size, device=device)
    kernels = Memory(layout, layout.pack(network).to(device)[None], gradients, WINDOWS, draws)

    memory.double().to(device).scan = scan_ref
    noise = draws.noise[0, 0].double()
    memory._log_jitter = lambda v: (config.jitter * noise - config.jitter**2 / 2)[:, None]
    v = torch.randn(WINDOWS, config.tokens, config.width, generator=generator).double().to(device)
    maps = {}
    for part in MAPS:
        linear = getattr(memory, part)
        linear.register_forward_hook(lambda _, __, out, part=part: maps.update({part: out}) or out.retain_grad())
    y, _ = memory.train()(v)
    d_y = torch.randn(y.shape, generator=generator).to(device)
    (y * d_y).sum().backward()

    linears = [getattr(memory, part) for part in MAPS]
    kernels.maps.copy_(torch.cat([v @ linear.weight.mT for linear in linears], dim=-1))
    kernels.d_y.copy_(d_y)
    run(kernels)
    close("y", kernels.y, y)
    widths = [linear.out_features for linear in linears]
    for part, got in zip(MAPS, kernels.d_maps.split(widths, dim=-1), strict=True):
        close(f"gradient of {part}", got, maps[part].grad)
    summed = gradients.sum(0, keepdim=True)
    biases = torch.cat([linear.bias.grad for linear in linears])
    close("gradient of the biases", layout.part(summed, "maps_bias")[0], biases)
    close("gradient of log_rate", layout.part(summed, "log_rate")[0], memory.log_rate.grad)
    if config.rotation:
        close("gradient of pitch", layout.part(summed, "pitch")[0], memory.pitch.grad)
    else:
        assert not layout.part(summed, "pitch").any()


def run(kernels):
    kernels.coefficients()
    kernels.walk()
    kernels.walk_backward()
    kernels.coefficients_backward()


def close(name, got, expected):
    """By the largest entry of a channel, as channels differ by many orders of magnitude."""
    got, expected = got.detach().cdouble(), expected.detach().cdouble()
    axes = tuple(range(expected.ndim - 1)) if expected.ndim > 1 else (0,)
    scale = expected.abs().amax(axes, keepdim=True).clamp(min=1e-30)
    off = ((got - expected).abs() / scale).max().item()
    assert off < 2e-4, f"{name} is off by {off:.2g}"
    whole = ((got - expected).abs().max() / expected.abs().max().clamp(min=1e-30)).item()
    assert whole < 3e-5, f"{name} is off by {whole:.2g} of its largest entry"


def test_the_same_numbers_every_time():
    from dualres.gpu.passes import Memory

    config, device = CONFIGS["paper"], torch.device("cuda")
    layout, draws = Layout(config, 3), Draws([7], 4, config.width, device)
    draws.renew()
    gradients = torch.zeros(4, layout.size, device=device)
    kernels = Memory(layout, layout.pack(DualRes(3, config, seed=0)).to(device)[None], gradients, 4, draws)
    kernels.maps.normal_()
    kernels.d_y.normal_()
    seen = []
    for _ in range(2):
        run(kernels)
        seen.append((kernels.y.clone(), kernels.d_maps.clone(), gradients.clone()))
    for first, second in zip(*seen, strict=True):
        assert torch.equal(first, second)
