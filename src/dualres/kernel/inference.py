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

ADDRESS = ctypes.c_void_p
Entry = tuple[Callable[..., Any], int]  # a function that scores windows, and the floats of working memory it wants


class _Model(ctypes.Structure):
    """`dualres_model` of dualres_kernel.h and `dualres_views_model` of views.h. It keeps the arrays it points at."""

    _fields_ = (("constants", ctypes.c_void_p), ("head", ctypes.c_void_p), ("classes", ctypes.c_int))

    def __init__(self, constants: Floats, head: Floats, classes: int) -> None:
        super().__init__(constants.ctypes.data, head.ctypes.data, classes)
        self._held = constants, head


class Scoring:
    """Packed weights, ready to score windows of `window` samples on the CPU."""

    def __init__(self, constants: Floats, head: Floats, classes: int, window: int) -> None:
        self._constants, self._head, self._classes, self._window = constants, head, classes, window

    def _score(self, entry: Entry | None, windows: Floats, together: int) -> Floats:
        """Raw windows (n, window) to (n, classes), at most `together` of those that half overlap in a call."""
        count, samples = windows.shape
        if samples != self._window:
            raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {self._window})")
        half_overlapping = windows.dtype == np.float32 and windows.strides == (2 * samples, 4)  # bytes
        if not (half_overlapping and windows.flags.aligned):
            half_overlapping, windows = False, np.require(windows, np.float32, ["C", "A"])
        if entry is None:
            raise ConfigError("there is no compiled kernel here, or it is switched off; score by NumPy")
        score, scratch = entry
        logits = np.empty((count, self._classes), dtype=np.float32)
        at_once = together if half_overlapping else 1
        model = _Model(self._constants, self._head, self._classes)

        def go(first: int) -> None:
            own, last = room(scratch), min(first + at_once, count)
            read = windows.ctypes.data + first * windows.strides[0]
            write = logits.ctypes.data + first * logits.strides[0]
            score(ctypes.byref(model), read, last - first, write, own.ctypes.data)

        starts = range(0, count, at_once)
        share_out(go, starts, min(thread_count(), len(starts)))
        return logits


class Kernel(Scoring):
    """A network as it was when this was made, ready to score windows on the CPU."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(*packed(weights), weights.classes, weights.config.window)

    def logits(self, windows: Floats) -> Floats:
        """Raw float32 windows (n, window) at the model's rate to (n, classes).

        Rows may be views into one signal: where each begins half a window after the one before, they share work.
        """
        return self._score(_entry(variant()), windows, TOGETHER)


def serves(config: ModelConfig) -> bool:
    """Whether the compiled library is in use, and made for networks of these sizes."""
    return fits(config) and _entry(variant()) is not None


def entry_named(windows: str, scratch: str) -> Entry | None:
    """Functions of the variant in use that score windows, and that say how many bytes of working memory they want."""
    score = function(windows, [ADDRESS, ADDRESS, ctypes.c_size_t, ADDRESS, ADDRESS])
    wanted = function(scratch, [], ctypes.c_size_t)
    return None if score is None or wanted is None else (score, -(-int(wanted()) // 4))


@cache
def _entry(chosen: str | None) -> Entry | None:
    """Of the paper's network, in the variant in use; None where there is none."""
    return entry_named("dualres_windows", "dualres_scratch")
