"""Calls to training.c: the encoder's forward and backward pass, its windows shared out among threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import Any

import torch
from torch import Tensor

from dualres.kernel.compiled import function, variant
from dualres.kernel.threads import room, share_out

# What a thread takes at once. The gradient is summed over such a slice, and then over the slices in their order, so
# that it does not depend on the number of threads.
SLICE = 4  # windows

_threads: ContextVar[int | None] = ContextVar("threads", default=None)  # None: as many as PyTorch's

_SIZES = ("tokens", "short_bins", "long_bins", "width", "states")
_INPUTS = ("short_view", "long_view", "log_damping", "parameters", "ahead")
_RESULTS = ("kept", "pooled", "d_pooled", "d_log_damping")


class Training(ctypes.Structure):
    """`dualres_training` of training.h: sizes, then where the buffers lie. It keeps the tensors alive."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in _SIZES),
        *((name, ctypes.c_void_p) for name in _INPUTS + _RESULTS),
    )

    def __init__(self, short: Tensor, long: Tensor, log_damping: Tensor, parameters: Tensor, ahead: Tensor) -> None:
        """Shapes as in training.h; float32 on the CPU."""
        (windows, tokens, short_bins), long_bins = short.shape, long.shape[-1]
        width, states = log_damping.shape[-1], ahead.shape[-1] // 2
        super().__init__(tokens, short_bins, long_bins, width, states)
        self._windows, self._parameters = windows, parameter_count(short_bins, long_bins, width, states)
        self._starts = range(0, windows, SLICE)
        self._held: dict[str, Tensor] = {}
        self._point_at("short_view", short, windows, tokens, short_bins)
        self._point_at("long_view", long, windows, tokens, long_bins)
        self._point_at("log_damping", log_damping, windows, width)
        self._point_at("parameters", parameters, self._parameters)
        self._point_at("ahead", ahead, tokens, 2 * states)

    def forward(self) -> tuple[Tensor, Tensor]:
        """The mean over tokens, (windows, width), and what `backward` needs."""
        pooled = self._point_at("pooled", _empty(self._windows, self.width), self._windows, self.width)
        size = _call("dualres_encoder_kept", self)
        kept = self._point_at("kept", _empty(self._windows, size), self._windows, size)
        self._share_out(lambda first, last, scratch: _call("dualres_encoder_forward", self, first, last, scratch))
        return pooled, kept

    def backward(self, kept: Tensor, d_pooled: Tensor) -> tuple[Tensor, Tensor]:
        """The derivatives by the parameters, in their order, and by the logarithm of the damping."""
        d_log_damping = _empty(self._windows, self.width)
        gradients = _empty(len(self._starts), self._parameters)
        self._point_at("kept", kept, self._windows, _call("dualres_encoder_kept", self))
        self._point_at("d_pooled", d_pooled, self._windows, self.width)
        self._point_at("d_log_damping", d_log_damping, self._windows, self.width)

        def slice_backward(first: int, last: int, scratch: int) -> None:
            _call("dualres_encoder_backward", self, first, last, gradients[first // SLICE].data_ptr(), scratch)

        self._share_out(slice_backward)
        # By NumPy, which adds row by row whatever the number of threads.
        return torch.from_numpy(gradients.numpy().sum(axis=0)), d_log_damping

    def _point_at(self, name: str, buffer: Tensor, *shape: int) -> Tensor:
        if buffer.shape != shape:
            raise ValueError(f"{name} is {tuple(buffer.shape)}, not {shape}")
        if buffer.dtype != torch.float32 or not buffer.is_contiguous():
            raise ValueError(f"{name} is {buffer.dtype} with strides {buffer.stride()}, not float32 without gaps")
        setattr(self, name, buffer.data_ptr())
        self._held[name] = buffer
        return buffer

    def _share_out(self, call: Callable[[int, int, int], object]) -> None:
        """`call(first, last, scratch)` for every slice of windows; the scratch is an address."""
        floats = _call("dualres_encoder_scratch", self)

        def work(first: int) -> None:
            scratch = room(floats)
            call(first, min(first + SLICE, self._windows), scratch.ctypes.data)

        share_out(work, self._starts, min(threads(), len(self._starts)))


def parameter_count(short_bins: int, long_bins: int, width: int, states: int) -> int:
    """As `parameter_places` of training.h counts them."""
    views = (short_bins + long_bins) * (width // 2) + width
    norm = 2 * width
    maps = (width + 1) * (2 * width + 4 * states)
    readout = (width + 1) * 2 * width
    return views + norm + maps + readout + states


@contextmanager
def threads_taken_over() -> Iterator[None]:
    """Meanwhile PyTorch has one thread, and the calls made here as many as it had.

    PyTorch's other threads go on spinning for a while after each of its operations, however small, and would take the
    processors away from these calls: with two of each the processors' time more than doubles.

    PyTorch's number is one for the whole process. Of several who take its threads over at once, the first finds out
    how many there are, and the last gives them back.
    """
    before = _threads.set(_taken.begin())
    try:
        yield
    finally:
        _threads.reset(before)
        _taken.end()


def threads() -> int:
    """How many a call made here has."""
    return _threads.get() or torch.get_num_threads()


class _Taken:
    """PyTorch's threads while somebody has taken them over."""

    def __init__(self) -> None:
        self._lock, self._users, self._threads = Lock(), 0, 1

    def begin(self) -> int:
        """How many there are to be had."""
        with self._lock:
            if not self._users:
                self._threads = torch.get_num_threads()
                torch.set_num_threads(1)
            self._users += 1
            return self._threads

    def end(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                torch.set_num_threads(self._threads)


_taken = _Taken()


def available() -> bool:
    """Whether the library is there, and has this."""
    return _found("dualres_encoder_backward", variant()) is not None


def _empty(*shape: int) -> Tensor:
    return torch.empty(shape, dtype=torch.float32, device="cpu")


def _call(name: str, *arguments: Any) -> int:
    found = _found(name, variant())
    assert found is not None, "`available` said so"
    result = found(*arguments)
    return 0 if result is None else int(result)


@cache
def _found(name: str, chosen: str | None) -> Callable[..., Any] | None:
    """A function of training.c in the variant chosen."""
    training, index, buffer = ctypes.POINTER(Training), ctypes.c_int64, ctypes.c_void_p
    arguments: dict[str, list[Any]] = {
        "dualres_encoder_kept": [training],
        "dualres_encoder_scratch": [training],
        "dualres_encoder_forward": [training, index, index, buffer],
        "dualres_encoder_backward": [training, index, index, buffer, buffer],
    }
    return function(name, arguments[name], index if len(arguments[name]) == 1 else None)
