"""A method from outside: the levels of 32 frequency bands, and a linear map of them."""

import torch
from torch import Tensor, nn

from dualres.bench.methods.catalog import MethodEntry, register
from dualres.bench.methods.neural import Network, trained

BANDS = 32


class BandLevels(Network):
    """33 parameters for each class."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.classify = nn.Linear(BANDS, classes)

    def views_of_normalised(self, windows: Tensor) -> tuple[Tensor, ...]:
        """Windows (batch, window) to levels (batch, bands); no gradient passes here, so it is done once per fit."""
        power = torch.fft.rfft(windows).abs().square()[:, 1:]
        return (power.unflatten(1, (BANDS, -1)).mean(-1).log(),)

    def forward(self, levels: Tensor) -> Tensor:
        logits: Tensor = self.classify(levels)
        return logits


register(MethodEntry("toy", "Toy", "linear", trained(BandLevels)))
