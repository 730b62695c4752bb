"""Crossformer: attention among segments of the window, then, through routers, among its channels, here one."""

import torch
from torch import Tensor, nn

from dualres.bench.methods.blocks import Attention, sinusoids
from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.neural import WINDOW, Network, trained

SEGMENT = 1024  # samples
SEGMENTS = WINDOW // SEGMENT
ROUTERS = 3  # per segment
WIDTH = 32
HIDDEN = 64
HEADS = 4
DECODER_LAYERS = 2
DROPOUT = 0.1


class Crossformer(Network):
    """66,440 parameters take part with eight classes; 189,576 are registered, with those of an idle decoder."""

    joins = True
    positions: Tensor  # one row per sample, as released; only the first SEGMENTS are used

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.learned_positions = nn.Parameter(torch.randn(1, 1, SEGMENTS, WIDTH))
        self.embed = nn.Linear(SEGMENT, WIDTH, bias=False)
        self.register_buffer("positions", sinusoids(WINDOW, WIDTH))
        self.norm = nn.LayerNorm(WIDTH)
        self.two_stages = TwoStages(SEGMENTS)
        self.head = nn.Linear(WIDTH * SEGMENTS, classes)
        self.dropout = nn.Dropout(DROPOUT)
        self.decoder = IdleDecoder()

    def forward(self, windows: Tensor) -> Tensor:
        segments = self.embed(windows.unflatten(1, (SEGMENTS, SEGMENT)))  # (batch, segments, width)
        segments = segments + self.positions[:, :SEGMENTS] + self.learned_positions[:, 0]
        channels = self.two_stages(self.norm(segments)).mT  # (batch, width, segments)
        logits: Tensor = self.head(self.dropout(channels.flatten(1)))
        return logits


class TwoStages(nn.Module):
    """Attention in time and then across channels, (batch, segments, width) to the same.

    Across channels, `routers` gather from all channels of a segment and the channels gather from the routers. With
    one channel every router finds the same, but for dropout; the maps stay in use, so their gradients are 0, not None.
    """

    def __init__(self, segments: int) -> None:
        super().__init__()
        self.routers = nn.Parameter(torch.randn(segments, ROUTERS, WIDTH))
        self.in_time = Attention(WIDTH, HEADS, DROPOUT)
        self.send = Attention(WIDTH, HEADS, DROPOUT)
        self.receive = Attention(WIDTH, HEADS, DROPOUT)
        self.time_norm, self.time_map_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.channel_norm, self.channel_map_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.time_map, self.channel_map = two_layer_map(HIDDEN), two_layer_map(HIDDEN)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        x = self.time_norm(x + self.dropout(self.in_time(x, x)))
        x = self.time_map_norm(x + self.dropout(self.time_map(x)))
        channels = x[:, :, None]  # (batch, segments, channels, width)
        sent = self.send(self.routers, channels)  # (batch, segments, routers, width)
        received = self.receive(channels, sent)[:, :, 0]
        x = self.channel_norm(x + self.dropout(received))
        out: Tensor = self.channel_map_norm(x + self.dropout(self.channel_map(x)))
        return out


class IdleDecoder(nn.Module):
    """The forecasting half of the released network: 123,136 parameters that a classification never touches.

    It is registered for what it weighs in the file. Nothing is forecast, so there are no segments to come.
    """

    def __init__(self) -> None:
        super().__init__()
        self.learned_positions = nn.Parameter(torch.randn(1, 1, 0, WIDTH))
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "two_stages": TwoStages(segments=0),
                    "cross": Attention(WIDTH, HEADS, DROPOUT),
                    "cross_norm": nn.LayerNorm(WIDTH),
                    "map_norm": nn.LayerNorm(WIDTH),
                    "map": two_layer_map(WIDTH),
                    "predict": nn.Linear(WIDTH, SEGMENT),
                }
            )
            for _ in range(DECODER_LAYERS)
        )


def two_layer_map(hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(WIDTH, hidden), nn.GELU(), nn.Linear(hidden, WIDTH))


LOOK = MethodStyle("#a8960c", ">", (0, (1, 2.5)), "oooo")
ENTRY = MethodEntry(
    "crossformer", "Crossformer", "attention", trained(Crossformer), LOOK, nominal_ms=(2.0, 1.6), paper=True
)
