"""What the training recipe and the scoring ask of a neural method, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn

from dualres.methods.method import Windows
from dualres.model.spectra import normalise
from dualres.scorers import Scorer

WINDOW = 32_768  # samples; the comparators' shapes, and with them their parameter counts, hold for this length


class Network(nn.Module):
    """A classifier of raw windows in two stages.

    `views` is what no gradient passes through, computed once per fit; `forward` takes the views, and after them
    the draws of the moment, to logits (batch, classes). Tensors are registered in the specification's order.
    """

    microbatch = 4  # windows; batch statistics and draws are per microbatch
    window = WINDOW

    def __init__(self) -> None:
        super().__init__()
        self.constants: dict[str, float] = {}  # of the views; learned from the support, stored beside the weights

    def learn_constants(self, windows: Tensor) -> None:
        """Take from the support (n, window) what the views need to know; most need nothing."""

    def views(self, windows: Tensor) -> tuple[Tensor, ...]:
        """What `forward` takes, from raw windows (batch, window), batch first."""
        return self.views_of_normalised(normalise(windows))

    def views_of_normalised(self, windows: Tensor) -> tuple[Tensor, ...]:
        """The same from windows that were normalised, and perhaps filtered and blended since."""
        return (windows,)

    def draws(self) -> tuple[Tensor, ...]:
        """Random choices made once per forward pass, outside of PyTorch's generator; most make none."""
        return ()

    def scorer(self) -> Scorer:
        """The network as it is now, from raw windows (n, window) to logits (n, classes)."""
        return self._in_microbatches

    def _in_microbatches(self, windows: Windows) -> Windows:
        device = next(self.parameters()).device
        parts = []
        for start in range(0, len(windows), self.microbatch):
            part = torch.from_numpy(np.array(windows[start : start + self.microbatch])).to(device)
            parts.append(self(*self.views(part), *self.draws()).cpu().numpy())
        return np.concatenate(parts)

    def parameters_in_spec_order(self) -> Iterator[Tensor]:
        """The tensors that the specification numbers, in its order."""
        return self.parameters()
