"""Networks filled by the specification's rule; `python -m tests.bench.methods.golden NAME [WINDOW]` prints logits."""

import argparse
import math

import numpy as np
import torch
from torch import Tensor, nn

from dualres.bench.methods import NAMES, method
from dualres.bench.methods.mamba import Mamba
from dualres.bench.methods.neural import WINDOW, Network
from dualres.model.check import check_window, hash_uniform
from tests.model.golden import golden_network

CLASSES = 8


def numbered(network: Network) -> list[Tensor]:
    """The tensors that the specification numbers, in its order; those of Crossformer's idle decoder are not."""
    return [tensor for name, tensor in network.named_parameters() if not name.startswith("decoder.")]


def filled(network: Network) -> Network:
    """Every tensor from the hash: maps by their fan-in, vectors small, gains around one, step biases around -3."""
    gains = {id(m.weight) for m in network.modules() if isinstance(m, nn.LayerNorm | nn.BatchNorm1d)}
    steps = {id(m.step.bias) for m in network.modules() if isinstance(m, Mamba)}
    with torch.no_grad():
        for position, tensor in enumerate(numbered(network)):
            u = torch.from_numpy(hash_uniform(tensor.numel(), position)).reshape(tensor.shape)
            scale = 1 / math.sqrt(math.prod(tensor.shape[1:])) if tensor.ndim > 1 else 0.1
            tensor.copy_(scale * u + (id(tensor) in gains) - 3 * (id(tensor) in steps))
    return network.eval()


def golden_windows() -> Tensor:
    """Both windows of the specification, (2, window); they are given as they are, not normalised."""
    return torch.from_numpy(np.stack([check_window(number, WINDOW) for number in (0, 1)]))


def golden_images() -> Tensor:
    """The images that TSCMamba takes with the two windows, (2, 64, 64); the second is the first transposed."""
    p = torch.arange(64.0, dtype=torch.float64)
    image = 0.5 + 0.5 * torch.sin(0.3 * p)[:, None] * torch.cos(0.2 * p)
    return torch.stack([image, image.T]).float()


def logits(name: str, window: int) -> list[float]:
    """The eight scores of the filled network for one of the two windows.

    MiniRocket has no weights to fill: it is fitted, on two windows per class that a formula gives, and its decision
    values are returned.
    """
    chosen = golden_windows()[window : window + 1]
    if name == "dualres":
        return _logits(golden_network(), chosen)
    if name == "minirocket":
        fitted = method(name).fit(*formula_support(), CLASSES, seed=41)
        return fitted.scores(chosen.numpy())[0].tolist()
    network = filled(method(name).build(CLASSES, None))
    images = (golden_images()[window : window + 1],) if name == "tscmamba" else ()
    return _logits(network, chosen, *images, *network.draws(2))


def formula_support() -> tuple[np.ndarray, np.ndarray]:
    """Sixteen windows: class c is noise with a sine of 500 (c + 1) Hz at the rate of 64 kHz."""
    labels = np.arange(2 * CLASSES) % CLASSES
    t = np.arange(WINDOW) / 64_000
    tones = np.sin(2 * np.pi * 500 * (labels[:, None] + 1) * t)
    noise = np.stack([hash_uniform(WINDOW, stream) for stream in range(len(labels))])
    return (tones + noise).astype(np.float32), labels


@torch.no_grad()
def _logits(network: nn.Module, *inputs: Tensor) -> list[float]:
    return network(*inputs)[0].tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("window", type=int, choices=(0, 1), nargs="?", default=0)
    arguments = parser.parse_args()
    print(" ".join(f"{value:.5f}" for value in logits(arguments.name, arguments.window)))


if __name__ == "__main__":
    main()
