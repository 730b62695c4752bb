"""One window from samples on the GPU to logits: the buffers and launches of `inference_triton.py`."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from dualres.gpu.inference_triton import coefficients_of_kernel, features_kernel, head_kernel, shares_kernel
from dualres.gpu.layout import Layout, ceil_div, power_of_two
from dualres.gpu.memory_triton import walk_kernel
from dualres.gpu.passes import EPS
from dualres.gpu.spectra import Spectra

BINS_AT_ONCE = 256
TOKENS_EACH = 4  # for a program of the readout
CHANNELS, GROUP = 4, 16  # of a warp's walk, and tokens it asks for together


class Inference:
    """The way of one window; its buffers stay where they are, for CUDA graphs."""

    def __init__(self, layout: Layout, weights: Tensor) -> None:
        config, device = layout.config, weights.device
        self._layout, self._weights = layout, weights
        self._shares = ceil_div(config.tokens, TOKENS_EACH)
        self._spectra = Spectra(layout, 1, device)
        self._features, self._normed, self._y = torch.empty(3, config.tokens, config.width, device=device)
        self._coefficients = torch.empty(config.tokens, layout.maps, device=device)
        self._pooled = torch.empty(self._shares, config.width, device=device)
        self._start = torch.zeros(1, dtype=torch.int64, device=device)
        self.logits = torch.empty(layout.classes, device=device)

    def run(self, samples: Tensor) -> None:
        """Leave in `logits` (classes,) those of a window's samples (window,)."""
        config, offsets, shapes, weights = self._layout.config, self._layout.offsets, self._layout.shapes, self._weights
        width, states, tokens = config.width, config.states, config.tokens
        features_kernel[(tokens,)](
            *self._spectra.of_one(samples, self._start), weights, self._features, self._normed,
            SHORT=offsets["short"], SHORT_BINS=config.short_bins, SHORT_COLUMNS=shapes["short"][1],
            USES_SHORT=config.branches != "long", LONG=offsets["long"], LONG_BINS=config.long_bins,
            LONG_COLUMNS=shapes["long"][1], USES_LONG=config.branches != "short", NORM=offsets["norm"], EPS=EPS,
            WIDTH=width, BLOCK=BINS_AT_ONCE, num_warps=8,
        )  # fmt: skip
        coefficients_of_kernel[(tokens,)](
            self._normed, weights, self._coefficients, -math.log(config.token_rate), 1 / math.sqrt(states),
            MAPS=offsets["maps"], BIAS=offsets["maps_bias"], LOG_RATE=offsets["log_rate"], WIDTH=width, STATES=states,
        )  # fmt: skip
        walk_kernel[(1, width // CHANNELS)](
            self._coefficients, weights, self._y, self._y, 1,
            SIZE=self._layout.size, PITCH=offsets["pitch"], TOKENS=tokens, WIDTH=width, STATES=states,
            CHANNELS=CHANNELS, GROUP=GROUP, ROTATES=config.rotation, KEEP=0, num_warps=1,
        )  # fmt: skip
        shares_kernel[(self._shares,)](
            self._y, self._features, weights, self._pooled,
            GATES=offsets["gates"], BIAS=offsets["gates_bias"], TOKENS=tokens, WIDTH=width, EACH=TOKENS_EACH,
        )  # fmt: skip
        head_kernel[(1,)](
            self._pooled, weights, self.logits,
            HEAD=offsets["head"], BIAS=offsets["head_bias"], TOKENS=tokens, WIDTH=width, SHARES=self._shares,
            SHARE_TILE=power_of_two(self._shares), CLASSES=self._layout.classes,
            CLASS_TILE=power_of_two(self._layout.classes),
        )  # fmt: skip
