"""PatchTST: half-overlapping patches of the window as the tokens of a transformer."""

from torch import Tensor, nn
from torch.nn.functional import layer_norm

from dualres.bench.methods.blocks import EncoderLayer, MicrobatchNorm, cut_patches, sinusoids
from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.neural import WINDOW, Network, trained

PATCH = 2048  # samples
STRIDE = 1024
TOKENS = WINDOW // STRIDE
WIDTH = 32
HIDDEN = 128
HEADS = 4
LAYERS = 2
DROPOUT = 0.1


class PatchTST(Network):
    """99,208 parameters with eight classes."""

    joins = True
    positions: Tensor  # one row per sample, as released; only the first TOKENS are used

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed = nn.Linear(PATCH, WIDTH, bias=False)
        self.register_buffer("positions", sinusoids(WINDOW, WIDTH))
        self.layers = nn.Sequential(*(EncoderLayer(WIDTH, HEADS, HIDDEN, DROPOUT) for _ in range(LAYERS)))
        self.norm = MicrobatchNorm(WIDTH, self.microbatch)
        self.head = nn.Linear(WIDTH * TOKENS, classes)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, windows: Tensor) -> Tensor:
        standard = layer_norm(windows, windows.shape[1:])  # each window by its own mean and deviation
        patches = cut_patches(standard, PATCH, STRIDE, extra=STRIDE)
        tokens = self.layers(self.dropout(self.embed(patches) + self.positions[:, :TOKENS]))
        channels = self.norm(tokens.mT)  # (batch, width, tokens)
        logits: Tensor = self.head(self.dropout(channels.flatten(1)))
        return logits


LOOK = MethodStyle("#d55e00", "X", (0, (2, 1)), "||||")
ENTRY = MethodEntry("patchtst", "PatchTST", "attention", trained(PatchTST), LOOK, nominal_ms=(1.9, 1.7), paper=True)
