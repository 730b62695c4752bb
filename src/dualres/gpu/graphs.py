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

from dualres.gpu.inference_triton import coefficients_of_kernel, features_kernel, head_kernel, shares_kernel
from dualres.gpu.layout import Layout, ceil_div, power_of_two
from dualres.gpu.memory_triton import lead_kernel, walk_kernel
from dualres.gpu.passes import EPS, Passes
from dualres.gpu.spectra import Spectra
from dualres.machinery.cuda_graphs import warmed_and_recorded
from dualres.model.network import DualRes

MOST_WINDOWS = 256  # in one graph; about a gigabyte of buffers
FEW, STEP = 4, 16  # numbers of windows are rounded up to the first, or to a multiple of the second
BINS_AT_ONCE = 256
TOKENS_EACH = 4  # for a program of the readout of one window
CHANNELS, CHUNK, GROUP = 4, 32, 16  # of a warp's walk through part of a window, and tokens it asks for together
BLOCKS = 4  # kept for each network; a campaign's recordings have few lengths

Logits = npt.NDArray[np.float32]


def scorer(network: DualRes) -> Scorer:
    """The network's scorer, made at the first call and again whenever its parameters have changed."""
    stamp = network.stamp()
    known = _scorers.get(network)
    if known is None or known[0] != stamp:
        known = _scorers[network] = (stamp, Scorer(network))
    return known[1]


class Scorer:
    """Logits by the parameters that the network has when this is made. One thread may use it at a time.

    It runs without gradients, but not in inference mode: buffers made in it could not be filled outside of it.
    """

    def __init__(self, network: DualRes) -> None:
        self.device = network.head.weight.device
        self._layout = Layout(network.config, network.head.out_features)
        with torch.inference_mode(False):
            self._weights = self._layout.pack(network)[None]
        self._blocks: OrderedDict[int, _Block] = OrderedDict()
        self._single: _SingleWindow | None = None

    @torch.inference_mode(False)
    @torch.no_grad()
    def window(self, samples: npt.NDArray[np.float32]) -> Logits:
        """The logits (classes,) of one window (window,) in host memory: the fastest way to a single answer."""
        if self._single is None:
            with torch.cuda.device(self.device):
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
                some = starts[i : i + MOST_WINDOWS]
                parts.append(self._block(len(some))(samples, some))
        return torch.cat(parts) if len(parts) > 2 else parts[-1]

    def _block(self, windows: int) -> _Block:
        count = FEW if windows <= FEW else min(MOST_WINDOWS, ceil_div(windows, STEP) * STEP)
        if count not in self._blocks:
            self._blocks[count] = _Block(self._layout, self._weights, count)
            if len(self._blocks) > BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(count)
        return self._blocks[count]


class _Block:
    """Up to `windows` windows of a signal in one graph. Windows that were not asked for begin at the first sample."""

    def __init__(self, layout: Layout, weights: Tensor, windows: int) -> None:
        self._length = layout.config.window
        self._signal = torch.zeros(windows * self._length, device=weights.device)
        self._starts = torch.zeros(windows, dtype=torch.int64, device=weights.device)
        self._given: Sequence[int] = ()
        self._first, self._end = 0, 0
        self._spectra = Spectra(layout, windows, weights.device)
        self._passes = Passes(layout, 1, windows, weights.device)
        self._passes.weights.copy_(weights)
        self._graph = warmed_and_recorded(self._go)

    def _go(self) -> None:
        self._spectra.fill(self._passes.short, self._passes.long, self._signal, self._starts)
        self._passes.forward()

    def __call__(self, signal: Tensor, starts: Sequence[int]) -> Tensor:
        if starts != self._given:  # recordings of one length have them in common
            first, end = min(starts), max(starts) + self._length
            if end - first > len(self._signal):  # far apart
                samples = torch.cat([signal[s : s + self._length] for s in starts])
                return self(samples, range(0, len(samples), self._length))
            places = torch.zeros(len(self._starts), dtype=torch.int64)
            places[: len(starts)] = torch.tensor(starts) - first
            self._starts.copy_(places)
            self._given, self._first, self._end = starts, first, end
        self._signal[: self._end - self._first].copy_(signal[self._first : self._end], non_blocking=True)
        self._graph.replay()
        return self._passes.logits[: len(starts)].clone()


class _SingleWindow:
    """One window, with the copies from and to the host in the graph."""

    def __init__(self, layout: Layout, weights: Tensor) -> None:
        self._samples = torch.zeros(layout.config.window).pin_memory()
        self._answer = torch.zeros(layout.classes).pin_memory()
        self._signal = torch.zeros(layout.config.window, device=weights.device)
        self._inference = Inference(layout, weights)
        self._graph = warmed_and_recorded(self._go)

    def _go(self) -> None:
        self._signal.copy_(self._samples, non_blocking=True)
        self._inference.run(self._signal)
        self._answer.copy_(self._inference.logits, non_blocking=True)

    def __call__(self, samples: npt.NDArray[np.float32]) -> Logits:
        self._samples.numpy()[:] = samples
        self._graph.replay()
        torch.cuda.current_stream(self._signal.device).synchronize()
        answer: Logits = self._answer.numpy().copy()
        return answer


class Inference:
    """The way of one window on the GPU, by `inference_triton.py`; its buffers stay where they are, for CUDA graphs."""

    def __init__(self, layout: Layout, weights: Tensor) -> None:
        config, device = layout.config, weights.device
        self._layout, self._weights = layout, weights
        self._shares = ceil_div(config.tokens, TOKENS_EACH)
        self._spectra = Spectra(layout, 1, device)
        self._features, self._normed, self._y = torch.empty(3, config.tokens, config.width, device=device)
        self._coefficients = torch.empty(config.tokens, layout.maps, device=device)
        self._leads = torch.empty(ceil_div(config.tokens, CHUNK), 2 * config.states + 1, config.width, device=device)
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
        walkers = 1, width // CHANNELS, ceil_div(tokens, CHUNK)
        sizes = {"SIZE": self._layout.size, "TOKENS": tokens, "WIDTH": width, "STATES": states, "GROUP": GROUP}
        walks = {"PITCH": offsets["pitch"], "ROTATES": config.rotation, "CHANNELS": CHANNELS, "CHUNK": CHUNK}
        lead_kernel[walkers](self._coefficients, weights, self._leads, 1, **sizes, **walks, num_warps=1)
        walk_kernel[walkers](
            self._coefficients, weights, self._leads, self._y, self._y, 1, **sizes, **walks, KEEP=0, num_warps=1
        )
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


_scorers: WeakKeyDictionary[DualRes, tuple[tuple[tuple[int, int], ...], Scorer]] = WeakKeyDictionary()
