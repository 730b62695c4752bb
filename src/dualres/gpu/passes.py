"""The learned part of many networks at once on a GPU: their forward pass, and the gradient of the mean cross-entropy.

Each of `fits` networks has `windows` windows of its own. Matrix products are cuBLAS', one product for all networks;
what lies between them is in the kernels of `memory_triton.py` and `readout_triton.py`. Nothing is allocated, looked at
or waited for in a pass, so that it can be part of a CUDA graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from dualres.gpu import memory_triton
from dualres.gpu.draws import SLAB, Draws
from dualres.gpu.layout import Layout, ceil_div, power_of_two
from dualres.gpu.readout_triton import norm_backward_kernel, norm_kernel, readout_kernel

CHANNELS, SCORING_CHANNELS = 16, 8  # of a window that one warp walks with; training has to feed a backward walk, too
GROUP, BACKWARD_GROUP = 8, 4  # tokens asked for together, forward and backward, where more is held of each
TOKENS_AT_ONCE = 32  # where their order does not matter
WINDOW_BLOCK, WINDOW_WARPS = 64, 8  # tokens at once and warps, where one program does a window
EPS = 1e-5  # LayerNorm's


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


class _Part:
    """Part of `fits` networks, each on `windows` windows; its buffers stay where they are, for CUDA graphs.

    Where `gradients` is empty it only goes forward.
    """

    def __init__(self, layout: Layout, weights: Tensor, gradients: Tensor, windows: int, draws: Draws) -> None:
        self._weights, self._gradients, self._windows, self._draws = weights, gradients, windows, draws
        self._total = len(weights) * windows
        self._trained = self._total if len(gradients) else 0  # windows that gradients are kept of
        self._sizes = {"SIZE": layout.size, "TOKENS": layout.config.tokens, "WIDTH": layout.config.width}

    def _buffer(self, rows: int, *shape: int) -> Tensor:
        return torch.zeros(rows, *shape, device=self._weights.device)


class Memory(_Part):
    """The oscillatory memory: the buffers and launches of `memory_triton.py`."""

    def __init__(self, layout: Layout, weights: Tensor, gradients: Tensor, windows: int, draws: Draws) -> None:
        super().__init__(layout, weights, gradients, windows, draws)
        config, offsets, total, trained = layout.config, layout.offsets, self._total, self._trained
        width, states, tokens = config.width, config.states, config.tokens
        self._channels = min(CHANNELS if trained else SCORING_CHANNELS, width)
        self._shares = width // self._channels
        self.maps, self._coefficients = (self._buffer(total, tokens, layout.maps) for _ in range(2))
        self.y = self._buffer(total, tokens, width)
        self._keep = BACKWARD_GROUP if trained else 0
        self._states = self._buffer(trained, ceil_div(tokens, BACKWARD_GROUP), 2, states, width)
        self.d_y, self._d_alpha, self._d_written = (self._buffer(trained, tokens, width) for _ in range(3))
        self._d_vectors = self._buffer(trained, self._shares, tokens, 4 * states)
        self._d_theta = self._buffer(trained, self._shares, states)
        self.d_maps = self._buffer(trained, tokens, layout.maps)
        self._sizes["STATES"] = states
        self._rates = {"BIAS": offsets["maps_bias"], "LOG_RATE": offsets["log_rate"], "SLAB": SLAB}
        self._turns = {"PITCH": offsets["pitch"], "ROTATES": config.rotation}
        self._numbers = (config.jitter, -math.log(config.token_rate), 1 / math.sqrt(states))

    def coefficients(self) -> None:
        """Of every token, from `maps`."""
        memory_triton.coefficients_kernel[(len(self.y), ceil_div(self._sizes["TOKENS"], TOKENS_AT_ONCE))](
            self.maps, self._weights, self._draws.noise, self._draws.count, self._coefficients, self._windows,
            *self._numbers, **self._sizes, **self._rates, BLOCK=TOKENS_AT_ONCE,
        )  # fmt: skip

    def walk(self) -> None:
        """From the coefficients to `y`."""
        memory_triton.walk_kernel[(len(self.y), self._shares)](
            self._coefficients, self._weights, self.y, self._states, self._windows,
            **self._sizes, **self._turns, CHANNELS=self._channels, GROUP=GROUP, KEEP=self._keep,
            num_warps=1,
        )  # fmt: skip

    def walk_backward(self) -> None:
        """From `d_y` to the gradients of the coefficients."""
        memory_triton.walk_backward_kernel[(len(self.y), self._shares)](
            self._coefficients, self._weights, self._states, self.d_y, self._d_alpha, self._d_written,
            self._d_vectors, self._d_theta, self._windows,
            **self._sizes, **self._turns, CHANNELS=self._channels, GROUP=BACKWARD_GROUP, num_warps=1,
        )  # fmt: skip

    def coefficients_backward(self) -> None:
        """On to `d_maps`, and each window's share of the gradients of biases, rates and pitches."""
        memory_triton.coefficients_backward_kernel[(len(self.y),)](
            self.maps, self._weights, self._draws.noise, self._draws.count, self._coefficients, self._d_alpha,
            self._d_written, self._d_vectors, self._d_theta, self.d_maps, self._gradients, self._windows,
            *self._numbers, **self._sizes, **self._rates, **self._turns, SHARES=self._shares, BLOCK=WINDOW_BLOCK,
            num_warps=WINDOW_WARPS,
        )  # fmt: skip


