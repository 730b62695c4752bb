"""The learned part of many networks at once on a GPU: their forward pass, and the gradient of the mean cross-entropy.

Each of `fits` networks has `windows` windows of its own. The kernels are in `encoder_triton.py`, `memory_triton.py` and
`readout_triton.py`; here are their buffers and launches. Products of whole matrices between them are cuBLAS', one
product for all networks. Nothing is allocated, looked at or waited for in a pass, so that it can be part of a CUDA
graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from dualres.gpu import encoder_triton, memory_triton
from dualres.gpu.draws import SLAB, Draws
from dualres.gpu.layout import Layout, ceil_div, power_of_two
from dualres.gpu.readout_triton import readout_kernel
from dualres.machinery.cuda_graphs import aside

CHANNELS, CHUNK = 32, 32  # channels of a window that one warp walks with, and tokens that it walks through
GROUP, BACKWARD_GROUP = 8, 4  # tokens asked for together, forward and backward, where more is held of each
ROWS, BINS_AT_ONCE = 64, 64  # tokens of one program of the encoder, and columns of views
GRADIENT_ROWS, GRADIENT_COLUMNS = 32, 64  # tokens and columns, where a projection's gradient is computed
WINDOW_BLOCK, WINDOW_WARPS = 64, 8  # tokens at once and warps, where one program does a window
EPS = 1e-5  # LayerNorm's


class Passes:
    """Buffers and passes; without `draws` they only go forward, with neither jitter nor dropout.

    `short` and `long` (fits * windows, tokens, columns) are the padded views, `weights` (fits, size) the parameters as
    `layout` orders them. Going backward leaves each window's share of the gradient in `gradients`
    (fits * windows, size), `losses` and `logits` the rest that is told.
    """

    def __init__(
        self, layout: Layout, fits: int, windows: int, device: torch.device, draws: Draws | None = None
    ) -> None:
        trains = draws is not None
        if draws is None:
            layout = Layout(replace(layout.config, jitter=0.0, dropout=0.0), layout.classes)
            draws = Draws([0] * fits, windows, layout.config.width, device)
        config, offsets, total = layout.config, layout.offsets, fits * windows
        width, states, tokens = config.width, config.states, config.tokens
        trained = total if trains else 0  # windows that gradients are kept of

        def buffer(rows: int, *shape: int) -> Tensor:
            return torch.zeros(rows, *shape, device=device)

        self._layout, self._windows, self._total, self._draws = layout, windows, total, draws
        columns = [layout.shapes[name][1] for name in ("short", "long")]
        self.short, self.long = (buffer(total, tokens, count) for count in columns)
        self.weights = buffer(fits, layout.size)
        # What no kernel writes to, the padding and a removed branch, stays zero.
        self.gradients = buffer(trained, layout.size)
        self.logits, self.losses, self.labels = buffer(total, layout.classes), buffer(trained), buffer(trained).int()

        chunks = ceil_div(tokens, CHUNK)
        channels = min(CHANNELS, width)
        self._walkers = total, width // channels, chunks
        self._features, self.y = buffer(total, tokens, width), buffer(total, tokens, width)
        self._gates, self._coefficients = buffer(total, tokens, 2 * width), buffer(total, tokens, layout.maps)
        self._normed, self._maps = buffer(trained, tokens, width), buffer(trained, tokens, 2 * width)
        self._states = buffer(trained, ceil_div(tokens, BACKWARD_GROUP), 2, states, width)
        self._leads = buffer(total, chunks, 2 * states + 1, width)
        self._d_y, self._d_alpha, self._d_written = (buffer(trained, tokens, width) for _ in range(3))
        self._d_vectors = buffer(trained, width // channels, tokens, 4 * states)
        self._d_theta = buffer(trained, width // channels, chunks, states)
        self._d_features, self._d_normed = buffer(trained, tokens, width), buffer(trained, tokens, width)
        self._d_gates, self._d_maps = buffer(trained, tokens, 2 * width), buffer(trained, tokens, layout.maps)
        self._d_pooled = buffer(trained, width)

        self._encoders = total, ceil_div(tokens, ROWS)
        self._uses = {"USES_SHORT": config.branches != "long", "USES_LONG": config.branches != "short"}
        self._numbers = config.jitter, -math.log(config.token_rate), 1 / math.sqrt(states)
        self._dropout = config.dropout
        self._sizes: dict[str, Any] = {"SIZE": layout.size, "TOKENS": tokens, "WIDTH": width}
        self._inner = {
            "NORM": offsets["norm"], "MAPS": offsets["maps"], "BIAS": offsets["maps_bias"],
            "LOG_RATE": offsets["log_rate"], "STATES": states, "EPS": EPS,
        }  # fmt: skip
        self._outer = {
            "SHORT": offsets["short"], "LONG": offsets["long"], "SHORT_COLUMNS": columns[0], "LONG_COLUMNS": columns[1]
        }  # fmt: skip
        self._tile = {"ROWS": ROWS, "BLOCK": BINS_AT_ONCE}
        self._walks = {
            "PITCH": offsets["pitch"], "ROTATES": config.rotation, "STATES": states, "CHANNELS": channels,
            "CHUNK": CHUNK,
        }  # fmt: skip
        self._keep = BACKWARD_GROUP if trains else 0
        self._head = {
            "BIAS": offsets["gates_bias"], "HEAD": offsets["head"], "HEAD_BIAS": offsets["head_bias"],
            "CLASSES": layout.classes, "CLASS_TILE": power_of_two(layout.classes),
            "TRAINS": trains, "BLENDS": draws.shown is not None,
        }  # fmt: skip

    def forward(self) -> None:
        """From views to `logits`; in training on to `losses`, and back to the readout's gradients."""
        self._encode()
        self._remember()

    def backward(self) -> None:
        """On from where `forward` left: every parameter's gradient, window by window.

        The gradients of weights are computed beside what they are not needed for, which leaves much of a GPU idle.
        """
        main, side = torch.cuda.current_stream(), aside(torch.cuda.current_device())
        side.wait_stream(main)
        with torch.cuda.stream(side):
            self._d_weights(self._d_gates, self.y, "gates")
        self._d_input(self._d_gates, "gates", self._d_y)
        self._walk_backward()
        self._coefficients_backward()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            self._d_weights(self._d_maps, self._normed, "maps")
        self._d_input(self._d_maps, "maps", self._d_normed)
        self._norm_backward()
        self._projections_backward()
        main.wait_stream(side)

    @property
    def kernels(self) -> list[Callable[[], None]]:
        """What is compiled at its first call, the slowest to compile first."""
        return [
            self._walk_backward, self._encode, self._walk, self._read, self._coefficients_backward, self._norm_backward,
            self._projections_backward,
        ]  # fmt: skip

    def _remember(self) -> None:
        """From coefficients on."""
        self._walk()
        gates = self._layout.part(self.weights, "gates")
        torch.bmm(self._by_fit(self.y), gates.mT, out=self._by_fit(self._gates))
        self._read()

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

    def _encode(self) -> None:
        encoder_triton.encode_views_kernel[self._encoders](
            self.short, self.long, self.weights, self._draws.noise, self._draws.count, self._features,
            self._normed, self._maps, self._coefficients, self._windows, *self._numbers,
            **self._sizes, **self._inner, **self._outer, **self._uses, **self._tile, SLAB=SLAB, TRAINS=self._keep > 0,
        )  # fmt: skip

    def _walk(self) -> None:
        memory_triton.lead_kernel[self._walkers](
            self._coefficients, self.weights, self._leads, self._windows,
            **self._sizes, **self._walks, GROUP=GROUP, num_warps=1,
        )  # fmt: skip
        memory_triton.walk_kernel[self._walkers](
            self._coefficients, self.weights, self._leads, self.y, self._states, self._windows,
            **self._sizes, **self._walks, GROUP=GROUP, KEEP=self._keep, num_warps=1,
        )  # fmt: skip

    def _read(self) -> None:
        shown = self._draws.shown
        blends = (shown.partners, shown.shares) if shown else (self.labels, self.losses)  # any two: they are not read
        readout_kernel[(self._total,)](
            self._features, self._gates, self.weights, self.logits, self.labels, *blends, self._draws.keep,
            self._draws.count, self.losses, self._d_gates, self._d_pooled, self.gradients, self._windows, self._dropout,
            **self._sizes, **self._head, SLAB=SLAB, BLOCK=WINDOW_BLOCK, num_warps=WINDOW_WARPS,
        )  # fmt: skip

    def _walk_backward(self) -> None:
        memory_triton.lead_backward_kernel[self._walkers](
            self._coefficients, self.weights, self._d_y, self._leads, self._windows,
            **self._sizes, **self._walks, GROUP=GROUP, num_warps=1,
        )  # fmt: skip
        memory_triton.walk_backward_kernel[self._walkers](
            self._coefficients, self.weights, self._leads, self._states, self._d_y, self._d_alpha, self._d_written,
            self._d_vectors, self._d_theta, self._windows,
            **self._sizes, **self._walks, GROUP=BACKWARD_GROUP, num_warps=1,
        )  # fmt: skip

    def _coefficients_backward(self) -> None:
        _, shares, chunks = self._walkers
        inner = {name: self._inner[name] for name in ("BIAS", "LOG_RATE", "STATES")}
        encoder_triton.coefficients_backward_kernel[(self._total,)](
            self._maps, self.weights, self._draws.noise, self._draws.count, self._coefficients, self._d_alpha,
            self._d_written, self._d_vectors, self._d_theta, self._d_maps, self.gradients, self._windows,
            *self._numbers, **self._sizes, **inner, PITCH=self._walks["PITCH"], ROTATES=self._walks["ROTATES"],
            SLAB=SLAB, SHARES=shares, CHUNKS=chunks, BLOCK=WINDOW_BLOCK, num_warps=WINDOW_WARPS,
        )  # fmt: skip

    def _norm_backward(self) -> None:
        encoder_triton.norm_backward_kernel[(self._total,)](
            self._features, self.weights, self._d_normed, self._d_pooled, self._d_features, self.gradients,
            self._windows,
            **self._sizes, NORM=self._inner["NORM"], EPS=EPS, BLOCK=WINDOW_BLOCK, num_warps=WINDOW_WARPS,
        )  # fmt: skip

    def _projections_backward(self) -> None:
        long_blocks = ceil_div(self.long.shape[-1], GRADIENT_COLUMNS) if self._uses["USES_LONG"] else 0
        short_blocks = ceil_div(self.short.shape[-1], GRADIENT_COLUMNS) if self._uses["USES_SHORT"] else 0
        encoder_triton.projections_backward_kernel[(self._total, long_blocks + short_blocks)](
            self.short, self.long, self._d_features, self.gradients, long_blocks,
            **self._sizes, **self._outer, ROWS=GRADIENT_ROWS, BLOCK=GRADIENT_COLUMNS,
        )  # fmt: skip
