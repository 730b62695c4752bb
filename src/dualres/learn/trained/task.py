"""What a training is given, what it tells of itself while it goes on, and what it leaves behind."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from torch import nn

from dualres.learn.support import Labels
from dualres.recordings.recording import Samples
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, part_of, quiet

UPDATES = "Updates"  # the stage that progress is told of


@dataclass(frozen=True)
class Step:
    """One update of a fit."""

    update: int  # from 1
    loss: float  # mean cross-entropy over the support as this update saw it, before the update, in nats
    learning_rate: float


class UpdateRemark(str):
    """What progress is told of an update: its loss in words, and the whole of it for those who record it."""

    step: Step

    @classmethod
    def of(cls, step: Step) -> "UpdateRemark":
        remark = cls(f"loss {step.loss:.3f}")
        remark.step = step
        return remark


OnStep = Callable[[Step, int], None]  # called after each update, with the number of updates planned


def by_step(called: OnStep | None) -> Progress:
    """Progress that calls back after each update, as `fit_network` and `Method.fit` promise."""
    if called is None:
        return quiet

    def tell(stage: str, done: int, total: int, remark: str) -> None:
        if isinstance(remark, UpdateRemark):
            called(remark.step, total)

    return tell


@dataclass(frozen=True)
class Task:
    """All that a fit is given, but for how it learns: it can see nothing else."""

    windows: Samples  # raw, (n, window), at the model's rate
    labels: Labels
    classes: int
    seed: int
    device: str = "cpu"
    progress: Progress = quiet
    stages: tuple[int, ...] = ()  # updates after which the network is kept as it is then, besides the last
    hz: Exact | None = None  # of the shaft in each window, NaN where that is not known; None where it is of none
    native_rate: float | None = None  # Hz, of the recordings before they were resampled; None where that is not known


def in_turn(tasks: Sequence[Task]) -> list[Task]:
    """For fits that follow each other and have one progress: updates count on from those of the fits before."""
    return [replace(task, progress=part_of(task.progress, i, len(tasks))) for i, task in enumerate(tasks)]


T = TypeVar("T")


@dataclass(frozen=True)
class FittedNetwork(Generic[T]):
    """What a fit leaves behind: a network of any kind, with or without PyTorch."""

    network: T
    history: list[Step] = field(default_factory=list)  # of a training
    stages: dict[int, T] = field(default_factory=dict)  # as it was after the updates that were asked for


_Network = TypeVar("_Network", bound=nn.Module)


def keeping(network: _Network, stages: Sequence[int], kept: dict[int, _Network]) -> Callable[[int], None] | None:
    """What copies the network to `kept` after each stage, as a shorter fit would have ended; None without stages."""

    def keep(update: int) -> None:
        if update in stages:
            kept[update] = deepcopy(network).eval()

    return keep if stages else None
