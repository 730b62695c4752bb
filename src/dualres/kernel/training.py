"""Calls to training.c: the encoder's way there and back, its windows shared out among threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import torch
from torch import Tensor

from dualres.kernel.compiled import function, variant
from dualres.kernel.threads import pool

# What a thread takes at once. The gradient is summed over such a slice, and then over the slices in their order, so
# that it does not depend on the number of threads.
SLICE = 4  # windows

_threads: ContextVar[int | None] = ContextVar("threads", default=None)  # None: as many as PyTorch's

_SIZES = ("tokens", "short_bins", "long_bins", "width", "states")
_INPUTS = ("short_view", "long_view", "log_damping", "parameters", "ahead")
_RESULTS = ("kept", "pooled", "d_pooled", "d_log_damping")


class Training(ctypes.Structure):
    """`dualres_training` of training.h: sizes, then where the buffers lie. Its maker keeps the tensors alive."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in _SIZES),
        *((name, ctypes.c_void_p) for name in _INPUTS + _RESULTS),
    )

    def __init__(self, short: Tensor, long: Tensor, log_damping: Tensor, parameters: Tensor, ahead: Tensor) -> None:
        """Shapes as in training.h; float32 on the CPU."""
        super().__init__(short.shape[1], short.shape[2], long.shape[2], log_damping.shape[1], ahead.shape[1] // 2)
        self._windows, self._parameters = len(short), len(parameters)
        self._starts = range(0, self._windows, SLICE)
        self._point_at(dict(zip(_INPUTS, (short, long, log_damping, parameters, ahead), strict=True)))

    def there(self) -> tuple[Tensor, Tensor]:
        """The mean over tokens, (windows, width), and what the way back needs."""
        pooled = _empty(self._windows, self.width)
        kept = _empty(self._windows, _call("encoder_kept", self))
        self._point_at({"pooled": pooled, "kept": kept})
        self._share_out(lambda first, last, scratch: _call("encoder_there", self, first, last, scratch.data_ptr()))
        return pooled, kept

    def back(self, kept: Tensor, d_pooled: Tensor) -> tuple[Tensor, Tensor]:
        """The derivatives by the parameters, in their order, and by the logarithm of the damping."""
        d_log_damping = _empty(self._windows, self.width)
        gradients = _empty(len(self._starts), self._parameters)
        self._point_at({"kept": kept, "d_pooled": d_pooled, "d_log_damping": d_log_damping})

        def back(first: int, last: int, scratch: Tensor) -> None:
            gradient = gradients[first // SLICE]
            _call("encoder_back", self, first, last, gradient.data_ptr(), scratch.data_ptr())

        self._share_out(back)
        # By NumPy, which adds row by row whatever the number of threads.
        return torch.from_numpy(gradients.numpy().sum(axis=0)), d_log_damping

    def _point_at(self, buffers: dict[str, Tensor]) -> None:
        for name, buffer in buffers.items():
            if buffer.dtype != torch.float32 or not buffer.is_contiguous():
                raise ValueError(f"{name} is {buffer.dtype} with strides {buffer.stride()}, not float32 without gaps")
            setattr(self, name, buffer.data_ptr())

    def _share_out(self, call: Callable[[int, int, Tensor], object]) -> None:
        pending = iter(self._starts)

        def work(scratch: Tensor) -> None:
            for first in pending:
                call(first, min(first + SLICE, self._windows), scratch)

        threads = min(_threads.get() or torch.get_num_threads(), len(self._starts))
        scratches = _empty(threads, _call("encoder_scratch", self))
        if threads == 1:
            work(scratches[0])
        else:
            list(pool(threads).map(work, scratches))


@contextmanager
def threads_taken_over() -> Iterator[None]:
    """Meanwhile PyTorch has one thread, and the calls made here as many as it had.

    PyTorch's other threads go on spinning for a while after each of its operations, however small, and would take the
    processors away from these calls: with two of each the processors' time more than doubles.
    """
    threads = torch.get_num_threads()
    before = _threads.set(threads)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        _threads.reset(before)


def available() -> bool:
    """Whether the library is there, and has this."""
    return _found("encoder_back", variant()) is not None


def _empty(*shape: int) -> Tensor:
    return torch.empty(shape, dtype=torch.float32, device="cpu")


def _call(name: str, *arguments: Any) -> int:
    found = _found(name, variant())
    assert found is not None, "whoever asked, found it available"
    result = found(*arguments)
    return 0 if result is None else int(result)


@cache
def _found(name: str, chosen: str | None) -> Callable[..., Any] | None:
    """A function of training.c in the variant chosen."""
    training, index, buffer = ctypes.POINTER(Training), ctypes.c_int64, ctypes.c_void_p
    arguments: dict[str, list[Any]] = {
        "encoder_kept": [training],
        "encoder_scratch": [training],
        "encoder_there": [training, index, index, buffer],
        "encoder_back": [training, index, index, buffer, buffer],
    }
    return function(name, arguments[name], index if len(arguments[name]) == 1 else None)
