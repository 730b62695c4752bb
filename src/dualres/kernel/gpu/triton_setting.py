"""Whether this package's kernels for GPUs are used: where Triton is installed, unless they are switched off."""

import os
from functools import cache
from importlib.util import find_spec

SETTING = "DUALRES_TRITON"  # the environment variable that switches them off, as DUALRES_KERNEL does those of a CPU
OFF = "off"


def triton_usable() -> bool:
    """Without them PyTorch computes the same, with the kernels that it brings along."""
    return os.environ.get(SETTING) != OFF and _installed()


@cache
def _installed() -> bool:
    return find_spec("triton") is not None
