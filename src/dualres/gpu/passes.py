"""The learned part of many networks at once on a GPU: their forward pass, and the gradient of the mean cross-entropy.

Each of `fits` networks has `windows` windows of its own. Matrix products are cuBLAS', one product for all networks;
what lies between them is in the kernels of `memory_triton.py` and `readout_triton.py`. Nothing is allocated, looked at
or waited for in a pass, so that it can be part of a CUDA graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from dualres.config import ModelConfig
from dualres.gpu.draws import Draws
from dualres.gpu.layout import Layout
from dualres.gpu.memory import Memory
from dualres.gpu.readout import Readout


def fits_the_kernels(config: ModelConfig) -> bool:
    """Whether the kernels can do such a network: tiles are powers of two, and nothing can be silenced."""
    sizes = (config.width, config.states, config.short, config.long)
    powers = all(size & (size - 1) == 0 for size in sizes)
    return config.memory and powers and 16 <= config.width <= 256 and 2 <= config.states <= 64


class Passes:
    """Buffers and passes; without `draws` they only go forward, with neither jitter nor dropout.

    `short` and `long` (fits * windows, tokens, columns) are the padded views, `weights` (fits, size) the parameters as
    `layout` orders them. Going backward leaves each window's share of the gradient in `gradients`
    (fits * windows, size).
    """

    def __init__(
        self, layout: Layout, fits: int, windows: int, device: torch.device, draws: Draws | None = None
    ) -> None:
        trains = draws is not None
        if draws is None:
            layout = Layout(replace(layout.config, jitter=0.0, dropout=0.0), layout.classes)
            draws = Draws([0] * fits, windows, layout.config.width, device)
        config, total = layout.config, fits * windows
        self._layout, self._half, self._branches = layout, config.width // 2, config.branches
        self.short, self.long = (
            torch.zeros(total, config.tokens, layout.shapes[name][1], device=device) for name in ("short", "long")
        )
        self.weights = torch.zeros(fits, layout.size, device=device)
        # What no kernel writes to, the padding and a removed branch, stays zero.
        self.gradients = torch.zeros(total if trains else 0, layout.size, device=device)
        self.memory = Memory(layout, self.weights, self.gradients, windows, draws)
        self.readout = Readout(layout, self.weights, self.gradients, windows, draws)

    def forward(self) -> None:
        """From views to `readout.logits`; in training on to `readout.losses`, and back to the readout's gradients."""
        for view, name, columns in self._projections():
            self._map(view, name, self.readout.features[..., columns])
        self.readout.norm()
        self._map(self.readout.normed, "maps", self.memory.maps)
        self.memory.coefficients()
        self.memory.walk()
        self._map(self.memory.y, "gates", self.readout.gates)
        self.readout.read()

    def backward(self) -> None:
        """On from where `forward` left: every parameter's gradient, window by window."""
        readout, memory = self.readout, self.memory
        self._d_weights(readout.d_gates, memory.y, "gates")
        self._d_input(readout.d_gates, "gates", memory.d_y)
        memory.walk_backward()
        memory.coefficients_backward()
        self._d_weights(memory.d_maps, readout.normed, "maps")
        self._d_input(memory.d_maps, "maps", readout.d_normed)
        readout.norm_backward()
        for view, name, columns in self._projections():
            self._d_weights(readout.d_features[..., columns], view, name)

    @property
    def kernels(self) -> list[Callable[[], None]]:
        """What is compiled at its first call, the slowest to compile first."""
        memory, readout = self.memory, self.readout
        backward = [memory.walk_backward, memory.coefficients_backward, readout.norm_backward]
        return [backward[0], memory.walk, readout.read, *backward[1:], memory.coefficients, readout.norm]

    def _projections(self) -> list[tuple[Tensor, str, slice]]:
        """The views in use, with the names of their maps and the features they fill."""
        both = [(self.short, "short", slice(None, self._half)), (self.long, "long", slice(self._half, None))]
        return [p for p in both if self._branches in (p[1], "both")]

    def _map(self, x: Tensor, name: str, out: Tensor) -> None:
        """out = x W^T for every network."""
        torch.bmm(self._by_fit(x), self._layout.part(self.weights, name).mT, out=self._by_fit(out))

    def _d_input(self, gradient: Tensor, name: str, out: Tensor) -> None:
        """The gradient of a map's input, from that of its output."""
        torch.bmm(self._by_fit(gradient), self._layout.part(self.weights, name), out=self._by_fit(out))

    def _d_weights(self, gradient: Tensor, x: Tensor, name: str) -> None:
        """The gradient of a map's weights, window by window."""
        torch.bmm(gradient.mT, x, out=self._layout.part(self.gradients, name))

    def _by_fit(self, x: Tensor) -> Tensor:
        """(fits * windows, tokens, n) as (fits, windows * tokens, n)."""
        by_fit: Tensor = x.unflatten(0, (len(self.weights), -1))
        return by_fit.flatten(1, 2)
