"""iTransformer: the whole window is one token, so the attention has a single key to attend to."""

from torch import Tensor, nn
from torch.nn.functional import gelu

from dualres.bench.methods.blocks import EncoderLayer
from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.neural import WINDOW, Network, trained

WIDTH = 32
HIDDEN = 64
HEADS = 4
LAYERS = 2
DROPOUT = 0.1


class ITransformer(Network):
    """1,066,024 parameters with eight classes, almost all of them in the embedding."""

    joins = True

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed = nn.Linear(WINDOW, WIDTH)
        self.layers = nn.Sequential(*(EncoderLayer(WIDTH, HEADS, HIDDEN, DROPOUT) for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, classes)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, windows: Tensor) -> Tensor:
        token = self.layers(self.dropout(self.embed(windows[:, None])))  # (batch, 1, width)
        logits: Tensor = self.head(self.dropout(gelu(self.norm(token))).flatten(1))
        return logits


LOOK = MethodStyle("#7b61b5", "<", (0, (6, 1, 2, 1)), "++++")
ENTRY = MethodEntry("itransformer", "iTransformer", "attention", trained(ITransformer), LOOK, (2.0, 1.4), paper=True)
