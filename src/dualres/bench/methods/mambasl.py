"""MambaSL: one Mamba block over every sample of the window, pooled over time by a learned gate."""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, silu
from torch.utils.checkpoint import checkpoint

from dualres.bench.methods.blocks import sinusoids
from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.mamba import BlockState, Mamba
from dualres.bench.methods.neural import WINDOW, Network, trained

WIDTH = 32  # channels, outside and inside of the block
STATES = 1
TAPS = 4  # of the block's convolution
KERNEL = 360  # samples under one kernel of the input convolution
HEADS = 8  # of the gate
DROPOUT = 0.1

TOKENS_AT_ONCE = 32_768  # over the batch: what the block keeps for a backward pass does not grow with the window
HOP, TRANSFORM = 4_096, 4_608  # samples gained by one FFT of the input convolution, and its length


class MambaSL(Network):
    """15,592 parameters for eight classes, and a table of positions."""

    joins = True
    positions: Tensor

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed = nn.Conv1d(1, WIDTH, KERNEL, bias=False)
        self.mamba = Mamba(WIDTH, inner=WIDTH, states=STATES, taps=TAPS, fixed_read=True)
        self.norm = nn.LayerNorm(WIDTH)
        self.classify = nn.Linear(WIDTH, classes, bias=False)
        self.gate = nn.Linear(WIDTH, HEADS)
        self.dropout = nn.Dropout(DROPOUT)
        self.register_buffer("positions", sinusoids(WINDOW, WIDTH))
        nn.init.kaiming_normal_(self.embed.weight, a=0.01)
        nn.init.xavier_uniform_(self.classify.weight)
        nn.init.zeros_(self.gate.weight)
        nn.init.ones_(self.gate.bias)

    def forward(self, windows: Tensor) -> Tensor:
        """Normalised windows (batch, window) to logits (batch, classes)."""
        tokens = self.dropout(slide(windows, self.embed.weight[:, 0]).add_(self.positions))
        features = self._features(tokens)
        # At the start all heads tie. `max` gives a tie's gradient to the first of them alone, so that they part.
        weights = torch.softmax(self.gate(features).max(-1).values, dim=-1)  # (batch, window)
        # The map to classes is linear: it may as well follow the mean over time as precede it.
        logits: Tensor = self.classify((weights[:, None] @ self.dropout(features))[:, 0])
        return logits

    def _features(self, tokens: Tensor) -> Tensor:
        """On a CPU in pieces of time, each computed again when its gradient is due: memory is what runs short."""
        state = self.mamba.fresh(len(tokens))
        if tokens.is_cuda:
            return self._piece(tokens, state)[0]
        pieces = []
        for piece in tokens.split(max(1, TOKENS_AT_ONCE // len(tokens)), dim=1):
            features, state = checkpoint(self._piece, piece, state, use_reentrant=False, preserve_rng_state=False)
            pieces.append(features)
        return torch.cat(pieces, dim=1)

    def _piece(self, tokens: Tensor, state: BlockState) -> tuple[Tensor, BlockState]:
        mixed, state = self.mamba(tokens, state)
        return silu(self.norm(mixed)), state


def slide(windows: Tensor, kernels: Tensor) -> Tensor:
    """Every kernel (channels, taps) at every sample, the ends of the window continued: (batch, window, channels).

    By FFTs of overlapping stretches, which hundreds of taps make faster than a direct convolution.
    """
    taps = kernels.shape[-1]
    continued = pad(windows[:, None], ((taps - 1) // 2, taps // 2), mode="replicate")[:, 0]
    stretches = pad(continued, (0, TRANSFORM - HOP - taps + 1)).unfold(-1, TRANSFORM, HOP)
    spectra = torch.fft.rfft(stretches)[:, :, None] * torch.fft.rfft(kernels, TRANSFORM).conj()
    found: Tensor = torch.fft.irfft(spectra, TRANSFORM)[..., :HOP]  # (batch, stretches, channels, hop)
    return found.mT.flatten(1, 2)


LOOK = MethodStyle("#e69f00", "s", (0, (5, 2)), "////")
ENTRY = MethodEntry("mambasl", "MambaSL", "state space", trained(MambaSL), LOOK, nominal_ms=(115.0, 32.0), paper=True)
