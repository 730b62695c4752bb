"""The oscillatory memory of many networks on a GPU: the buffers and launches of `memory_triton.py`."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from dualres.gpu.draws import SLAB, Draws
from dualres.gpu.layout import Layout, ceil_div
from dualres.gpu.memory_triton import (
    coefficients_backward_kernel,
    coefficients_kernel,
    walk_backward_kernel,
    walk_kernel,
)

CHANNELS, SCORING_CHANNELS = 16, 8  # of a window that one warp walks with; training has to feed a backward walk, too
GROUP, BACKWARD_GROUP = 8, 4  # tokens asked for together, forward and backward, where more is held of each
TOKENS_AT_ONCE = 32  # where their order does not matter
WINDOW_BLOCK, WINDOW_WARPS = 64, 8  # tokens at once and warps, where one program does a window


class Memory:
    """The memory of `fits` networks, each on `windows` windows; its buffers stay where they are, for CUDA graphs.

    Where `gradients` is empty it only goes forward.
    """

    def __init__(self, layout: Layout, weights: Tensor, gradients: Tensor, windows: int, draws: Draws) -> None:
        config, offsets, total = layout.config, layout.offsets, len(weights) * windows
        trains = len(gradients) > 0
        width, states, tokens = config.width, config.states, config.tokens
        self._weights, self._gradients, self._windows, self._draws = weights, gradients, windows, draws
        self._channels = min(CHANNELS if trains else SCORING_CHANNELS, width)
        self._shares = width // self._channels

        def buffer(*shape: int, rows: int = total) -> Tensor:
            return torch.empty(rows, *shape, device=weights.device)

        self.maps, self._coefficients, self.y = *(buffer(tokens, layout.maps) for _ in range(2)), buffer(tokens, width)
        trained = total if trains else 0  # windows that gradients are kept of
        self._keep = BACKWARD_GROUP if trains else 0
        self._states = buffer(ceil_div(tokens, BACKWARD_GROUP), 2, states, width, rows=trained)
        self.d_y, self._d_alpha, self._d_written = (buffer(tokens, width, rows=trained) for _ in range(3))
        self._d_vectors = buffer(self._shares, tokens, 4 * states, rows=trained)
        self._d_theta = buffer(self._shares, states, rows=trained)
        self.d_maps = buffer(tokens, layout.maps, rows=trained)
        self._sizes = {"SIZE": layout.size, "TOKENS": tokens, "WIDTH": width, "STATES": states}
        self._rates = {"BIAS": offsets["maps_bias"], "LOG_RATE": offsets["log_rate"], "SLAB": SLAB}
        self._turns = {"PITCH": offsets["pitch"], "ROTATES": config.rotation}
        self._numbers = (config.jitter, -math.log(config.token_rate), 1 / math.sqrt(states))

    def coefficients(self) -> None:
        """Of every token, from `maps`."""
        coefficients_kernel[(len(self.y), ceil_div(self._sizes["TOKENS"], TOKENS_AT_ONCE))](
            self.maps, self._weights, self._draws.noise, self._draws.count, self._coefficients, self._windows,
            *self._numbers, **self._sizes, **self._rates, BLOCK=TOKENS_AT_ONCE,
        )  # fmt: skip

    def walk(self) -> None:
        """From the coefficients to `y`."""
        walk_kernel[(len(self.y), self._shares)](
            self._coefficients, self._weights, self.y, self._states, self._windows,
            **self._sizes, **self._turns, CHANNELS=self._channels, GROUP=GROUP, KEEP=self._keep,
            num_warps=1,
        )  # fmt: skip

    def walk_backward(self) -> None:
        """From `d_y` to the gradients of the coefficients."""
        walk_backward_kernel[(len(self.y), self._shares)](
            self._coefficients, self._weights, self._states, self.d_y, self._d_alpha, self._d_written,
            self._d_vectors, self._d_theta, self._windows,
            **self._sizes, **self._turns, CHANNELS=self._channels, GROUP=BACKWARD_GROUP, num_warps=1,
        )  # fmt: skip

    def coefficients_backward(self) -> None:
        """On to `d_maps`, and each window's share of the gradients of biases, rates and pitches."""
        coefficients_backward_kernel[(len(self.y),)](
            self.maps, self._weights, self._draws.noise, self._draws.count, self._coefficients, self._d_alpha,
            self._d_written, self._d_vectors, self._d_theta, self.d_maps, self._gradients, self._windows,
            *self._numbers, **self._sizes, **self._rates, **self._turns, SHARES=self._shares, BLOCK=WINDOW_BLOCK,
            num_warps=WINDOW_WARPS,
        )  # fmt: skip
