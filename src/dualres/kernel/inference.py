"""Windows to logits by the compiled kernel."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.kernel.compiled import address, function, variant
from dualres.kernel.pack import fits, packed
from dualres.kernel.threads import room, share_out, thread_count
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Floats

# Half-overlapping windows that are scored in one call at most, and share their frames. How many they are changes no bit
# of the result: more share more, and fewer keep all threads busy until the end.
TOGETHER = 16

ADDRESS = ctypes.c_void_p
EntryPoint = tuple[Callable[..., Any], int]  # a function that scores windows, and the floats of working memory it wants


class _Model(ctypes.Structure):
    """`dualres_model` of dualres_kernel.h and `dualres_views_model` of views.h. It keeps the arrays it points at."""

    _fields_ = (("constants", ctypes.c_void_p), ("head", ctypes.c_void_p), ("classes", ctypes.c_int))

    def __init__(self, constants: Floats, head: Floats, classes: int) -> None:
        super().__init__(constants.ctypes.data, head.ctypes.data, classes)
        self._held = constants, head

    def __reduce__(self) -> tuple[Any, ...]:
        return _Model, (*self._held, self.classes)  # addresses are of no use elsewhere


class Kernel:
    """A network as it was when this was made, ready to score windows on the CPU."""

    names = ("dualres_windows", "dualres_scratch")  # of the functions that score, and that want working memory

    def __init__(self, weights: NetworkWeights) -> None:
        self._model = _Model(*self.pack(weights), weights.classes)
        self._classes, self._window = weights.classes, weights.config.window

    @staticmethod
    def pack(weights: Any) -> tuple[Floats, Floats]:
        """The constants and the head, as the functions take them."""
        return packed(weights)

    @classmethod
    def entry(cls) -> EntryPoint | None:
        """The functions in the variant in use; None where there is none."""
        return _entry(cls.names, variant())

    @classmethod
    def serves(cls, config: ModelConfig) -> bool:
        """Whether the compiled library is in use, and made for networks of these sizes."""
        return fits(config) and cls.entry() is not None

    def logits(self, windows: Floats) -> Floats:
        """Raw float32 windows (n, window) at the model's rate to (n, classes), the same to the last bit, whatever else
        is scored. Rows that are views into one signal, half a window apart, share work, at most `TOGETHER` of them."""
        score, scratch = self.entry() or none_here()
        logits = np.empty((len(windows), self._classes), dtype=np.float32)
        model = self._model

        def go(read: int, first: int, last: int, own: int) -> None:
            score(ctypes.byref(model), read, last - first, address(logits) + first * logits.strides[0], own)

        in_pieces(windows, self._window, scratch, go)
        return logits


def in_pieces(
    windows: Floats, samples: int, scratch: int, go: Callable[[int, int, int, int], object], *, together: int = TOGETHER
) -> None:
    """`go(read, first, last, own)` for windows (n, samples) from number `first` up to `last`, piece by piece, by all
    threads: they lie at the address `read`, half-overlapping where there are several, at most `together` of them, and
    `own` has room for `scratch` floats."""
    if windows.ndim != 2 or windows.shape[1] != samples:
        raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {samples})")
    readable = windows.dtype == np.float32 and windows.flags.aligned
    half_overlapping = readable and windows.strides == (2 * samples, 4)  # bytes
    if not (half_overlapping or (readable and windows.flags.c_contiguous)):
        windows = np.require(windows, np.float32, ["C", "A"])
    count, threads = len(windows), thread_count()
    pieces = pieces_of(count, together if half_overlapping else 1, threads)

    def run(piece: int) -> None:
        own, first, last = room(scratch), piece * count // pieces, (piece + 1) * count // pieces
        go(windows.ctypes.data + first * windows.strides[0], first, last, address(own))

    share_out(run, range(pieces), min(threads, pieces))


def pieces_of(count: int, most: int, threads: int) -> int:
    """Into how many pieces of `most` windows or fewer `count` windows are cut, so that all threads get as many."""
    return min(count, -(-count // (most * threads)) * threads)


def none_here() -> NoReturn:
    """Where a kernel is asked for what it cannot do."""
    raise ConfigError("there is no compiled kernel here, or it is switched off; score by NumPy")


@cache
def _entry(names: tuple[str, str], chosen: str | None) -> EntryPoint | None:
    """By the names of a function that scores windows, and of one that gives its working memory, of variant `chosen`."""
    score = function(names[0], [ADDRESS, ADDRESS, ctypes.c_size_t, ADDRESS, ADDRESS])
    wanted = function(names[1], [], ctypes.c_size_t)
    return None if score is None or wanted is None else (score, -(-int(wanted()) // 4))
