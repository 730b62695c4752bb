"""Reading what is known over Hz at multiples of a shaft's rate."""

from collections.abc import Sequence

import torch
from torch import Tensor


def places(hz: Tensor, orders: Sequence[float], first_hz: float, step: float) -> Tensor:
    """Where the orders of shafts that turn at `hz` (batch,) lie on a logarithmic axis of Hz: (batch, orders)."""
    at = torch.tensor(orders, dtype=torch.float64, device=hz.device) * hz.double()[:, None]
    return torch.log(at / first_hz) / step


def reading(values: Tensor, at: Tensor) -> Tensor:
    """Values (..., points) between two neighbouring points at the places `at` (..., readings), in points.

    Below the first point it is read there; beyond the last one nothing is heard, and the reading is zero.
    """
    last = values.shape[-1] - 1
    inside = at.clamp(0, last)
    lower = inside.floor().clamp(max=last - 1)
    share = (inside - lower).to(values.dtype)
    index = lower.long()
    read = values.gather(-1, index) * (1 - share) + values.gather(-1, index + 1) * share
    return read * (at <= last)
