"""Whether the fused kernels serve a network on a device; asked without loading Triton."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from dualres.config import ModelConfig


@cache
def available(config: ModelConfig, device: str) -> bool:
    """Whether there is a GPU path there for networks of these sizes."""
    if not device.startswith("cuda") or find_spec("triton") is None:
        return False
    from dualres.gpu.passes import fits_the_kernels

    return fits_the_kernels(config)
