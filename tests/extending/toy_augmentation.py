"""A toy augmentation: a random tilt of the spectrum, from one cable or mounting to the next."""

import numpy as np
import torch
from torch import Tensor

from dualres.learn.trained.augment import register


class Tilt:
    """Log-gains that rise or fall in a straight line, by as much as the strength says, in nats."""

    name = "tilt"

    def draw(self, chance: np.random.Generator, windows: int, strength: float) -> np.ndarray:
        """A slope for each window."""
        return chance.normal(0.0, strength, windows)

    def curves(self, drawn: np.ndarray, frequencies: Tensor) -> Tensor:
        return torch.outer(torch.from_numpy(drawn).to(frequencies), 2 * frequencies - 1)


register(Tilt())
