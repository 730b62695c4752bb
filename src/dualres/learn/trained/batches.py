"""What a network is trained on: a support's windows in batches, update by update."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

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
