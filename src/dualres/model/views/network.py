"""The network of views: a head for each look at a window; their log-probabilities are added."""

import torch
from torch import Tensor, nn

from dualres.config import MOST_VIEWS_TOKENS, VIEW_SIZES, ModelConfig
from dualres.model.discriminant import Discriminant
from dualres.model.kinds import VIEWS
from dualres.model.torch_network import TorchNetwork
from dualres.model.views.low_lines import low_lines
from dualres.model.views.mean_spectra import mean_spectra
from dualres.model.views.modulation import modulation


class ViewsNetwork(TorchNetwork):
    """Raw windows at `config.rate` to log-probabilities, (batch, classes).

    Of the sizes in `config`, those of the paper's memory mean nothing here.
    """

    kind = VIEWS.method

    def __init__(self, classes: int, config: ModelConfig | None = None) -> None:
        super().__init__(classes, config, MOST_VIEWS_TOKENS)
        sizes = VIEW_SIZES.features(self.config)
        self.heads = nn.ModuleDict({name: Discriminant(n, classes, VIEW_SIZES.rank) for name, n in sizes.items()})

    def views(self, windows: Tensor) -> tuple[Tensor, ...]:
        """What the heads take of raw windows (batch, window), in their order, (batch, features) each."""
        self.check_windows(windows)
        repeating = modulation(windows, self.config).flatten(1)
        return mean_spectra(windows, self.config), repeating, repeating, low_lines(windows, self.config)

    def classify(self, *views: Tensor) -> Tensor:
        """Views to log-probabilities."""
        said = [head(view) for head, view in zip(self.heads.values(), views, strict=True)]
        return torch.log_softmax(torch.stack(said).sum(0), dim=-1)

    def forward(self, windows: Tensor) -> Tensor:
        return self.classify(*self.views(windows))
