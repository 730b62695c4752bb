"""Calls to rocket.c: features and responses of MiniRocket, the work shared out among threads."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.kernel.compiled import address, function
from dualres.kernel.threads import share_out, thread_count
from dualres.utils.arrays import Floats

TAPS, KERNELS = 9, 84  # as rocket.c has them
MOST_SAMPLES = 1 << 24  # that a float counts

Int32s = npt.NDArray[np.int32]

_ADDRESS, _COUNT, _TAP = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32


def available() -> bool:
    """Whether the library is there, and has this."""
    return _features() is not None


def features(signals: Floats, dilations: Int32s, counts: Int32s, levels: Floats) -> Floats:
    """What `features_ref` of dualres.bench.methods.rocket gives, to the last bit, for float32 arrays without gaps."""
    samples = _checked("signals", signals, signals.shape[0], signals.shape[1])
    begins = np.cumsum([0, *(KERNELS * counts)]).tolist()
    _checked("levels", levels, begins[-1])
    if dilations.shape != counts.shape or counts.min() < 1:
        raise ValueError(f"{len(dilations)} dilations came with {counts.tolist()} levels a kernel")
    if dilations.min() < 1 or (TAPS - 1) * int(dilations.max()) >= samples or samples >= MOST_SAMPLES:
        raise ValueError(f"dilations from {dilations.min()} to {dilations.max()} do not fit {samples} samples")
    call = _features()
    assert call is not None, "`available` said so"
    out = np.empty((len(signals), begins[-1]), np.float32)
    number = len(dilations)

    def work(piece: int) -> None:
        window, dilation = divmod(piece, number)
        begin = 4 * begins[dilation]  # bytes
        read, write = (array.ctypes.data + window * array.strides[0] for array in (signals, out))
        wanted = levels.ctypes.data + begin, int(counts[dilation])
        call(read, samples, int(dilations[dilation]), dilation, *wanted, write + begin)

    pieces = len(signals) * number
    share_out(work, range(pieces), min(thread_count(), pieces))
    return out


def response(signal: Floats, dilation: int, taps: tuple[int, int, int]) -> Floats:
    """What `response_ref` of dualres.bench.methods.rocket gives, to the last bit."""
    samples = _checked("signal", signal, len(signal))
    if not 0 <= min(taps) <= max(taps) < TAPS or dilation < 1:
        raise ValueError(f"there are {TAPS} taps, at least a sample apart: not {taps}, {dilation} samples apart")
    call = function("dualres_rocket_response", [_ADDRESS, _COUNT, _COUNT, _TAP, _TAP, _TAP, _ADDRESS])
    assert call is not None, "`available` said so"
    out = np.empty(samples, np.float32)
    call(signal.ctypes.data, samples, dilation, *taps, address(out))
    return out


def _checked(name: str, array: Floats, *shape: int) -> int:
    """The length of the last axis; an error for what the library would misread."""
    if array.shape != shape:
        raise ValueError(f"{name} is {array.shape}, not {shape}")
    if array.dtype != np.float32 or not array.flags.c_contiguous or not array.flags.aligned:
        raise ValueError(f"{name} is {array.dtype} with strides {array.strides}, not float32 without gaps")
    return shape[-1]


def _features() -> Callable[..., Any] | None:
    return function("dualres_rocket", [_ADDRESS, _COUNT, _COUNT, _COUNT, _ADDRESS, _COUNT, _ADDRESS])
