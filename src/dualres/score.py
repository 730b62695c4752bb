"""A signal's windows to logits, by the fastest way there is: the compiled kernel, a GPU's graphs, or PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from dualres.kernel.pack import Floats
from dualres.kernel.score import Kernel
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples
from dualres.recordings.windows import every_window

WINDOWS_AT_ONCE = 16  # by PyTorch: their activations fit into a CPU's caches

Scorer = Callable[[Samples], Floats]


def scorer(network: DualRes) -> Scorer:
    """A function from a signal at the model's rate to the logits of its half-overlapping windows, (windows, classes).

    The network is taken as it is now.
    """
    kernel = Kernel.of(network)
    if kernel is not None:
        return lambda signal: kernel.logits(every_window(signal, network.config.window))
    return lambda signal: _by_torch(network, every_window(signal, network.config.window))


@torch.inference_mode()
def _by_torch(network: DualRes, windows: Samples) -> Floats:
    device = network.head.weight.device
    parts = [
        network(torch.from_numpy(np.array(windows[i : i + WINDOWS_AT_ONCE])).to(device)).cpu().numpy()
        for i in range(0, len(windows), WINDOWS_AT_ONCE)
    ]
    return np.concatenate(parts)
