"""Whether the fused kernels serve a network on a device, and scoring by them; imported without loading Triton."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dualres.config import ModelConfig
from dualres.kernel.gpu.triton_setting import triton_usable
from dualres.utils.arrays import Floats

if TYPE_CHECKING:
    from dualres.model.network import DualRes


def available(config: ModelConfig, device: str) -> bool:
    """Whether there is a GPU path there for networks of these sizes."""
    return device.startswith("cuda") and triton_usable() and fits_the_kernels(config)


def fits_the_kernels(config: ModelConfig) -> bool:
    """Whether the kernels can do such a network.

    Tiles are powers of two and fit into a multiprocessor, windows begin where frames do, and nothing can be silenced.
    """
    sizes = (config.width, config.states, config.short, config.long)
    powers = all(size & (size - 1) == 0 for size in sizes)
    fits = 32 <= config.width <= 64 and 4 <= config.states <= 16
    return config.memory and powers and fits and config.window % config.hop == 0


class WindowScorer:
    """A network on a GPU, as it is at each call, by its recorded passes."""

    def __init__(self, network: DualRes) -> None:
        self._network = network

    @classmethod
    def serves(cls, config: ModelConfig) -> bool:
        """Whether the fused kernels can be used here, and serve networks of these sizes."""
        return available(config, "cuda")

    def logits(self, windows: Floats) -> Floats:
        """Raw float32 windows (n, window), which may be read-only views into one signal, to (n, classes)."""
        from dualres.kernel.gpu import graphs
        from dualres.kernel.gpu.cuda_graphs import full_precision

        count, length = windows.shape
        if not count:
            return np.empty((0, self._network.classes), np.float32)
        with full_precision():
            recorded = graphs.scorer(self._network)
            if count == 1:
                return np.asarray(recorded.window(windows[0]))[None]
            step = windows.strides[0] // windows.itemsize
            if windows.strides[1] == windows.itemsize and 0 < step < length:  # views into one signal: it is sent once
                signal = np.lib.stride_tricks.as_strided(windows, ((count - 1) * step + length,), windows.strides[1:])
            else:
                signal, step = windows.reshape(-1), length
            sent = signal if signal.flags.writeable else signal.copy()  # PyTorch takes nothing that is read-only
            return np.asarray(recorded.logits(sent, range(0, count * step, step)).cpu().numpy())
