"""What a fit tells of itself while it goes on, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from dualres.machinery.progress import Progress
from dualres.model.network import DualRes


@dataclass(frozen=True)
class Step:
    """One update of a fit."""

    update: int  # from 1
    loss: float  # mean cross-entropy over the support as this update saw it, before the update, in nats
    learning_rate: float


OnStep = Callable[[Step, int], None]  # called after each update, with the number of updates planned


@dataclass(frozen=True)
class FittedNetwork:
    network: DualRes
    history: list[Step]


def steps_told(progress: Progress, stage: str, fits: int = 1) -> OnStep:
    """What `fit_network` calls after each update; updates of several fits count on."""
    done = count(1)

    def tell(step: Step, updates: int) -> None:
        progress(stage, next(done), fits * updates, f"loss {step.loss:.3f}")

    return tell
