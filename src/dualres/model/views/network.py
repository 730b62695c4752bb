"""The network of views: a head for each look at a window; their log-probabilities are added."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from dualres.config import MOST_VIEWS_TOKENS, VIEW_SIZES, ModelConfig
from dualres.model.discriminant import Discriminant
from dualres.model.kinds import VIEWS
from dualres.model.spectra import aligned_magnitudes, hann, normalise
from dualres.model.torch_network import TorchNetwork
from dualres.model.views.modulation import modulation


def mean_spectra(windows: Tensor, config: ModelConfig) -> Tensor:
    """The paper's two views without their time: what sounds, and how loud, on average over a window.

    It knows resonances, tones and noise, and neither when anything happens nor how often. Raw windows (batch, window)
    to mean log-magnitudes over the very tokens that the paper's network sees, (batch, short_bins + long_bins).
    """
    return torch.cat([torch.log1p(view).mean(-2) for view in aligned_magnitudes(windows, config)], dim=-1)


def low_lines(windows: Tensor, config: ModelConfig) -> Tensor:
    """The lowest kilohertz as finely as a window resolves it: lines of shafts and gears, which no short frame can see.

    Raw windows (batch, window) to log(1 + magnitude) in narrow bands, (batch, bands).
    """
    signal = normalise(windows)
    spectrum = torch.fft.rfft(signal * hann(config.window, signal.dtype, signal.device))
    power = spectrum[..., : VIEW_SIZES.lines[1]].abs().square()
    bands = [power[..., low:high].mean(-1) for low, high in pairwise(VIEW_SIZES.line_edges)]
    return torch.log1p(torch.stack(bands, dim=-1).sqrt())


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
