"""Norm and readout of many networks on a GPU: the buffers and launches of `readout_triton.py`."""

from __future__ import annotations

import torch
from torch import Tensor

from dualres.gpu.draws import SLAB, Draws
from dualres.gpu.layout import Layout, ceil_div, power_of_two
from dualres.gpu.readout_triton import norm_backward_kernel, norm_kernel, readout_kernel

TOKENS_AT_ONCE = 32
WINDOW_BLOCK, WINDOW_WARPS = 64, 8  # tokens at once and warps, where one program does a window
EPS = 1e-5  # LayerNorm's


class Readout:
    """Norm and readout of `fits` networks, each on `windows` windows; its buffers stay where they are.

    Where `gradients` is empty they only go forward.
    """

    def __init__(self, layout: Layout, weights: Tensor, gradients: Tensor, windows: int, draws: Draws) -> None:
        config, offsets, total = layout.config, layout.offsets, len(weights) * windows
        trains = len(gradients) > 0
        width, tokens = config.width, config.tokens
        self._weights, self._gradients, self._windows, self._draws = weights, gradients, windows, draws

        def buffer(*shape: int, rows: int = total) -> Tensor:
            return torch.zeros(rows, *shape, device=weights.device)

        self.features, self.normed, self.gates = buffer(tokens, width), buffer(tokens, width), buffer(tokens, 2 * width)
        self.logits = buffer(layout.classes)
        trained = total if trains else 0  # windows that gradients are kept of
        self.d_features, self.d_normed = (buffer(tokens, width, rows=trained) for _ in range(2))
        self.d_gates, self._d_pooled = buffer(tokens, 2 * width, rows=trained), buffer(width, rows=trained)
        self.losses, self.labels = buffer(rows=trained), torch.zeros(trained, dtype=torch.int32, device=weights.device)
        self._dropout = config.dropout
        self._sizes = {"SIZE": layout.size, "TOKENS": tokens, "WIDTH": width}
        self._norm = {"NORM": offsets["norm"], "EPS": EPS}
        self._head = {
            "BIAS": offsets["gates_bias"], "HEAD": offsets["head"], "HEAD_BIAS": offsets["head_bias"],
            "CLASSES": layout.classes, "CLASS_TILE": power_of_two(layout.classes), "SLAB": SLAB, "TRAINS": trains,
            "BLENDS": draws.shown is not None,
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
