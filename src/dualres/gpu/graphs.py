"""Scoring on a GPU: raw windows to logits by CUDA graphs, one graph for each number of windows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.gpu.inference import Inference
from dualres.gpu.layout import Layout, ceil_div
from dualres.gpu.passes import Passes
from dualres.gpu.spectra import Spectra
from dualres.machinery.cuda_graphs import warmed_and_recorded
from dualres.model.network import DualRes

MOST_WINDOWS = 256  # in one graph; about a gigabyte of buffers
FEW, STEP = 4, 16  # numbers of windows are rounded up to the first, or to a multiple of the second
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
        return self._passes.readout.logits[: len(starts)].clone()


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


_scorers: WeakKeyDictionary[DualRes, tuple[tuple[tuple[int, int], ...], Scorer]] = WeakKeyDictionary()
