"""Samples in, in chunks of any size, and complete windows at the model's rate out; no model is needed for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dualres.recordings.polyphase import Passage, polyphase
from dualres.recordings.recording import Samples
from dualres.recordings.resample import exact_ratio
from dualres.recordings.speed import Speed

AT_LEAST = 1024  # outputs that are computed at a time, unless fewer complete a window
_FIELDS = ("position", "stretch", "longest", "number", "missing")  # of the state, all whole numbers


@dataclass(frozen=True)
class StreamWindow:
    samples: Samples  # (axes, window), at the model's rate
    start: int  # as `Event` has them
    stop: int
    missing: int  # samples since the window before
    begin: Mapping[str, Any]  # the marker of a framing that gives it next, from the samples since its `position`
    told: Speed | None = None  # of the shaft, the mean over it; where somebody asks for it


class Framing:
    """Cuts a stream of one axis or several, all in step, into half-overlapping windows.

    A stretch of samples without a gap is resampled as a recording of its own: what lies before it is its first sample,
    what lies behind it its last. No window spans a gap.
    """

    def __init__(self, rate: Fraction, axes: int, target: int, window: int) -> None:
        """`rate` is the stream's, in Hz, `target` the model's; a window has `window` samples at the latter."""
        self.rate, self._window, self._step = rate, window, window // 2
        ratio = exact_ratio(rate, target)
        self._up, self._down = ratio.numerator, ratio.denominator
        self._plan = None if ratio == 1 else polyphase(ratio, holds=True)
        self._buffer = np.empty((axes, window), np.float32)  # the window under way
        self.position = 0  # samples so far, also those that are missing
        self.stretch = 0  # the first of this stretch
        self.longest = 0  # samples of the longest stretch before
        self.missing = 0  # since the latest window
        self._begin()

    @property
    def axes(self) -> int:
        return len(self._buffer)

    @property
    def needed_from(self) -> int:
        """The first sample that the window under way depends on."""
        begin = self.number * self._step
        return self.stretch + (self._plan.first_needed(begin) if self._plan else begin)

    @property
    def samples_for_a_step(self) -> int:
        """By which a window starts after the one before, at the stream's rate."""
        return max(1, self._step * self._down // self._up)

    def take(self, samples: Samples) -> list[StreamWindow]:
        """The windows that finite samples (axes, n) complete; the array must not change afterwards."""
        self.position += samples.shape[1]
        if not self._passages:
            return self._windows_of(samples)
        least = min(self._window - self._filled, AT_LEAST)
        return self._windows_of([p.push(s, least) for p, s in zip(self._passages, samples, strict=True)])

    def gap(self, missing: int) -> list[StreamWindow]:
        """The windows that the end of this stretch completes; the next one begins `missing` samples later."""
        windows = self._windows_of([passage.finish() for passage in self._passages]) if self._passages else []
        self.longest = max(self.longest, self.position - self.stretch)
        self.position += missing
        self.missing += missing
        self.stretch = self.position
        self._begin()
        return windows

    def marker(self) -> dict[str, Any]:
        """Plain data by which `resume` begins, from the samples since `needed_from`, where this one is."""
        levels = [passage.level for passage in self._passages if passage.level is not None]
        return {**{name: getattr(self, name) for name in _FIELDS}, "levels": levels}

    def resume(self, marker: Mapping[str, Any], samples: Samples) -> None:
        """Be where another framing of this kind was; `samples` (axes, n) are those from its `needed_from` on."""
        self._read(marker)
        begin = self.number * self._step
        for passage, level, held in zip(self._passages, marker["levels"], samples, strict=False):
            passage.go_on(level, begin, held)
        nothing = np.empty((self.axes, 0), np.float32)
        self._windows_of([p.push(s) for p, s in zip(self._passages, nothing, strict=True)] if self._plan else samples)

    def buffers(self) -> list[Samples]:
        """All samples that are kept: of every axis those at the stream's rate, and those of the window under way."""
        return [*(passage.held for passage in self._passages), *self._buffer[:, : self._filled]]

    def restore(self, marker: Mapping[str, Any], held: Sequence[Samples]) -> None:
        """Be where another framing of this kind was that kept `held`."""
        self._read(marker)
        under_way = held[-self.axes :]
        self._filled = len(under_way[0])
        self._buffer[:, : self._filled] = under_way
        done = self.number * self._step + self._filled
        for passage, level, samples in zip(self._passages, marker["levels"], held, strict=False):
            passage.go_on(level, done, samples)

    def _begin(self) -> None:
        self._passages = [Passage(self._plan) for _ in self._buffer] if self._plan else []
        self._filled = self.number = 0  # samples in the buffer; and the window's number in this stretch

    def _read(self, marker: Mapping[str, Any]) -> None:
        for name in _FIELDS:
            setattr(self, name, int(marker[name]))

    def _windows_of(self, outputs: Sequence[Samples] | Samples) -> list[StreamWindow]:
        """The windows that outputs at the model's rate complete, of every axis as many."""
        windows, at = [], 0
        while at < len(outputs[0]):
            taken = min(self._window - self._filled, len(outputs[0]) - at)
            for axis, of_axis in zip(self._buffer, outputs, strict=True):
                axis[self._filled : self._filled + taken] = of_axis[at : at + taken]
            at, self._filled = at + taken, self._filled + taken
            if self._filled == self._window:
                windows.append(self._complete())
        return windows

    def _complete(self) -> StreamWindow:
        begin = self.number * self._step
        start = self.stretch + begin * self._down // self._up
        stop = self.stretch - (-(begin + self._window) * self._down // self._up)
        marker = {**self.marker(), "position": self.needed_from}
        window = StreamWindow(self._buffer.copy(), start, min(stop, self.position), self.missing, marker)
        self._filled, self.number, self.missing = self._window - self._step, self.number + 1, 0
        self._buffer[:, : self._filled] = self._buffer[:, self._step :].copy()
        return window
