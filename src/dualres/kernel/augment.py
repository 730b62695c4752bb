"""Calls to augment.c: views of an augmented fit, the windows shared out among threads."""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dualres.kernel.compiled import function
from dualres.kernel.threads import share_out
from dualres.kernel.training import address, threads


class _Augment(ctypes.Structure):
    """`dualres_augment` of augment.h. It keeps the tensors alive."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("tokens", "bins")),
        *((name, ctypes.c_void_p) for name in ("magnitudes", "gains", "partners", "shares", "scale", "shift")),
    )

    def __init__(
        self, magnitudes: Tensor, gains: Tensor, *, partners: Tensor, shares: Tensor, scale: Tensor, shift: Tensor
    ) -> None:
        windows, tokens, bins = magnitudes.shape
        places = [
            address("magnitudes", magnitudes, windows, tokens, bins),
            address("gains", gains, windows, bins),
            address("partners", partners, windows, dtype=torch.int64),
            address("shares", shares, windows),
            address("scale", scale, bins),
            address("shift", shift, bins),
        ]
        if not 0 <= int(partners.min()) <= int(partners.max()) < windows:
            raise ValueError(f"partners run from {partners.min()} to {partners.max()}, but there are {windows} windows")
        super().__init__(tokens, bins, *places)
        self._held = magnitudes, gains, partners, shares, scale, shift


def available(magnitudes: Tensor) -> bool:
    """Whether the library is there, and takes these."""
    return magnitudes.device.type == "cpu" and magnitudes.dtype == torch.float32 and _entry() is not None


def seen(
    magnitudes: Tensor,
    gains: Tensor,
    standard: tuple[Tensor, Tensor],
    *,
    rows: slice,
    partners: Tensor,
    shares: Tensor,
    out: Tensor,
) -> Tensor:
    """Fill `out` with what `seen_ref` (learn/trained/augment/supports.py) gives: float32 on the CPU, partners int64."""
    (_, tokens, bins), (mean, spread) = magnitudes.shape, standard
    standardised = {"scale": math.log(2) / spread, "shift": -mean / spread}
    job = _Augment(magnitudes, gains, partners=partners, shares=shares, **standardised)
    address("out", out, rows.stop - rows.start, tokens, bins)
    entry = _entry()
    assert entry is not None, "`available` said so"

    def work(row: int) -> None:
        entry(ctypes.byref(job), rows.start + row, out[row].data_ptr())

    share_out(work, range(len(out)), min(threads(), len(out)))
    return out


def _entry() -> Callable[..., Any] | None:
    return function("dualres_augment_window", [ctypes.POINTER(_Augment), ctypes.c_int64, ctypes.c_void_p])
