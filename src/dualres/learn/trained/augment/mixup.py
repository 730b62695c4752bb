"""Mixtures of windows: each is blended with another of the support, and their labels likewise."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


class Mixture(NamedTuple):
    """Of one update: what each window is blended with."""

    partners: npt.NDArray[np.int64]  # (windows,)
    shares: npt.NDArray[np.float32]  # (windows,), of the window itself, from 1/2 to 1; the rest is its partner's

    def blended(self, x: Tensor) -> Tensor:
        """Rows of `x` (windows, n), each mixed with its partner's."""
        own = torch.from_numpy(self.shares)[:, None].to(x.device)
        return own * x + (1 - own) * x[torch.from_numpy(self.partners).to(x.device)]


def draw_mixture(chance: np.random.Generator, windows: int) -> Mixture:
    """A partner and a share for each window; all shares are drawn before all partners."""
    shares = chance.uniform(size=windows)
    return Mixture(chance.permutation(windows), np.maximum(shares, 1 - shares).astype(np.float32))


def no_mixture(windows: int) -> Mixture:
    """Every window by itself."""
    return Mixture(np.arange(windows), np.ones(windows, np.float32))
