"""The encoder's training step as one PyTorch operation: calls to training.c, for float32 on a CPU, by several threads.
`Encoder.forward` of dualres.model.network is the readable twin."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dualres.kernel.compiled import function
from dualres.kernel.threads import room, share_out

# What a thread takes at once. The gradient is summed over such a slice, and then over the slices in their order, so
# that it does not depend on the number of threads.
SLICE = 4  # windows

_threads: ContextVar[int | None] = ContextVar("threads", default=None)  # None: as many as PyTorch's

_SIZES = ("tokens", "short_bins", "long_bins", "width", "states")
_INPUTS = ("short_view", "long_view", "log_damping", "parameters", "ahead")
_RESULTS = ("kept", "pooled", "d_pooled", "d_log_damping")


def encode(views: tuple[Tensor, Tensor], log_damping: Tensor, parameters: Tensor, states: int) -> Tensor:
    """Both views (batch, tokens, bins), log damping (batch, width) and parameters in a row to the mean over tokens,
    (batch, width). `parameters` lie as `parameter_places` in training.h has them. For second derivatives set
    DUALRES_KERNEL=off."""
    pooled: Tensor = _Encode.apply((views, states), log_damping, parameters)  # type: ignore[no-untyped-call]
    return pooled


class _Encode(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: tuple[tuple[Tensor, Tensor], int], log_damping: Tensor, parameters: Tensor) -> Tensor:
        (short, long), states = given
        # In float64: the rotation since the first token grows to hundreds of radians.
        angles = torch.arange(1, short.shape[1] + 1)[:, None] * parameters[-states:].double()
        ahead = torch.cat([angles.cos(), angles.sin()], dim=1).float()
        inputs = [x.contiguous() for x in (short, long, log_damping, parameters, ahead)]
        pooled, kept = Training(*inputs).forward()
        ctx.save_for_backward(*inputs, kept)
        return pooled

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_pooled: Tensor) -> tuple[Tensor | None, ...]:
        *inputs, kept = ctx.saved_tensors
        d_parameters, d_log_damping = Training(*inputs).backward(kept, d_pooled.contiguous())
        return None, d_log_damping, d_parameters


class Training(ctypes.Structure):
    """`dualres_training` of training.h: sizes, then where the buffers lie. It keeps the tensors alive."""

    _fields_ = (*((name, ctypes.c_int64) for name in _SIZES), *((name, ctypes.c_void_p) for name in _INPUTS + _RESULTS))

    def __init__(self, short: Tensor, long: Tensor, *more: Tensor) -> None:
        """Then log damping, parameters, and rotations ahead. Shapes as in training.h; float32 on the CPU."""
        log_damping, parameters, ahead = more
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
        setattr(self, name, address(name, buffer, *shape))
        self._held[name] = buffer
        return buffer

    def _share_out(self, call: Callable[[int, int, int], object]) -> None:
        floats = _call("dualres_encoder_scratch", self)

        def work(first: int) -> None:
            scratch = room(floats)
            call(first, min(first + SLICE, self._windows), scratch.ctypes.data)

        share_out(work, self._starts, min(threads(), len(self._starts)))


def address(name: str, tensor: Tensor, *shape: int, dtype: torch.dtype = torch.float32) -> int:
    """Where a tensor lies; an error for what the library would misread."""
    if tensor.shape != shape:
        raise ValueError(f"{name} is {tuple(tensor.shape)}, not {shape}")
    if tensor.dtype != dtype or not tensor.is_contiguous():
        raise ValueError(f"{name} is {tensor.dtype} with strides {tensor.stride()}, not {dtype} without gaps")
    return tensor.data_ptr()


def parameter_count(short_bins: int, long_bins: int, width: int, states: int) -> int:
    """As `parameter_places` of training.h counts them."""
    views = (short_bins + long_bins) * (width // 2) + width
    norm = 2 * width
    maps = (width + 1) * (2 * width + 4 * states)
    readout = (width + 1) * 2 * width
    return views + norm + maps + readout + states


@contextmanager
def threads_taken_over() -> Iterator[None]:
    """Meanwhile PyTorch has one thread, and the calls made here as many as it had. Its other threads would spin on for
    a while after each operation and take the processors away from these calls. The number is one for the process: of
    several callers at once, the first finds it out and the last gives it back."""
    global _users, _found
    with _lock:
        if not _users:
            _found = torch.get_num_threads()
            torch.set_num_threads(1)
        _users += 1
        before = _threads.set(_found)
    try:
        yield
    finally:
        _threads.reset(before)
        with _lock:
            _users -= 1
            if not _users:
                torch.set_num_threads(_found)


_lock, _users, _found = Lock(), 0, 1  # who has PyTorch's threads taken over, and how many it had


def threads() -> int:
    """How many a call made here has."""
    return _threads.get() or torch.get_num_threads()


def available() -> bool:
    """Whether the library is there, and has this."""
    return _entry("dualres_encoder_backward") is not None


def _empty(*shape: int) -> Tensor:
    return torch.empty(shape, dtype=torch.float32, device="cpu")


def _call(name: str, *arguments: Any) -> int:
    entry = _entry(name)
    assert entry is not None, "`available` said so"
    return int(entry(*arguments) or 0)


def _entry(name: str) -> Callable[..., Any] | None:
    """A function of training.c: what is told of a training, or what is done to some of its windows."""
    training, index, buffer = ctypes.POINTER(Training), ctypes.c_int64, ctypes.c_void_p
    buffers = {"dualres_encoder_forward": 1, "dualres_encoder_backward": 2}.get(name)
    if buffers is None:
        return function(name, [training], index)
    return function(name, [training, index, index, *[buffer] * buffers])
