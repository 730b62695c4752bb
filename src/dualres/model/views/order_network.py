"""The network of orders: three looks at a window, two of them on an axis of multiples of the shaft's rate."""

import torch
from torch import Tensor, nn

from dualres.config import MOST_VIEWS_TOKENS, ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.model.discriminant import Discriminant
from dualres.model.kinds import ORDERS
from dualres.model.torch_network import TorchNetwork
from dualres.model.views.envelope import envelope_spectrum, line_hz, order_envelope
from dualres.model.views.network import mean_spectra
from dualres.model.views.order_modulation import bank, order_modulation
from dualres.model.views.order_weights import BY_HZ, BY_ORDER

Looks = tuple[Tensor, Tensor, Tensor]  # mean spectra, swings and the envelope's lines over Hz, of each window


class OrdersNetwork(TorchNetwork):
    """Raw windows at `config.rate`, and revolutions per second, to log-probabilities, (batch, classes).

    A window is judged by the mean of what heads say of its spectra, its modulation and its envelope. Where the speed is
    known, of the window and of what the network learned from, the last two are read on an axis of orders. Elsewhere
    they are read on an axis of Hz, each by two heads: one that learned them as they were, one that learned them as they
    would be at other speeds, too.
    """

    kind = ORDERS.method

    def __init__(self, classes: int, config: ModelConfig | None = None) -> None:
        super().__init__(classes, config, MOST_VIEWS_TOKENS)
        sizes = ORDER_SIZES.features(self.config)
        self.heads = nn.ModuleDict({name: Discriminant(n, classes, VIEW_SIZES.rank) for name, n in sizes.items()})
        # Slowest and fastest shaft that was labelled, in Hz; zeros where speeds were not known.
        self.speeds = nn.Parameter(torch.zeros(2), requires_grad=False)

    def looks(self, windows: Tensor) -> Looks:
        """What is seen of raw windows (batch, window), whatever the speed."""
        self.check_windows(windows)
        return mean_spectra(windows, self.config), bank(windows, self.config), envelope_spectrum(windows, self.config)

    def views(self, looks: Looks, hz: Tensor) -> dict[str, Tensor]:
        """What the heads take of looks, of shafts that turn at `hz` (batch,), (batch, features) each."""
        spectra, swings, lines = looks
        usual, bin_hz = torch.full_like(hz, ORDER_SIZES.usual_hz), line_hz(self.config)
        return {
            "spectra": spectra,
            "modulation": (modulation := order_modulation(swings, usual)),
            "envelope": (envelope := order_envelope(lines, usual, bin_hz)),
            "modulation_moved": modulation,
            "envelope_moved": envelope,
            "order_modulation": order_modulation(swings, hz),
            "order_envelope": order_envelope(lines, hz, bin_hz),
        }

    def classify(self, looks: Looks, hz: Tensor | None = None) -> Tensor:
        """Looks to log-probabilities; `hz` (batch,) is NaN where the speed is not known."""
        given = torch.full_like(looks[0][:, 0], torch.nan) if hz is None else hz.to(looks[0])
        known = (given > 0) & (self.speeds[0] > 0)
        views = self.views(looks, torch.where(known, given, ORDER_SIZES.usual_hz))
        # Distances are small differences of large sums: in float64, whatever the looks are.
        said = {name: head(views[name].double()).exp() for name, head in self.heads.items()}
        by_order, by_hz = (torch.stack([said[name] for name in names]).mean(0) for names in (BY_ORDER, BY_HZ))
        return torch.where(known[:, None], by_order, by_hz).log().to(looks[0].dtype)

    def forward(self, windows: Tensor, hz: Tensor | None = None) -> Tensor:
        return self.classify(self.looks(windows), hz)
