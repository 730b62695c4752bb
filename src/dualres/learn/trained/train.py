"""The training loop that all networks share: what it is trained on, in which order, and by which random generators."""

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dualres.config import Recipe
from dualres.kernel.gpu.cuda_graphs import StepGraph
from dualres.learn.trained.task import UPDATES, Step, UpdateRemark
from dualres.utils.progress import Progress, quiet

Batch = tuple[Tensor, ...]  # views, then targets: classes (n,) or shares of them (n, classes)
Keep = Callable[[int], None]  # with the number of updates so far
AHEAD = 1  # updates that are handed to a GPU before the one before them is waited for, so that it is never idle


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


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed PyTorch's and Python's generators, and afterwards leave them as they were."""
    python = random.getstate()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):  # seeding touches every device
        torch.manual_seed(seed)
        random.seed(seed)
        try:
            yield
        finally:
            random.setstate(python)


def train(
    model: nn.Module,
    forward: Callable[..., Tensor],
    support: TrainingSupport,
    recipe: Recipe,
    *,
    draws: Callable[[int], tuple[Tensor, ...]] = lambda windows: (),  # for a pass of so many windows
    keep: Keep | None = None,
    progress: Progress = quiet,
    graphs: bool = True,
) -> list[Step]:
    """Minimise the mean cross-entropy of `forward(*views)` by Adam: one update per pass, and the last weights stay.

    Gradients are summed over the support's batches, each weighted by its share of the windows. `forward` takes the
    views and after them what `draws` returns. On a GPU a batch is one CUDA graph, unless `graphs` is off.

    `keep` is called after each update, when the model may be copied as it then is. `progress` is told of it once its
    loss is known, which on a GPU is an update later.
    """
    on_gpu = support.device.type == "cuda"
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(trained, fused=on_gpu)
    total = torch.zeros((), device=support.device)
    losses = torch.zeros(recipe.updates, pin_memory=on_gpu)  # in host memory, to which a GPU writes when it comes to it
    history: list[Step] = []
    untold: deque[torch.cuda.Event | None] = deque()  # for each update since what is over when it is

    def accumulate(targets: Tensor, *views: Tensor) -> None:
        loss = cross_entropy(forward(*views), targets) * (len(targets) / support.windows)
        loss.backward()
        total.add_(loss.detach())

    def tell(most_untold: int) -> None:
        while len(untold) > most_untold:
            if over := untold.popleft():
                over.synchronize()
            update = len(history) + 1
            history.append(Step(update, float(losses[update - 1]), recipe.rate_at(update)))
            progress(UPDATES, update, recipe.updates, UpdateRemark.of(history[-1]))

    model.train()
    step = StepGraph(accumulate, model, total) if on_gpu and graphs else accumulate
    for update in range(1, recipe.updates + 1):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate_at(update)
        optimiser.zero_grad(set_to_none=not on_gpu)  # a graph adds to the very tensors it was recorded with
        total.zero_()
        for *views, targets in support.batches():
            step(targets, *views, *draws(len(targets)))
        optimiser.step()
        losses[update - 1].copy_(total, non_blocking=True)
        if keep:
            keep(update)
        untold.append(torch.cuda.current_stream().record_event() if on_gpu else None)
        tell(AHEAD if on_gpu else 0)
    tell(0)
    model.eval()
    return history
