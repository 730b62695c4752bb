"""Scoring on a GPU: raw windows to logits by CUDA graphs, one graph for each number of windows."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import SMALLEST_RMS
from dualres.kernel.gpu.cuda_graphs import aside, warmed_and_recorded
from dualres.kernel.gpu.inference_triton import (
    centred_sums_kernel,
    coefficients_of_kernel,
    logits_kernel,
    shares_kernel,
)
from dualres.kernel.gpu.layout import ParameterLayout, ceil_div, power_of_two
from dualres.kernel.gpu.memory_triton import lead_kernel, walk_kernel
from dualres.kernel.gpu.passes import EPS, Passes
from dualres.kernel.gpu.spectra import Spectra, transforms
from dualres.model.network import DualRes

MOST_WINDOWS = 256  # in one graph; about a gigabyte of buffers
FEW, STEP = 4, 16  # numbers of windows are rounded up to the first, or to a multiple of the second
MANY = 64  # windows from which on half of them are done beside the others
BINS_AT_ONCE = 128
SAMPLES_EACH, FRAMES_EACH, TOKENS_EACH = 1024, 2, 4  # of one window, for a program of its beginning, middle and end
CHANNELS, CHUNK, GROUP = 4, 32, 16  # of a warp's walk through part of a window, and tokens it asks for together
BLOCKS = 4  # kept for each network; a campaign's recordings have few lengths

Logits = npt.NDArray[np.float32]


def scorer(network: DualRes) -> GraphScorer:
    """The network's scorer, made at the first call and again whenever its parameters have changed."""
    stamp = network.stamp()
    known = _scorers.get(network)
    if known is None or known[0] != stamp:
        known = _scorers[network] = (stamp, GraphScorer(network))
    return known[1]


class GraphScorer:
    """Logits by the parameters that the network has when this is made. One thread may use it at a time.

    It runs without gradients, but not in inference mode: buffers made in it could not be filled outside of it.
    """

    def __init__(self, network: DualRes) -> None:
        self.device = network.head.weight.device
        self._layout = ParameterLayout(network.config, network.head.out_features)
        with torch.inference_mode(False):
            self._weights = self._layout.pack(network)[None]
        self._blocks: OrderedDict[tuple[int, bool], _Block] = OrderedDict()
        self._shared: Sequence[int] = ()  # starts of windows that share frames
        self._single: _SingleWindow | None = None

    def window(self, samples: npt.NDArray[np.float32]) -> Logits:
        """The logits (classes,) of one window (window,) in host memory: the fastest way to a single answer."""
        if self._single is None:
            with torch.inference_mode(False), torch.no_grad(), torch.cuda.device(self.device):
                self._single = _SingleWindow(self._layout, self._weights)
        return self._single(samples)

    @torch.inference_mode(False)
    @torch.no_grad()
    def logits(self, signal: npt.NDArray[np.float32] | Tensor, starts: Sequence[int]) -> Tensor:
        """The logits (windows, classes) of windows that begin at `starts` in a signal on the host or on the device."""
        samples = signal if isinstance(signal, Tensor) else torch.from_numpy(signal)
        parts = [torch.empty(0, self._layout.classes, device=self.device)]
        with torch.cuda.device(self.device):
            for i in range(0, len(starts), MOST_WINDOWS):
                parts.append(self._some(samples, starts[i : i + MOST_WINDOWS]))
        return torch.cat(parts) if len(parts) > 2 else parts[-1]

    def _some(self, samples: Tensor, starts: Sequence[int]) -> Tensor:
        """Windows that overlap by half or more and begin where frames do share frames; others are copied apart."""
        if starts != self._shared:  # recordings of one length have them in common
            config, first = self._layout.config, min(starts)
            most = (_rounded(len(starts)) - 1) * config.window // 2
            if max(starts) - first > most or any((s - first) % config.hop for s in starts):
                samples = torch.cat([samples[s : s + config.window] for s in starts])
                return self._block(len(starts), apart=True)(samples, range(0, len(samples), config.window))
            self._shared = starts
        return self._block(len(starts), apart=False)(samples, starts)

    def _block(self, windows: int, *, apart: bool) -> _Block:
        count = _rounded(windows)
        if (count, apart) not in self._blocks:
            self._blocks[count, apart] = _Block(self._layout, self._weights, count, apart=apart)
            if len(self._blocks) > BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end((count, apart))
        return self._blocks[count, apart]


