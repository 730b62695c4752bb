"""Windows to logits by the compiled kernel."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.kernel.compiled import function, variant
from dualres.kernel.pack import Floats, Weights, fits, packed
from dualres.kernel.threads import room, share_out, thread_count

# Half-overlapping windows that are scored in one call, and share their frames. Fixed, so that neither the number of
# threads nor the way a recording is read changes a bit of the result.
TOGETHER = 16


class _Model(ctypes.Structure):
    """`dualres_model` of dualres_kernel.h. It keeps the arrays it points at."""

    _fields_ = (("constants", ctypes.c_void_p), ("head", ctypes.c_void_p), ("classes", ctypes.c_int))

    def __init__(self, constants: Floats, head: Floats, classes: int) -> None:
        super().__init__(constants.ctypes.data, head.ctypes.data, classes)
        self._held = constants, head


class Kernel:
    """A network as it was when this was made, ready to score windows on the CPU."""

    def __init__(self, weights: Weights) -> None:
        self._constants, self._head = packed(weights)
        self._classes, self._window = weights.classes, weights.config.window

    def logits(self, windows: Floats) -> Floats:
        """Raw float32 windows (n, window) at the model's rate to (n, classes).

        Rows may be views into one signal: where each begins half a window after the one before, they share work.
        """
        count, samples = windows.shape
        if samples != self._window:
            raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {self._window})")
        half_overlapping = windows.dtype == np.float32 and windows.strides == (2 * samples, 4)  # bytes
        if not (half_overlapping and windows.flags.aligned):
            half_overlapping, windows = False, np.require(windows, np.float32, ["C", "A"])
        entry = _entry(variant())
        if entry is None:
            raise ConfigError("there is no compiled kernel here, or it is switched off; score by PyTorch")
        score, scratch = entry
        logits = np.empty((count, self._classes), dtype=np.float32)
        at_once = TOGETHER if half_overlapping else 1
        model = _Model(self._constants, self._head, self._classes)

        def go(first: int) -> None:
            own, last = room(scratch), min(first + at_once, count)
            read = windows.ctypes.data + first * windows.strides[0]
            write = logits.ctypes.data + first * logits.strides[0]
            score(ctypes.byref(model), read, last - first, write, own.ctypes.data)

        starts = range(0, count, at_once)
        share_out(go, starts, min(thread_count(), len(starts)))
        return logits


def serves(config: ModelConfig) -> bool:
    """Whether the compiled library is in use, and made for networks of these sizes."""
    return fits(config) and _entry(variant()) is not None


@cache
def _entry(chosen: str | None) -> tuple[Callable[..., Any], int] | None:
    """`dualres_windows` of the variant in use, and the floats of working memory it wants; None where there is none."""
    address = ctypes.c_void_p
    score = function("dualres_windows", [address, address, ctypes.c_size_t, address, address])
    scratch = function("dualres_scratch", [], ctypes.c_size_t)
    return None if score is None or scratch is None else (score, -(-int(scratch()) // 4))
