"""The one order of the memory's four maps, wherever they are one product: in C, in Triton and in ONNX.

`DUALRES_MAPS` of dualres_kernel.h, `parameter_places` of training.h and `gpu/memory_triton.py` count on it. Another
order would round sums over the maps in another way, and so change fitted weights.
"""

from __future__ import annotations

MAPS = ("damping", "write_in", "write", "read")  # attributes of `OscillatoryMemory`; vectors have real parts first
