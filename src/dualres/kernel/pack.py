"""A network's weights and the tables of its FFTs as the kernel wants them: one run of floats, and memory for it."""

from collections.abc import Iterable, Iterator

import numpy as np

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.kernel.compiled import aligned
from dualres.model.weights import MAPS, Weights
from dualres.utils.arrays import Exact, Floats, Reals

TURN = 16  # tokens after which the memory's rotating coordinates begin anew, as in dualres_kernel.h
SIZES = ("rate", "window", "hop", "short", "long", "width", "states")  # the kernel is compiled for the paper's


def fits(config: ModelConfig) -> bool:
    """Whether the kernel is made for networks of this shape."""
    paper = ModelConfig()
    return all(getattr(config, size) == getattr(paper, size) for size in SIZES)


def in_one_run(parts: Iterable[Reals]) -> Floats:
    """All numbers one after the other, where vectors read them fastest."""
    flat = [part.ravel() for part in parts]
    run = aligned(sum(map(len, flat)))
    np.concatenate(flat, out=run, casting="same_kind")
    return run


def packed(weights: Weights) -> tuple[Floats, Floats]:
    """The kernel's constants, in the order of `dualres_constants`, and its head: (classes, width), then biases."""
    head = [weights.arrays["head.weight"].ravel(), weights.arrays["head.bias"]]
    return in_one_run(_constants(weights)), np.concatenate(head)


def fft_tables(config: ModelConfig) -> Iterator[Exact]:
    """`dualres_tables`, piece by piece."""
    for length in (config.long, config.short):
        yield 0.5 * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length))
    for length, count in ((512, 64), (64, 8)):
        yield turns(np.outer(np.arange(count), np.arange(1, 8)) / length)
    yield turns(np.arange(64) / 128)
    for length in (config.long, config.short):
        yield turns(np.array([*_lower_bins(length // 2), 0]) / length)


def bands(config: ModelConfig) -> Iterator[Exact]:
    """`dualres_bands`: where the bins lie in which the strength of sound is followed, and the edges between bands."""
    edges = np.array(VIEW_SIZES.band_edges)
    yield np.argsort(bin_order(config.short_bins))[edges[0] : edges[-1]].astype(np.float64)
    yield (edges - edges[0]).astype(np.float64)


def _constants(weights: Weights) -> Iterator[Exact]:
    config, exact = weights.config, weights.exact
    yield from fft_tables(config)
    for branch, bins in (("short", config.short_bins), ("long", config.long_bins)):
        yield np.log(2) * _of_branch(weights, branch, "weight").T[bin_order(bins)]
    yield np.concatenate([_of_branch(weights, branch, "bias") for branch in ("short", "long")])
    weight, bias = (np.concatenate([exact(f"encoder.memory.{m}.{kind}") for m in MAPS]) for kind in ("weight", "bias"))
    yield (weight * exact("encoder.norm.weight")).T
    yield bias + weight @ exact("encoder.norm.bias")
    yield exact("encoder.memory.log_rate") - np.log(config.token_rate)
    theta = weights.theta()
    yield _angles(np.outer(np.arange(1, TURN + 1), theta))
    yield _angles(-TURN * theta)
    readout = np.concatenate([exact("encoder.mix.weight"), exact("encoder.gate.weight")]).T
    yield readout if config.memory else np.zeros_like(readout)
    yield np.concatenate([exact("encoder.mix.bias"), exact("encoder.gate.bias")])


def _lower_bins(half: int) -> list[int]:
    """The lower bin of each pair (k, half - k), in the order in which the FFT's groups meet."""
    step = half // 8  # from one frequency of an eight to the next
    groups = step // 8
    alone = [step * q for q in (1, 2, 3)]
    first = [groups * q for q in (1, 2, 3)]
    middle = [step // 2 + step * q for q in range(4)]
    rest = [g + groups * q for g in range(1, groups // 2) for q in range(8)]
    rest += [groups // 2 + groups * q for q in range(4)]

    def meet(eights: list[int]) -> list[int]:
        return [k + step * q for i in eights for q in range(4) for k in (i, step - i)]

    return [*alone, *meet(first), *middle, *meet(rest)]


def bin_order(bins: int) -> list[int]:
    """Of the magnitudes: bins without a pair among the first, then the pairs."""
    half = bins - 1
    pairs = [bin for k in _lower_bins(half) for bin in (k, half - k)]
    return [0, half, *pairs[:6], half // 2, *pairs[6:]]


def _of_branch(weights: Weights, branch: str, kind: str) -> Exact:
    """Weight or bias of one view's projection; zeros where the network does without the view, whatever they hold."""
    values = weights.exact(f"encoder.{branch}.{kind}")
    return values if weights.config.branches in ("both", branch) else np.zeros_like(values)


def turns(share: Exact) -> Exact:
    """exp(-2 pi i share), real and imaginary parts last."""
    return np.stack([np.cos(2 * np.pi * share), -np.sin(2 * np.pi * share)], axis=-1)


def _angles(angle: Exact) -> Exact:
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)
