"""The learned part of many networks at once on a GPU: their forward pass, and the gradient of the mean cross-entropy.

Each of `fits` networks has `windows` windows of its own. The kernels are in `encoder_triton.py`, `memory_triton.py` and
`readout_triton.py`; here are their buffers and launches. Going forward, products of matrices are done where their
factors are made (`products_triton.py`); going back, some are cuBLAS', one product for all networks. Nothing is
allocated, looked at or waited for in a pass, so that it can be part of a CUDA graph.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from dualres.kernel.gpu import encoder_triton, memory_triton, readout_triton
from dualres.kernel.gpu.cuda_graphs import aside
from dualres.kernel.gpu.draws import SLAB, NoiseSource
from dualres.kernel.gpu.layout import ParameterLayout, ceil_div, power_of_two
from dualres.kernel.gpu.spectra import Frames

CHANNELS, CHUNK = 32, 32  # channels of a window that one warp walks with, and tokens that it walks through
GROUP, BACKWARD_GROUP = 8, 2  # tokens asked for together, forward and backward, where more is held of each
ROWS, BINS_AT_ONCE = 64, 32  # tokens of one program of the encoder, and columns of views
CHANNELS_AT_ONCE = 32  # of the memory's coefficients, there
REGISTERS = {True: 168, False: 128}  # of a thread there that trains or does not: fewer leave room for more programs
GRADIENT_ROWS, GRADIENT_COLUMNS = 32, 64  # tokens and columns, where a projection's gradient is computed
WINDOW_BLOCK, WINDOW_WARPS = 64, 8  # tokens at once and warps, where one program does a window
EPS = 1e-5  # LayerNorm's


class Passes:
    """Buffers and passes; without `draws` they only go forward, with neither jitter nor dropout.

    `short` and `long` (supports * windows, tokens, columns) are the padded views that networks are trained on, and
    `sources` tells the support of each network; without it each has its own. `weights` (fits, size) are the parameters
    as `layout` orders them. Going backward leaves each window's share of the gradient in `gradients` (fits * windows,
    size), `losses` and `logits` the rest that is told.
    """

    def __init__(
        self,
        layout: ParameterLayout,
        fits: int,
        windows: int,
        device: torch.device,
        *,
        draws: NoiseSource | None = None,
        sources: Sequence[int] | None = None,
    ) -> None:
        trains = draws is not None
        sources = range(fits) if sources is None else sources
        if draws is None:
            layout = ParameterLayout(replace(layout.config, jitter=0.0, dropout=0.0), layout.classes)
            draws = NoiseSource([0] * fits, windows, layout.config.width, device)
        config, offsets, total = layout.config, layout.offsets, fits * windows
        width, states, tokens = config.width, config.states, config.tokens
        trained = total if trains else 0  # windows that gradients are kept of

        def buffer(rows: int, *shape: int) -> Tensor:
            return torch.zeros(rows, *shape, device=device)

        self._layout, self._windows, self._total, self._draws = layout, windows, total, draws
        columns = [layout.shapes[name][1] for name in ("short", "long")]
        shown = windows * (max(sources) + 1) if trains else 0
        self.short, self.long = (buffer(shown, tokens, count) for count in columns)
        self._seen = self.short, self.long, torch.tensor(sources, dtype=torch.int32).to(device), fits
        self.weights = buffer(fits, layout.size)
        # What no kernel writes to, the padding and a removed branch, stays zero.
        self.gradients = buffer(trained, layout.size)
        self.logits, self.losses, self.labels = buffer(total, layout.classes), buffer(trained), buffer(trained).int()
        chunks = ceil_div(tokens, CHUNK)
        channels = min(CHANNELS, width)
        self._walkers = total, width // channels, chunks
        self._features, self.y = buffer(total, tokens, width), buffer(total, tokens, width)
        self._coefficients = buffer(total, tokens, layout.maps)
        self._gates, self._maps = buffer(trained, tokens, 2 * width), buffer(trained, tokens, 2 * width)
        self._normed = buffer(trained, tokens, width)
        blocks = ceil_div(tokens, WINDOW_BLOCK)
        self._shares, self._readers = buffer(total, blocks, width), (total, blocks)
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
        self._frame = {"PITCH": offsets["pitch"], "ROTATES": config.rotation, "CHUNK": CHUNK}
        self._outer = {
            "SHORT": offsets["short"], "LONG": offsets["long"], "SHORT_COLUMNS": columns[0], "LONG_COLUMNS": columns[1]
        }  # fmt: skip
        self._walks = {"TOKENS": tokens, "WIDTH": width, "STATES": states, "CHANNELS": channels}
        self._trains = trains
        self._encoded = (
            self.weights, draws.noise, draws.count, self._features, self._normed, self._maps, self._coefficients,
            windows, *self._numbers,
        )  # fmt: skip
        self._encoder: dict[str, Any] = {
            **self._sizes, **self._inner, **self._frame, **self._outer, **self._uses, "SLAB": SLAB, "TRAINS": trains,
            "ROWS": ROWS, "BLOCK": BINS_AT_ONCE, "PART": CHANNELS_AT_ONCE,
        }  # fmt: skip
        self._gate = {"GATES": offsets["gates"], "BIAS": offsets["gates_bias"], "BLOCK": WINDOW_BLOCK}
        self._head = {
            "HEAD": offsets["head"], "HEAD_BIAS": offsets["head_bias"], "BLOCKS": blocks, "CLASSES": layout.classes,
            "CLASS_TILE": power_of_two(layout.classes), "TRAINS": trains, "BLENDS": draws.shown is not None,
        }  # fmt: skip

    def forward(self, frames: Frames | None = None) -> None:
        """From views to `logits`; in training on to `losses`, and back to the gradient of what each token adds.

        Where nothing is trained, windows come as `frames`.
        """
        if frames:
            self._encode_frames(frames)
        else:
            self._encode()
        self._walk()
        self._read()

    def backward(self) -> None:
        """On from where `forward` left: every parameter's gradient, window by window.

        The gradients of weights are computed beside what they are not needed for, which leaves much of a GPU idle.
        """
        main, side = torch.cuda.current_stream(), aside(torch.cuda.current_device())
        self._gates_backward()
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
            self._projections_backward, self._gates_backward,
        ]  # fmt: skip

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
            *self._seen, *self._encoded, **self._encoder, maxnreg=REGISTERS[True]
        )

    def _encode_frames(self, frames: Frames) -> None:
        config = self._layout.config
        encoder_triton.encode_frames_kernel[self._encoders](
            *frames, *self._encoded, **self._encoder,
            HOP=config.hop, SHORT_BINS=config.short_bins, LONG_BINS=config.long_bins, maxnreg=REGISTERS[False],
        )  # fmt: skip

    def _walk(self) -> None:
        memory_triton.lead_kernel[self._walkers](
            self._coefficients, self._leads, **self._walks, CHUNK=CHUNK, GROUP=GROUP, num_warps=1
        )  # fmt: skip
        memory_triton.walk_kernel[self._walkers](
            self._coefficients, self.weights, self._leads, self.y, self._states, self._windows,
            **self._frame, **self._walks, SIZE=self._layout.size, GROUP=GROUP,
            KEEP=BACKWARD_GROUP if self._trains else 0, num_warps=1,
        )  # fmt: skip

    def _read(self) -> None:
        readout_triton.gates_kernel[self._readers](
            self.y, self._features, self.weights, self._gates, self._shares, self._windows,
            **self._sizes, **self._gate, TRAINS=self._trains,
        )  # fmt: skip
        shown = self._draws.shown
        blends = (shown.partners, shown.shares) if shown else (self.labels, self.losses)  # any two: they are not read
        readout_triton.head_kernel[(self._total,)](
            self._shares, self.weights, self.logits, self.labels, *blends, self._draws.keep, self._draws.count,
            self.losses, self._d_pooled, self.gradients, self._windows, self._dropout,
            **self._sizes, **self._head, SLAB=SLAB,
        )  # fmt: skip

    def _gates_backward(self) -> None:
        readout_triton.gates_backward_kernel[(self._total,)](
            self._gates, self._d_pooled, self._d_gates, self.gradients,
            **self._sizes, BIAS=self._gate["BIAS"], BLOCK=WINDOW_BLOCK, num_warps=WINDOW_WARPS,
        )  # fmt: skip

    def _walk_backward(self) -> None:
        memory_triton.lead_backward_kernel[self._walkers](
            self._coefficients, self._d_y, self._leads, **self._walks, CHUNK=CHUNK, GROUP=GROUP, num_warps=1
        )  # fmt: skip
        memory_triton.walk_backward_kernel[self._walkers](
            self._coefficients, self.weights, self._leads, self._states, self._d_y, self._d_alpha, self._d_written,
            self._d_vectors, self._d_theta, self._windows,
            **self._frame, **self._walks, SIZE=self._layout.size, GROUP=BACKWARD_GROUP, num_warps=1,
        )  # fmt: skip

    def _coefficients_backward(self) -> None:
        _, shares, _ = self._walkers
        inner = {name: self._inner[name] for name in ("BIAS", "LOG_RATE", "STATES")}
        encoder_triton.coefficients_backward_kernel[(self._total,)](
            self._maps, self.weights, self._draws.noise, self._draws.count, self._coefficients, self._d_alpha,
            self._d_written, self._d_vectors, self._d_theta, self._d_maps, self.gradients, self._windows,
            *self._numbers, **self._sizes, **inner, **self._frame, SLAB=SLAB, SHARES=shares, BLOCK=WINDOW_BLOCK,
            num_warps=WINDOW_WARPS,
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
            *self._seen, self._d_features, self.gradients, self._windows, long_blocks,
            **self._sizes, **self._outer, ROWS=GRADIENT_ROWS, BLOCK=GRADIENT_COLUMNS,
        )  # fmt: skip
