"""Adam for many networks on a GPU: the moments, and the launch of `adam_triton.py`."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from dualres.config import Recipe
from dualres.gpu.adam_triton import adam_kernel
from dualres.gpu.layout import ceil_div

PARAMETERS_AT_ONCE = 128
GRADIENT_ROWS = 16  # windows whose shares of the gradient are loaded together
BETAS, EPS = (0.9, 0.999), 1e-8  # torch.optim.Adam's


class Adam:
    """Moments and history of `fits` networks; `history` (fits, updates) holds the loss before each update."""

    def __init__(self, fits: int, size: int, recipe: Recipe, device: torch.device) -> None:
        self._mean, self._square = torch.zeros(fits, size, device=device), torch.zeros(fits, size, device=device)
        self.history = torch.zeros(fits, recipe.updates, device=device)
        self._rates = torch.tensor(
            [
                (recipe.rate_at(update) / (1 - BETAS[0] ** update), math.sqrt(1 - BETAS[1] ** update))
                for update in range(1, recipe.updates + 1)
            ],
            dtype=torch.float32,
        ).to(device)

    def step(self, weights: Tensor, gradients: Tensor, losses: Tensor, count: Tensor) -> None:
        """Update `weights` (fits, size) by the windows' gradients (fits * windows, size); `count` (1,) is from 0."""
        fits, size = weights.shape
        adam_kernel[(ceil_div(size, PARAMETERS_AT_ONCE), fits)](
            weights, self._mean, self._square, gradients, losses, self.history, self._rates, count,
            len(gradients) // fits, self.history.shape[1],
            SIZE=size, BETA_1=BETAS[0], BETA_2=BETAS[1], EPS=EPS, ROWS=GRADIENT_ROWS, BLOCK=PARAMETERS_AT_ONCE,
        )  # fmt: skip

    def reset(self) -> None:
        self._mean.zero_()
        self._square.zero_()
