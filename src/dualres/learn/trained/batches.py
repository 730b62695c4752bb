"""What a network is trained on: a support's windows in batches, update by update."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.errors import ConfigError
from dualres.recordings.recording import Samples

# Windows that pass through DualRes together. It has no batch statistics, so their number changes the speed and not the
# objective: large enough that two cores are busy, small enough for the caches.
MICROBATCH = 48

Labels = npt.NDArray[np.int64]  # 0 .. classes - 1
Views = Callable[[Tensor], tuple[Tensor, ...]]  # what a network takes, from windows (n, window), (n, ...) each
Batch = tuple[Tensor, ...]  # views, then targets: classes (n,) or shares of them (n, classes)


class TrainingSupport(Protocol):
    """Labelled windows as the training loop takes them."""

    windows: int
    device: torch.device

    def batches(self) -> Iterable[Batch]:
        """All windows once, for the next update. A batch may be overwritten by the next one."""


class PlainSupport:
    """The same windows at every update; they are the first axis of `inputs` and `labels`."""

    def __init__(self, inputs: Sequence[Tensor], labels: Tensor, *, seed: int, microbatch: int) -> None:
        self.windows, self.device = len(labels), labels.device
        order = torch.from_numpy(support_order(seed, len(labels))).to(labels.device)
        parts = *(x[order].split(microbatch) for x in inputs), labels[order].split(microbatch)
        self._batches: list[Batch] = list(zip(*parts, strict=True))

    def batches(self) -> list[Batch]:
        return self._batches


def support_order(seed: int, windows: int) -> npt.NDArray[np.int64]:
    """The order in which windows are trained on, drawn once, before the first update."""
    return np.random.default_rng(1000 + seed).permutation(windows)


@torch.no_grad()
def views_of(views: Views, windows: Samples, device: str) -> tuple[Tensor, ...]:
    """The `views` of all windows, on the device, computed a few windows at a time."""
    parts = [views(part.to(device)) for part in torch.from_numpy(windows).split(MICROBATCH)]
    return tuple(torch.cat(view) for view in zip(*parts, strict=True))


def check_support(windows: Samples, labels: Labels, classes: int, window: int) -> None:
    """Raise an error that says why nothing can be learned from these windows, if so."""
    if windows.ndim != 2 or windows.shape[1] != window:
        raise ConfigError(f"support windows have shape {windows.shape}; (n, {window}) is needed")
    if labels.shape != windows.shape[:1]:
        raise ConfigError(f"{len(windows)} support windows came with labels of shape {labels.shape}")
    missing = sorted(set(range(classes)) - set(labels.tolist()))
    if missing or len(windows) == 0:
        raise ConfigError(f"no support window carries class {missing[0] if missing else 0}: every class needs one")
    if labels.min() < 0 or labels.max() >= classes:
        raise ConfigError(f"labels run from {labels.min()} to {labels.max()}, but there are {classes} classes")
    if not all(np.isfinite(window).all() for window in windows):  # no mask as large as all of them
        raise ConfigError("a support window holds NaN or infinite samples")
