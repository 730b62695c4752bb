"""What a fit is given, what it tells of itself while it goes on, and what it leaves behind."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from torch import nn

from dualres.learn.trained.batches import Labels
from dualres.model.network import DualRes
from dualres.model_file.card import APART
from dualres.recordings.recording import Recording, Samples, axes_of
from dualres.utils.progress import Progress


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
    stages: tuple[int, ...] = ()  # updates after which the network is kept as it is then, besides the last


@dataclass(frozen=True)
class FittedNetwork:
    network: DualRes
    history: list[Step]
    stages: dict[int, DualRes] = field(default_factory=dict)  # as it was after the updates that were asked for


_Network = TypeVar("_Network", bound=nn.Module)


def keeping(network: _Network, stages: Sequence[int], kept: dict[int, _Network]) -> Callable[[int], None] | None:
    """What a fit calls after each update, to copy the network to `kept` after each stage; None without stages.

    No update depends on how many follow, so that a network at a stage is what a shorter fit would have ended with.
    """

    def keep(update: int) -> None:
        if update in stages:
            kept[update] = deepcopy(network).eval()

    return keep if stages else None


def fits_of(recordings: Sequence[Recording], members: int, axes: str) -> int:
    """How many networks a model of such recordings has, which tell of their updates one after the other."""
    return members * len(axes_of(recordings[0])) if axes == APART else members


def steps_told(progress: Progress, stage: str, fits: int = 1) -> OnStep:
    """What `fit_network` calls after each update; updates of several fits count on."""
    done = count(1)

    def tell(step: Step, updates: int) -> None:
        progress(stage, next(done), fits * updates, f"loss {step.loss:.3f}")

    return tell
