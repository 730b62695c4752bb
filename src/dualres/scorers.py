"""Windows to logits by the fastest way there is: the compiled kernel, a GPU's recorded passes, or plain PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from weakref import WeakKeyDictionary

import numpy as np
import torch

from dualres.errors import ConfigError
from dualres.gpu.available import available
from dualres.kernel.compiled import variant
from dualres.kernel.inference import Kernel
from dualres.kernel.pack import Floats
from dualres.machinery.cuda_graphs import full_precision
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples

WINDOWS_AT_ONCE = 16  # by PyTorch: their activations fit into a CPU's caches

Scorer = Callable[[Samples], Floats]  # raw windows (n, window) at the model's rate to logits (n, classes)


def scorer(network: DualRes) -> Scorer:
    """The network as it is now, ready to score, without jitter and dropout. Windows may be read-only views."""
    weight, kernel = network.head.weight, _kernel(network)
    if kernel is not None:
        way: Scorer = kernel.logits
    elif weight.dtype == torch.float32 and available(network.config, weight.device.type):
        way = partial(_by_graphs, network)
    else:
        way = partial(_by_torch, network)
    return partial(_score, way, network.config.window)


def _score(way: Scorer, window: int, windows: Samples) -> Floats:
    if windows.ndim != 2 or windows.shape[1] != window:
        raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {window})")
    return way(windows.astype(np.float32, copy=False))


def _kernel(network: DualRes) -> Kernel | None:
    """The network's kernel, made at the first call and again when its parameters have changed since."""
    stamp = (variant(), network.stamp())
    known = _kernels.get(network)
    if known is None or known[0] != stamp:
        known = _kernels[network] = (stamp, Kernel.of(network))
    return known[1]


_kernels: WeakKeyDictionary[DualRes, tuple[object, Kernel | None]] = WeakKeyDictionary()


@torch.inference_mode()
def _by_torch(network: DualRes, windows: Samples) -> Floats:
    weight, training = network.head.weight, network.training
    network.eval()
    parts = [np.empty((0, network.head.out_features), np.float32)]
    for i in range(0, len(windows), WINDOWS_AT_ONCE):
        some = torch.from_numpy(np.array(windows[i : i + WINDOWS_AT_ONCE])).to(weight)
        parts.append(network(some).float().cpu().numpy())
    network.train(training)
    return np.concatenate(parts)


@full_precision()
def _by_graphs(network: DualRes, windows: Samples) -> Floats:
    count, length = windows.shape
    if not count:
        return np.empty((0, network.head.out_features), np.float32)
    graphs = import_module("dualres.gpu.graphs").scorer(network)
    if count == 1:
        return np.asarray(graphs.window(windows[0]))[None]
    step = windows.strides[0] // windows.itemsize
    if windows.strides[1] == windows.itemsize and 0 < step < length:  # views into one signal: it is sent once
        signal = np.lib.stride_tricks.as_strided(windows, ((count - 1) * step + length,), windows.strides[1:])
    else:
        signal, step = windows.reshape(-1), length
    starts = range(0, count * step, step)
    sent = signal if signal.flags.writeable else signal.copy()  # PyTorch takes nothing that is read-only
    return np.asarray(graphs.logits(sent, starts).cpu().numpy())
