"""ModernTCN: three stages of large-kernel depthwise convolutions, each half as long and twice as wide."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from dualres.bench.methods.blocks import MicrobatchNorm, cut_patches
from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.neural import WINDOW, Network, trained

PATCH = 32  # samples
STRIDE = 16
WIDTHS = (32, 64, 128)  # channels of the stages
LARGE_KERNEL = 9
SMALL_KERNEL = 5
SHRINK = 2  # in time, from stage to stage
DROPOUT = 0.5
HEAD_DROPOUT = 0.1
LAST_LENGTH = WINDOW // STRIDE // SHRINK ** (len(WIDTHS) - 1)


class ModernTCN(Network):
    """595,112 parameters with eight classes."""

    joins = True

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed = nn.Linear(PATCH, WIDTHS[0])
        self.norm = MicrobatchNorm(WIDTHS[0], self.microbatch)
        self.shrink = nn.ModuleList(
            nn.Sequential(MicrobatchNorm(width, self.microbatch), nn.Conv1d(width, wider, SHRINK, stride=SHRINK))
            for width, wider in pairwise(WIDTHS)
        )
        self.blocks = nn.ModuleList(ConvolutionBlock(width, self.microbatch) for width in WIDTHS)
        self.head = nn.Linear(WIDTHS[-1] * LAST_LENGTH, classes)
        self.dropout = nn.Dropout(HEAD_DROPOUT)

    def forward(self, windows: Tensor) -> Tensor:
        patches = cut_patches(windows, PATCH, STRIDE, extra=PATCH - STRIDE)
        x = self.blocks[0](self.norm(self.embed(patches).mT))  # (batch, channels, time)
        for shrink, block in zip(self.shrink, self.blocks[1:], strict=True):
            x = block(shrink(x))
        logits: Tensor = self.head(self.dropout(gelu(x)).flatten(1))
        return logits


class ConvolutionBlock(nn.Module):
    """Depthwise convolutions in time, maps among the channels, a map in each channel: (batch, width, time) to the same.

    The two convolutions could be merged into one after training; the paper's parameter count has them apart.
    """

    def __init__(self, width: int, microbatch: int) -> None:
        super().__init__()
        self.large = depthwise(width, LARGE_KERNEL, microbatch)
        self.small = depthwise(width, SMALL_KERNEL, microbatch)
        self.norm = MicrobatchNorm(width, microbatch)
        self.mix_in, self.mix_out = nn.Conv1d(width, width, 1), nn.Conv1d(width, width, 1)
        self.scale_in, self.scale_out = ChannelMap(width), ChannelMap(width)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.large(x) + self.small(x))
        for first, second in ((self.mix_in, self.mix_out), (self.scale_in, self.scale_out)):
            y = self.dropout(second(gelu(self.dropout(first(y)))))
        out: Tensor = x + y
        return out


class ChannelMap(nn.Module):
    """A scale and a shift per channel: a 1x1 convolution across variates, of which there is one, and much faster."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.empty(width, 1, 1).uniform_(-1, 1))  # PyTorch's choice for one input
        self.shift = nn.Parameter(torch.empty(width).uniform_(-1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale[:, 0] * x + self.shift[:, None]


def depthwise(width: int, kernel: int, microbatch: int) -> nn.Sequential:
    convolution = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width, bias=False)
    return nn.Sequential(convolution, MicrobatchNorm(width, microbatch))


LOOK = MethodStyle("#009e73", "P", (0, (8, 2)), "\\\\\\\\")
ENTRY = MethodEntry(
    "moderntcn", "ModernTCN", "convolution", trained(ModernTCN), LOOK, nominal_ms=(26.0, 6.5), paper=True
)
