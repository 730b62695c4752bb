"""A network's weights and the tables of its FFTs as the kernel wants them: one run of floats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import ModelConfig
from dualres.kernel.aligned import aligned
from dualres.model.network import DualRes

Floats = npt.NDArray[np.float32]
Exact = npt.NDArray[np.float64]

TURN = 16  # tokens after which the memory's rotating coordinates begin anew, as in dualres_kernel.h
SIZES = ("rate", "window", "hop", "short", "long", "width", "states")  # the kernel is compiled for the paper's


def fits(config: ModelConfig) -> bool:
    """Whether the kernel is made for networks of this shape."""
    paper = ModelConfig()
    return all(getattr(config, size) == getattr(paper, size) for size in SIZES)


def packed(network: DualRes) -> tuple[Floats, Floats]:
    """The kernel's constants, in the order of `dualres_constants`, and its head: (classes, width), then biases."""
    parts = [part.ravel() for part in _constants(network)]
    constants = aligned(sum(map(len, parts)))
    np.concatenate(parts, out=constants, casting="same_kind")
    head = np.concatenate([_exact(network.head.weight).ravel(), _exact(network.head.bias)])
    return constants, head.astype(np.float32)


def _constants(network: DualRes) -> Iterator[Exact]:
    config, encoder, memory = network.config, network.encoder, network.encoder.memory
    for length in (config.long, config.short):
        yield 0.5 * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length))
    for length, count in ((512, 64), (64, 8)):
        yield _turns(np.outer(np.arange(count), np.arange(1, 8)) / length)
    yield _turns(np.arange(64) / 128)
    for length in (config.long, config.short):
        yield _turns(np.array([*_lower_bins(length // 2), 0]) / length)

    for branch, bins in (("short", config.short_bins), ("long", config.long_bins)):
        layer = getattr(encoder, branch)
        yield np.log(2) * _present(config, branch) * _exact(layer.weight).T[_bin_order(bins)]
    yield np.concatenate(
        [_present(config, branch) * _exact(getattr(encoder, branch).bias) for branch in ("short", "long")]
    )

    maps = (memory.damping, memory.write_in, memory.write, memory.read)
    weight = np.concatenate([_exact(layer.weight) for layer in maps])
    yield (weight * _exact(encoder.norm.weight)).T
    yield np.concatenate([_exact(layer.bias) for layer in maps]) + weight @ _exact(encoder.norm.bias)
    yield _exact(memory.log_rate) - np.log(config.token_rate)
    theta = _exact(memory.theta())
    yield _angles(np.outer(np.arange(1, TURN + 1), theta))
    yield _angles(-TURN * theta)

    heard = float(config.memory)  # 0 where the readout gets nothing from the memory
    yield heard * np.concatenate([_exact(encoder.mix.weight), _exact(encoder.gate.weight)]).T
    yield np.concatenate([_exact(encoder.mix.bias), _exact(encoder.gate.bias)])


def _lower_bins(half: int) -> list[int]:
    """The lower bin of each pair (k, half - k), in the order in which the FFT's groups meet."""
    step = half // 8  # from one frequency of an eight to the next
    groups = step // 8
    alone = [step * q for q in (1, 2, 3)]
    first = [groups * q for q in (1, 2, 3)]
    middle = [step // 2 + step * q for q in range(4)]
    rest = [g + groups * q for g in range(1, groups // 2) for q in range(8)] + [
        groups // 2 + groups * q for q in range(4)
    ]

    def meet(eights: list[int]) -> list[int]:
        return [k + step * q for i in eights for q in range(4) for k in (i, step - i)]

    return [*alone, *meet(first), *middle, *meet(rest)]


def _bin_order(bins: int) -> list[int]:
    """Of the magnitudes: bins without a pair among the first, then the pairs."""
    half = bins - 1
    pairs = [bin for k in _lower_bins(half) for bin in (k, half - k)]
    return [0, half, *pairs[:6], half // 2, *pairs[6:]]


def _present(config: ModelConfig, branch: str) -> float:
    """Zero for a branch that the network does without."""
    return float(config.branches in ("both", branch))


def _turns(share: Exact) -> Exact:
    """exp(-2 pi i share), real and imaginary parts last."""
    return np.stack([np.cos(2 * np.pi * share), -np.sin(2 * np.pi * share)], axis=-1)


def _angles(angle: Exact) -> Exact:
    """exp(i angle), first all real and then all imaginary parts."""
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


def _exact(tensor: Tensor) -> Exact:
    return np.asarray(tensor.detach().to("cpu", torch.float64).numpy())
