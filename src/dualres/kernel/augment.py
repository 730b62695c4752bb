"""Calls to augment.c: views of an augmented fit, the windows shared out among threads."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from dualres.kernel.compiled import function, variant
from dualres.kernel.threads import share_out
from dualres.kernel.training import threads


class _Augment(ctypes.Structure):
    """`dualres_augment` of augment.h. It keeps the tensors alive."""

    _fields_ = (
        ("tokens", ctypes.c_int64),
        ("bins", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("magnitudes", "gains", "partners", "shares", "scale", "shift")),
    )

    def __init__(
        self, magnitudes: Tensor, gains: Tensor, partners: Tensor, shares: Tensor, scale: Tensor, shift: Tensor
    ) -> None:
        windows, tokens, bins = magnitudes.shape
        places = [
            _place("magnitudes", magnitudes, windows, tokens, bins),
            _place("gains", gains, windows, bins),
            _place("partners", partners, windows, dtype=torch.int64),
            _place("shares", shares, windows),
            _place("scale", scale, bins),
            _place("shift", shift, bins),
        ]
        if not 0 <= int(partners.min()) <= int(partners.max()) < windows:
            raise ValueError(f"partners run from {partners.min()} to {partners.max()}, but there are {windows} windows")
        super().__init__(tokens, bins, *places)
        self._held = magnitudes, gains, partners, shares, scale, shift


def _place(name: str, tensor: Tensor, *shape: int, dtype: torch.dtype = torch.float32) -> int:
    """Its address; an error for what the library would misread."""
    if tensor.shape != shape:
        raise ValueError(f"{name} is {tuple(tensor.shape)}, not {shape}")
    if tensor.dtype != dtype or not tensor.is_contiguous():
        raise ValueError(f"{name} is {tensor.dtype} with strides {tensor.stride()}, not {dtype} without gaps")
    return tensor.data_ptr()


def available(magnitudes: Tensor) -> bool:
    """Whether the library is there, and takes these."""
    plain = magnitudes.device.type == "cpu" and magnitudes.dtype == torch.float32
    return plain and _entry(variant()) is not None


def seen(
    magnitudes: Tensor,
    gains: Tensor,
    standard: tuple[Tensor, Tensor],
    rows: slice,
    partners: Tensor,
    shares: Tensor,
    out: Tensor,
) -> Tensor:
    """Fill `out` with what `seen_ref` of dualres.learn.augment.spectra gives: float32 on the CPU, partners int64."""
    (_, tokens, bins), (mean, spread) = magnitudes.shape, standard
    job = _Augment(magnitudes, gains, partners, shares, math.log(2) / spread, -mean / spread)
    _place("out", out, rows.stop - rows.start, tokens, bins)
    entry = _entry(variant())
    assert entry is not None, "`available` said so"
    share_out(
        lambda row: entry(ctypes.byref(job), rows.start + row, out[row].data_ptr()),
        range(len(out)),
        min(threads(), len(out)),
    )
    return out


@cache
def _entry(chosen: str | None) -> Callable[..., Any] | None:
    return function("dualres_augment_window", [ctypes.POINTER(_Augment), ctypes.c_int64, ctypes.c_void_p])
