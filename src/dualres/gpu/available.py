"""Whether the GPU code can be used; asking imports nothing of it where it cannot."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from dualres.config import ModelConfig


@cache
def available(config: ModelConfig, device: str) -> bool:
    """Whether the kernels take networks of these sizes on that device."""
    if not device.startswith("cuda") or find_spec("triton") is None:
        return False
    from dualres.gpu.passes import fits_the_kernels

    return fits_the_kernels(config)
