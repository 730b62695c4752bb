"""WDCNN: a convolutional network whose first kernels are wide (Zhang, Peng, Li, Chen and Zhang, Sensors 17, 2017)."""

from torch import Tensor, nn

from dualres.bench.methods.blocks import MicrobatchNorm
from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.neural import WINDOW, Network, trained

PUBLISHED_WINDOW = 2_048  # samples
WIDE, STRIDE = 64, 16  # of the first kernels, in samples
CHANNELS = (16, 32, 64, 64, 64)
NARROW = 3  # taps of all other kernels
HIDDEN = 100
SETTINGS = (
    "As published: five blocks of convolution, batch normalisation, ReLU and pooling by two, the first with kernels "
    "of 64 samples at a stride of 16, the others with kernels of 3; then 100 hidden units. It takes the whole window "
    "instead of 2,048 samples, which only lengthens the hidden layer's input, and is trained by the recipe that all "
    "networks share. Its batch is the microbatch of 32 windows."
)


class WDCNN(Network):
    """54,510 parameters with ten classes and the published windows of 2,048 samples."""

    microbatch = 32  # its hidden layer normalises over windows alone, of which four would be too few
    joins = True

    def __init__(self, classes: int, window: int = WINDOW) -> None:
        super().__init__()
        self.window = window
        blocks, before, length = list[nn.Module](), 1, window
        for number, channels in enumerate(CHANNELS):
            first, last = number == 0, number == len(CHANNELS) - 1
            size, stride = (WIDE, STRIDE) if first else (NARROW, 1)
            padding = 0 if last else (size - stride) // 2 if first else 1  # every block but the last keeps its length
            length = (length + 2 * padding - size) // stride + 1
            blocks += [
                nn.Conv1d(before, channels, size, stride, padding),
                MicrobatchNorm(channels, self.microbatch),
                nn.ReLU(),
                nn.MaxPool1d(2),
            ]
            before, length = channels, length // 2
        self.blocks = nn.Sequential(*blocks)
        self.hidden = nn.Linear(before * length, HIDDEN)
        self.norm = MicrobatchNorm(HIDDEN, self.microbatch)
        self.classify = nn.Linear(HIDDEN, classes)

    def forward(self, windows: Tensor) -> Tensor:
        hidden = self.hidden(self.blocks(windows[:, None]).flatten(1))
        logits: Tensor = self.classify(self.norm(hidden[:, :, None])[:, :, 0].relu())
        return logits


NAMED = "wdcnn", "WDCNN", "convolution"
ENTRIES = (MethodEntry(*NAMED, trained(WDCNN), nominal_ms=(2.0, 1.0), settings=SETTINGS),)
