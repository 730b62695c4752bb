"""The training loop that all networks share."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dualres.config import Recipe
from dualres.learn.batches import TrainingSupport
from dualres.learn.history import OnStep, Step
from dualres.machinery.cuda_graphs import Captured


def train(
    model: nn.Module,
    forward: Callable[..., Tensor],
    support: TrainingSupport,
    recipe: Recipe,
    *,
    draws: Callable[[], tuple[Tensor, ...]] = tuple,
    progress: OnStep | None = None,
    graphs: bool = True,
) -> list[Step]:
    """Minimise the mean cross-entropy of `forward(*views)` by Adam: one update per pass, and the last weights stay.

    Gradients are summed over the support's microbatches, each weighted by its share of the windows. `forward` takes
    the views and after them what `draws` returns. On a GPU a microbatch is one CUDA graph, unless `graphs` is off.
    """
    on_gpu = support.device.type == "cuda"
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(trained, fused=on_gpu)
    total = torch.zeros((), device=support.device)

    def accumulate(targets: Tensor, *views: Tensor) -> None:
        loss = cross_entropy(forward(*views), targets) * (len(targets) / support.windows)
        loss.backward()
        total.add_(loss.detach())

    model.train()
    step = Captured(accumulate, model, total) if on_gpu and graphs else accumulate
    history = []
    for update in range(1, recipe.updates + 1):
        rate = recipe.rate_at(update)
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad(set_to_none=not on_gpu)  # a graph adds to the very tensors it was recorded with
        total.zero_()
        for *views, targets in support.batches():
            step(targets, *views, *draws())
        optimiser.step()
        history.append(Step(update, float(total), rate))
        if progress:
            progress(history[-1], recipe.updates)
    model.eval()
    return history
