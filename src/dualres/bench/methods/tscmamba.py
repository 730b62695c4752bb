"""TSCMamba: the window and a wavelet image of it, fused, and scanned by one Mamba over channels and one over features.

Both scans are shorter than they sound. With one channel the first is a sequence of one token, whose decay meets an
empty memory: its rates get a gradient that is zero. The second is run in two directions along the channel axis, where
there is nothing to turn round: it counts twice.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.mamba import Mamba
from dualres.bench.methods.neural import WINDOW, Network, trained
from dualres.bench.methods.wavelet import SIDE, image
from dualres.model.spectra import normalise

WIDTH = 64  # of each view
PATCH = 8  # pixels; the sides of a patch
STATES = 128
TAPS = 4
EXPANSION = 2  # channels inside of a Mamba block, per channel outside
HIDDEN = 96
DROPOUT = 0.2


class TSCMamba(Network):
    """2,502,466 parameters for eight classes."""

    joins = True

    def __init__(self, classes: int) -> None:
        super().__init__()
        fused = 3 * WIDTH
        self.focus = nn.Parameter(torch.ones(1))
        self.patches = nn.Conv2d(1, 1, PATCH, stride=PATCH)
        self.from_image = nn.Linear((SIDE // PATCH) ** 2, WIDTH)
        self.from_window = nn.Linear(WINDOW, WIDTH)
        self.norm = nn.LayerNorm(fused)
        self.over_channels = Mamba(fused, inner=EXPANSION * fused, states=STATES, taps=TAPS, fixed_read=False)
        self.over_features = Mamba(1, inner=EXPANSION, states=STATES, taps=TAPS, fixed_read=False)
        self.hidden = nn.Linear(fused, HIDDEN)
        self.dropout = nn.Dropout(DROPOUT)
        self.classify = nn.Linear(HIDDEN, classes)

    def learn_constants(self, windows: Tensor) -> None:
        """The extremes over all images of the support; other images may exceed them."""
        lowest, highest = torch.aminmax(image(normalise(windows)))
        self.constants = {"lowest": float(lowest), "highest": float(highest)}

    def views_of_normalised(self, windows: Tensor) -> tuple[Tensor, ...]:
        """The windows, and their images (batch, side, side) scaled by the support's extremes."""
        lowest, highest = self.constants["lowest"], self.constants["highest"]
        return windows, (image(windows) - lowest) / (highest - lowest)

    def forward(self, windows: Tensor, images: Tensor) -> Tensor:
        """Both views to logits (batch, classes)."""
        seen = self.from_image(self.patches(images[:, None]).flatten(1))
        heard = self.from_window(windows)
        both = gelu(self.focus * heard + (2 - self.focus) * seen)
        fused = self.norm(torch.cat([seen, both, heard], dim=-1))  # (batch, 192)
        directions = torch.cat([fused, fused.flip(-1)])[:, None]  # one token each; the second is not turned back
        scanned, _ = self.over_channels(directions)
        one_way, other_way = (scanned + directions)[:, 0].chunk(2)
        along, _ = self.over_features(fused[..., None])  # (batch, 192, 1)
        summed = one_way + other_way + 2 * (along[..., 0] + fused)
        logits: Tensor = self.classify(self.dropout(self.hidden(summed)))
        return logits


LOOK = MethodStyle("#cc79a7", "D", (0, (5, 1.5, 1, 1.5)), "xxxx")
ENTRY = MethodEntry("tscmamba", "TSCMamba", "state space", trained(TSCMamba), LOOK, nominal_ms=(5.3, 7.0), paper=True)
