"""The training loop that all networks share."""

from collections import deque
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dualres.config import Recipe
from dualres.learn.batches import TrainingSupport
from dualres.learn.history import OnStep, Step
from dualres.machinery.cuda_graphs import Captured
from dualres.machinery.side_by_side import Gate, Steps, completed

Draws = Callable[[], tuple[Tensor, ...]]
Keep = Callable[[int], None]  # with the number of updates so far

AHEAD = 2  # updates that are handed to a GPU before the first of them is waited for, so that it is never idle


def train(
    model: nn.Module,
    forward: Callable[..., Tensor],
    support: TrainingSupport,
    recipe: Recipe,
    *,
    draws: Draws = tuple,
    keep: Keep | None = None,
    progress: OnStep | None = None,
    graphs: bool = True,
) -> list[Step]:
    """Minimise the mean cross-entropy of `forward(*views)` by Adam: one update per pass, and the last weights stay.

    Gradients are summed over the support's microbatches, each weighted by its share of the windows. `forward` takes
    the views and after them what `draws` returns. On a GPU a microbatch is one CUDA graph, unless `graphs` is off.

    `keep` is called after each update, when the model may be copied as it then is. `progress` is told of it once its
    loss is known, which on a GPU is somewhat later.
    """
    return completed(
        training(model, forward, support, recipe, draws=draws, keep=keep, progress=progress, graphs=graphs)
    )


def training(
    model: nn.Module,
    forward: Callable[..., Tensor],
    support: TrainingSupport,
    recipe: Recipe,
    *,
    draws: Draws = tuple,
    keep: Keep | None = None,
    progress: OnStep | None = None,
    graphs: bool = True,
) -> Steps[list[Step]]:
    """`train` in steps, one for each update, so that others can go on beside it."""
    on_gpu = support.device.type == "cuda"
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(trained, fused=on_gpu)
    total = torch.zeros((), device=support.device)
    losses = torch.zeros(recipe.updates, pin_memory=on_gpu)  # in host memory, to which a GPU writes when it comes to it
    history: list[Step] = []
    untold: deque[Gate] = deque()  # one for each update since

    def accumulate(targets: Tensor, *views: Tensor) -> None:
        loss = cross_entropy(forward(*views), targets) * (len(targets) / support.windows)
        loss.backward()
        total.add_(loss.detach())

    def tell() -> None:
        while untold and ((over := untold[0]) is None or over.query()):
            untold.popleft()
            update = len(history) + 1
            history.append(Step(update, float(losses[update - 1]), recipe.rate_at(update)))
            if progress:
                progress(history[-1], recipe.updates)

    model.train()
    step = Captured(accumulate, model, total) if on_gpu and graphs else accumulate
    for update in range(1, recipe.updates + 1):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate_at(update)
        optimiser.zero_grad(set_to_none=not on_gpu)  # a graph adds to the very tensors it was recorded with
        total.zero_()
        for *views, targets in support.batches():
            step(targets, *views, *draws())
        optimiser.step()
        losses[update - 1].copy_(total, non_blocking=True)
        if keep:
            keep(update)
        untold.append(_mark() if on_gpu else None)
        tell()
        yield untold[-AHEAD] if len(untold) >= AHEAD else None
    if untold:
        yield untold[-1]
    tell()
    model.eval()
    return history


def _mark() -> torch.cuda.Event:
    """Over when all is that was handed to the current stream so far."""
    event = torch.cuda.Event()
    event.record()
    return event
