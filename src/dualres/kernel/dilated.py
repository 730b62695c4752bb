"""Calls to dilated.c: features of MultiRocket and of Hydra, the work shared out among threads."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from dualres.kernel.compiled import function
from dualres.kernel.rocket import KERNELS, TAPS, Int32s
from dualres.kernel.threads import share_out, thread_count
from dualres.utils.arrays import Floats

KINDS = 4  # features of MultiRocket at each level
HYDRA_KERNELS = 256  # of a dilation
MOST_LEVELS, MOST_SAMPLES = 128, 1 << 16  # as dilated.c has them; the sum of all places is an int32

_ADDRESS, _COUNT = ctypes.c_void_p, ctypes.c_int64


def available() -> bool:
    """Whether the library is there, and has these."""
    return _hydra() is not None and _multirocket() is not None


def multirocket(signals: Floats, dilations: Int32s, counts: Int32s, levels: Floats, *, late: bool) -> Floats:
    """Of float32 signals (n, samples) without gaps, (n, KINDS, features): dilation by dilation, then kernel, then
    level. `late`: taps before the middle are a sample late."""
    number, begins = len(dilations), np.cumsum([0, *(KERNELS * counts)]).tolist()
    _check(signals, dilations.tolist())
    if (TAPS - 1) * int(dilations.max()) >= signals.shape[1]:
        raise ValueError(f"dilations up to {dilations.max()} leave no response of {signals.shape[1]} samples")
    if len(counts) != number or levels.shape != (begins[-1],) or not 1 <= counts.min() <= counts.max() <= MOST_LEVELS:
        raise ValueError(f"levels are {levels.shape} for {counts.tolist()} of a kernel")
    call = _multirocket()
    assert call is not None, "`available` said so"
    levels = np.require(levels, np.float32, ["C", "A"])
    out = np.empty((len(signals), KINDS, begins[-1]), np.float32)

    def work(piece: int) -> None:
        window, dilation = divmod(piece, number)
        begin = 4 * begins[dilation]  # bytes
        read, write = (array.ctypes.data + window * array.strides[0] for array in (signals, out))
        wanted = levels.ctypes.data + begin, int(counts[dilation])
        call(read, signals.shape[1], int(dilations[dilation]), dilation, late, *wanted, write + begin, begins[-1])

    share_out(work, range(len(signals) * number), thread_count())
    return out


def hydra(signals: Floats, dilations: list[int], kernels: Floats) -> Floats:
    """Of float32 signals (n, samples) without gaps and kernels (dilations, HYDRA_KERNELS, TAPS), (n, dilations,
    2 * HYDRA_KERNELS): sums of the responses that are their group's largest, then counts of the smallest."""
    number = len(dilations)
    _check(signals, dilations)
    if kernels.shape != (number, HYDRA_KERNELS, TAPS):
        raise ValueError(f"kernels are {kernels.shape} for {number} dilations")
    call = _hydra()
    assert call is not None, "`available` said so"
    kernels = np.require(kernels, np.float32, ["C", "A"])
    out = np.empty((len(signals), number, 2 * HYDRA_KERNELS), np.float32)

    def work(piece: int) -> None:
        window, dilation = divmod(piece, number)
        read, weights = signals.ctypes.data + window * signals.strides[0], kernels.ctypes.data
        write = out.ctypes.data + window * out.strides[0] + dilation * out.strides[1]
        call(read, signals.shape[1], dilations[dilation], weights + dilation * kernels.strides[0], write)

    share_out(work, range(len(signals) * number), thread_count())
    return out


def _check(signals: Floats, dilations: list[int]) -> None:
    """An error for what the library would misread."""
    if signals.dtype != np.float32 or not signals.flags.c_contiguous or not signals.flags.aligned:
        raise ValueError(f"signals are {signals.dtype} with strides {signals.strides}, not float32 without gaps")
    if signals.ndim != 2 or signals.shape[1] > MOST_SAMPLES or min(dilations) < 1:
        raise ValueError(f"there are no features of signals {signals.shape} at dilations {dilations}")


def _multirocket() -> Callable[..., Any] | None:
    kinds = [_ADDRESS, _COUNT, _COUNT, _COUNT, _COUNT, _ADDRESS, _COUNT, _ADDRESS, _COUNT]
    return function("dualres_multirocket", kinds)


def _hydra() -> Callable[..., Any] | None:
    return function("dualres_hydra", [_ADDRESS, _COUNT, _COUNT, _ADDRESS, _ADDRESS])
