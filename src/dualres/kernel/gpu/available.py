"""Whether the fused kernels serve a network on a device; asked without loading Triton."""

from __future__ import annotations

from dualres.config import ModelConfig
from dualres.kernel.gpu.triton_setting import triton_usable


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
