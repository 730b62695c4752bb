"""What a fit tells of itself while it goes on, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dualres.model.network import DualRes


@dataclass(frozen=True)
class Step:
    """One update of a fit."""

    update: int  # from 1
    loss: float  # mean cross-entropy over the support as this update saw it, before the update, in nats
    learning_rate: float


Progress = Callable[[Step, int], None]  # called after each update, with the number of updates planned


@dataclass(frozen=True)
class FittedNetwork:
    network: DualRes
    history: list[Step]
