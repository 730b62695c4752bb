"""Windows to logits by the fastest way there is: the compiled kernel, a GPU's recorded passes, or plain PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

import numpy as np
import torch

from dualres.fit import fits_together
from dualres.kernel.pack import Floats
from dualres.kernel.score import Kernel
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples

WINDOWS_AT_ONCE = 16  # by PyTorch: their activations fit into a CPU's caches

Scorer = Callable[[Samples], Floats]  # raw windows (n, window) at the model's rate to logits (n, classes)


def scorer(network: DualRes) -> Scorer:
    """The network as it is now, ready to score. Windows may be read-only views into one signal."""
    kernel = Kernel.of(network)
    if kernel is not None:
        return kernel.logits
    on_gpu = fits_together(network.config, network.head.weight.device.type)
    return partial(_by_graphs if on_gpu else _by_torch, network)


@torch.inference_mode()
def _by_torch(network: DualRes, windows: Samples) -> Floats:
    device = network.head.weight.device
    parts = [np.empty((0, network.head.out_features), np.float32)]
    for i in range(0, len(windows), WINDOWS_AT_ONCE):
        parts.append(network(torch.from_numpy(np.array(windows[i : i + WINDOWS_AT_ONCE])).to(device)).cpu().numpy())
    return np.concatenate(parts)


def _by_graphs(network: DualRes, windows: Samples) -> Floats:
    count, length = windows.shape
    if not count:
        return np.empty((0, network.head.out_features), np.float32)
    graphs = import_module("dualres.gpu.score").scorer(network)
    if count == 1:
        return np.asarray(graphs.window(windows[0]))[None]
    step = windows.strides[0] // windows.itemsize
    if windows.strides[1] == windows.itemsize and 0 < step < length:  # views into one signal: it is sent once
        signal = np.lib.stride_tricks.as_strided(windows, ((count - 1) * step + length,), windows.strides[1:])
    else:
        signal, step = windows.reshape(-1), length
    starts = range(0, count * step, step)
    return np.asarray(graphs.logits(np.array(signal), starts).cpu().numpy())