class Readout(_Part):
    """Norm and readout: the buffers and launches of `readout_triton.py`."""

    def __init__(self, layout: Layout, weights: Tensor, gradients: Tensor, windows: int, draws: Draws) -> None:
        super().__init__(layout, weights, gradients, windows, draws)
        config, offsets, total, trained = layout.config, layout.offsets, self._total, self._trained
        width, tokens = config.width, config.tokens
        self.features, self.normed = (self._buffer(total, tokens, width) for _ in range(2))
        self.gates, self.logits = self._buffer(total, tokens, 2 * width), self._buffer(total, layout.classes)
        self.d_features, self.d_normed = (self._buffer(trained, tokens, width) for _ in range(2))
        self.d_gates, self._d_pooled = self._buffer(trained, tokens, 2 * width), self._buffer(trained, width)
        self.losses, self.labels = self._buffer(trained), self._buffer(trained).int()
        self._dropout = config.dropout
        self._norm = {"NORM": offsets["norm"], "EPS": EPS}
        self._head = {
            "BIAS": offsets["gates_bias"], "HEAD": offsets["head"], "HEAD_BIAS": offsets["head_bias"],
            "CLASSES": layout.classes, "CLASS_TILE": power_of_two(layout.classes), "SLAB": SLAB,
            "TRAINS": trained > 0, "BLENDS": draws.shown is not None,
        }  # fmt: skip

    def norm(self) -> None:
        """From `features` to `normed`."""
        norm_kernel[(len(self.features), ceil_div(self._sizes["TOKENS"], TOKENS_AT_ONCE))](
            self.features, self._weights, self.normed, self._windows,
            **self._sizes, **self._norm, BLOCK=TOKENS_AT_ONCE,
        )  # fmt: skip

    def read(self) -> None:
        """From `features` and `gates` to `logits`; in training on to `losses`, and back to `d_gates`."""
        shown = self._draws.shown
        blends = (shown.partners, shown.shares) if shown else (self.labels, self.losses)  # any two: they are not read
        readout_kernel[(len(self.features),)](
            self.features, self.gates, self._weights, self.logits, self.labels, *blends, self._draws.keep,
            self._draws.count, self.losses, self.d_gates, self._d_pooled, self._gradients, self._windows,
            self._dropout,
            **self._sizes, **self._head, BLOCK=WINDOW_BLOCK, num_warps=WINDOW_WARPS,
        )  # fmt: skip

    def norm_backward(self) -> None:
        """From `d_normed` to `d_features`."""
        norm_backward_kernel[(len(self.features),)](
            self.features, self._weights, self.d_normed, self._d_pooled, self.d_features, self._gradients,
            self._windows, **self._sizes, **self._norm, BLOCK=WINDOW_BLOCK, num_warps=WINDOW_WARPS,
        )  # fmt: skip
