"""Windows to logits by the compiled kernel."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from threading import local
from typing import Any, Self

import numpy as np
import torch

from dualres.errors import ConfigError
from dualres.kernel.compiled import function, variant
from dualres.kernel.pack import Floats, fits, packed
from dualres.kernel.threads import pool
from dualres.model.network import DualRes

# Half-overlapping windows that are scored in one call, and share their frames. Fixed, so that neither the number of
# threads nor the way a recording is read changes a bit of the result.
TOGETHER = 16


class _Model(ctypes.Structure):
    """`dualres_model` of dualres_kernel.h."""

    _fields_ = (("constants", ctypes.c_void_p), ("head", ctypes.c_void_p), ("classes", ctypes.c_int))


class Kernel:
    """A network as it was when this was made, ready to score windows on the CPU."""

    def __init__(self, network: DualRes) -> None:
        self._constants, self._head = packed(network)
        self._classes, self._window = network.head.out_features, network.config.window

    @classmethod
    def of(cls, network: DualRes) -> Self | None:
        """None where PyTorch has to do it: no compiled library, other sizes than the paper's, or not on the CPU."""
        weight = network.head.weight
        if (
            variant() is None
            or not fits(network.config)
            or weight.device.type != "cpu"
            or weight.dtype != torch.float32
        ):
            return None
        return cls(network)

    def logits(self, windows: Floats) -> Floats:
        """Raw float32 windows (n, window) at the model's rate to (n, classes).

        Rows may be views into one signal: where each begins half a window after the one before, they share work.
        """
        count, samples = windows.shape
        if samples != self._window:
            raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {self._window})")
        half_overlapping = windows.dtype == np.float32 and windows.strides == (2 * samples, 4)  # bytes
        if not half_overlapping:
            windows = np.ascontiguousarray(windows, dtype=np.float32)
        logits = np.empty((count, self._classes), dtype=np.float32)
        at_once = TOGETHER if half_overlapping else 1
        starts = range(0, count, at_once)
        threads = min(torch.get_num_threads(), len(starts))
        score, scratch = _entry(variant())
        model = _Model(self._constants.ctypes.data, self._head.ctypes.data, self._classes)
        read, write = windows.ctypes.data, logits.ctypes.data

        def go(share: range) -> None:
            room = _room(scratch)
            for i in share:
                window, logit = read + i * windows.strides[0], write + i * logits.strides[0]
                score(ctypes.byref(model), window, min(at_once, count - i), logit, room)

        if threads <= 1:
            go(starts)
        else:
            list(pool(threads).map(go, [starts[i::threads] for i in range(threads)]))
        return logits


@cache
def _entry(chosen: str | None) -> tuple[Callable[..., Any], int]:
    """`dualres_windows` of that variant, and the bytes of working memory it wants."""
    address = ctypes.c_void_p
    score = function("dualres_windows", [address, address, ctypes.c_size_t, address, address])
    scratch = function("dualres_scratch", [], ctypes.c_size_t)
    if score is None or scratch is None:
        raise ConfigError("there is no compiled kernel here, or it is switched off; score by PyTorch")
    return score, int(scratch())


_own = local()


def _room(size: int) -> int:
    """The address of so many bytes that this thread has for itself; fresh memory would cost a tenth of a window."""
    if len(getattr(_own, "room", b"")) < size:
        _own.room = np.empty(size, dtype=np.uint8)
    return int(_own.room.ctypes.data)