def _rounded(windows: int) -> int:
    """So many windows are done in one graph."""
    return FEW if windows <= FEW else min(MOST_WINDOWS, ceil_div(windows, STEP) * STEP)


class _Block:
    """Up to `windows` windows of a signal in one graph. Windows that were not asked for begin at the first sample.

    Many windows are halved: one half's first kernels, which move much memory, run beside the other's last ones.
    """

    def __init__(self, layout: ParameterLayout, weights: Tensor, windows: int, *, apart: bool) -> None:
        self._length, device = layout.config.window, weights.device
        samples = windows * self._length if apart else (windows + 1) * self._length // 2
        self._signal = torch.zeros(samples, device=device)
        self._starts = torch.zeros(windows, dtype=torch.int64, device=device)
        if apart:
            self._starts.copy_(torch.arange(0, samples, self._length))
        self._apart = apart
        self._given: Sequence[int] = ()
        self._first, self._end = 0, 0
        self._spectra = Spectra(layout, windows, samples, device, apart=apart)
        parts = 1 if windows < MANY else 2
        self._passes = [Passes(layout, 1, windows // parts, device) for _ in range(parts)]
        for passes in self._passes:
            passes.weights.copy_(weights)
        self._logits = torch.zeros(windows, layout.classes, device=device)
        self._graph = warmed_and_recorded(self._go)

    def _go(self) -> None:
        main, side = torch.cuda.current_stream(), aside(torch.cuda.current_device())
        streams = (main, side)[: len(self._passes)]
        frames = self._spectra.frames(self._signal, self._starts)
        each = len(self._starts) // len(self._passes)
        for stream in streams[1:]:
            stream.wait_stream(main)
        for part, (passes, stream) in enumerate(zip(self._passes, streams, strict=True)):
            rows = slice(part * each, (part + 1) * each)
            with torch.cuda.stream(stream):
                passes.forward(frames.part(rows))
                self._logits[rows].copy_(passes.logits)
        for stream in streams[1:]:
            main.wait_stream(stream)

    def __call__(self, signal: Tensor, starts: Sequence[int]) -> Tensor:
        if starts != self._given:  # recordings of one length have them in common
            self._first, self._end, self._given = min(starts), max(starts) + self._length, starts
            if not self._apart:
                places = torch.zeros(len(self._starts), dtype=torch.int64)
                places[: len(starts)] = torch.tensor(starts) - self._first
                self._starts.copy_(places)
        self._signal[: self._end - self._first].copy_(signal[self._first : self._end], non_blocking=True)
        self._graph.replay()
        return self._logits[: len(starts)].clone()


class _SingleWindow:
    """One window in one graph, which reads it from host memory and writes the answer there."""

    def __init__(self, layout: ParameterLayout, weights: Tensor) -> None:
        self._samples = torch.zeros(layout.config.window).pin_memory()
        self._answer = torch.zeros(layout.classes).pin_memory()
        self._given, self._logits = self._samples.numpy(), self._answer.numpy()
        self._inference = Inference(layout, weights)
        self._device = weights.device
        self._graph = warmed_and_recorded(lambda: self._inference.run(self._samples, self._answer))

    def __call__(self, samples: npt.NDArray[np.float32]) -> Logits:
        self._given[:] = samples
        self._graph.replay()
        torch.cuda.current_stream(self._device).synchronize()
        return self._logits.copy()


class Inference:
    """The way of one window on the GPU, by `inference_triton.py`; its buffers stay where they are, for CUDA graphs."""

    def __init__(self, layout: ParameterLayout, weights: Tensor) -> None:
        config, device = layout.config, weights.device
        self._layout, self._weights = layout, weights
        self._pieces = ceil_div(config.window, SAMPLES_EACH)
        self._centred = torch.zeros(config.window, device=device)
        self._sums = torch.zeros(2, self._pieces, dtype=torch.float64, device=device)
        self._shares = ceil_div(config.tokens, TOKENS_EACH)
        self._features, self._y = torch.empty(2, config.tokens, config.width, device=device)
        self._coefficients = torch.empty(config.tokens, layout.maps, device=device)
        self._leads = torch.empty(ceil_div(config.tokens, CHUNK), 2 * config.states + 1, config.width, device=device)
        self._pooled = torch.empty(self._shares, config.width, device=device)

    def run(self, samples: Tensor, logits: Tensor) -> None:
        """Leave in `logits` (classes,) those of a window's samples (window,); both may be in pinned host memory."""
        config, offsets, shapes, weights = self._layout.config, self._layout.offsets, self._layout.shapes, self._weights
        width, states, tokens = config.width, config.states, config.tokens
        frame = {"PITCH": offsets["pitch"], "ROTATES": config.rotation, "CHUNK": CHUNK}
        centred_sums_kernel[(self._pieces,)](
            samples, self._centred, self._sums, SAMPLES=config.window, BLOCK=SAMPLES_EACH
        )
        coefficients_of_kernel[(ceil_div(tokens, FRAMES_EACH),)](
            *transforms(self._centred, config), self._sums, weights, self._features, self._coefficients,
            -math.log(config.token_rate), 1 / math.sqrt(states),
            SAMPLES=config.window, PIECES=self._pieces, PIECE_TILE=power_of_two(self._pieces), SMALLEST=SMALLEST_RMS,
            SHORT=offsets["short"], SHORT_BINS=config.short_bins, SHORT_COLUMNS=shapes["short"][1],
            USES_SHORT=config.branches != "long", LONG=offsets["long"], LONG_BINS=config.long_bins,
            LONG_COLUMNS=shapes["long"][1], USES_LONG=config.branches != "short", NORM=offsets["norm"], EPS=EPS,
            MAPS=offsets["maps"], BIAS=offsets["maps_bias"], LOG_RATE=offsets["log_rate"], **frame,
            TOKENS=tokens, WIDTH=width, STATES=states, EACH=FRAMES_EACH, BLOCK=BINS_AT_ONCE, num_warps=8,
        )  # fmt: skip
        walkers = 1, width // CHANNELS, ceil_div(tokens, CHUNK)
        walks = {"TOKENS": tokens, "WIDTH": width, "STATES": states, "CHANNELS": CHANNELS, "GROUP": GROUP}
        lead_kernel[walkers](self._coefficients, self._leads, **walks, CHUNK=CHUNK, num_warps=1)
        walk_kernel[walkers](
            self._coefficients, weights, self._leads, self._y, self._y, 1,
            **frame, **walks, SIZE=self._layout.size, KEEP=0, num_warps=1,
        )  # fmt: skip
        shares_kernel[(self._shares,)](
            self._y, self._features, weights, self._pooled,
            GATES=offsets["gates"], BIAS=offsets["gates_bias"], TOKENS=tokens, WIDTH=width, EACH=TOKENS_EACH,
        )  # fmt: skip
        logits_kernel[(1,)](
            self._pooled, weights, logits,
            HEAD=offsets["head"], BIAS=offsets["head_bias"], TOKENS=tokens, WIDTH=width, SHARES=self._shares,
            SHARE_TILE=power_of_two(self._shares), CLASSES=self._layout.classes,
            CLASS_TILE=power_of_two(self._layout.classes),
        )  # fmt: skip


_scorers: WeakKeyDictionary[DualRes, tuple[tuple[tuple[int, int], ...], GraphScorer]] = WeakKeyDictionary()
