"""What a fit is given, what it tells of itself while it goes on, and what it leaves behind."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from dualres.learn.batches import Labels
from dualres.machinery.progress import Progress
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples


@dataclass(frozen=True)
class Step:
    """One update of a fit."""

    update: int  # from 1
    loss: float  # mean cross-entropy over the support as this update saw it, before the update, in nats
    learning_rate: float


OnStep = Callable[[Step, int], None]  # called after each update, with the number of updates planned


@dataclass(frozen=True)
class Task:
    """All that a fit is given, but for how it learns: it can see nothing else."""

    windows: Samples  # raw, (n, window), at the model's rate
    labels: Labels
    classes: int
    seed: int
    device: str = "cpu"
    progress: OnStep | None = None


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
