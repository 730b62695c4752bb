"""The polyphase resampler: scipy.signal.resample_poly's filter and alignment, for whole signals and stretches of them.

Between the samples at one rate lie `up` - 1 zeros, a low-pass filter smooths that, and every `down`-th value is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.signal import firwin, upfirdn

from dualres.kernel import compiled
from dualres.kernel.resample import Resampler
from dualres.recordings.recording import Samples

Reals = npt.NDArray[np.float64]

_KAISER = 5.0
_HALF = 10  # of the filter's length, in zero crossings
_NEGLIGIBLE = 1e-12  # of the largest weight: a zero crossing of the filter, but for rounding
_LONGEST_WINDOW = 1024  # samples that an output depends on; beyond, the kernel's tables outgrow the caches
_KEPT_RATIOS = 8


def polyphase(ratio: Fraction) -> Polyphase:
    """The resampler for this ratio; those used last are kept."""
    return _polyphase(ratio, compiled.variant() is not None)


class Polyphase:
    """A change of rate by `up` / `down`, by the compiled library where `fast` is possible."""

    def __init__(self, up: int, down: int, fast: bool = True) -> None:
        self.up, self.down = up, down
        self._half = _HALF * max(up, down)
        self._filter: Reals = up * firwin(2 * self._half + 1, 1 / max(up, down), window=("kaiser", _KAISER))
        fast = fast and 2 * self._half // up < _LONGEST_WINDOW
        self._kernel = Resampler(up, down, *self._weights()) if fast else None
        self.unit = 1 if self._kernel is None else self._kernel.unit  # a stretch of outputs begins at a multiple of it

    @property
    def taps(self) -> Reals:
        """The filter from its centre on, on a grid `up` times as fine as the samples; the other half mirrors it."""
        return self._filter[self._half :]

    def outputs(self, samples: int) -> int:
        """How many samples a signal has afterwards."""
        return -(-samples * self.up // self.down)

    def stretch(self, samples: Samples, first: int, mean: float, start: int, count: int) -> Samples:
        """Outputs `start` to `start + count` of a signal of which `samples` are those from `first` on, float32.

        What is missing before and behind them counts as `mean`. An output is the same to the last bit, whatever
        stretch it is computed in.
        """
        out = None if self._kernel is None else self._kernel(samples, first, mean, start, count)
        return self.stretch_ref(samples, first, mean, start, count) if out is None else out

    def stretch_ref(self, samples: Samples, first: int, mean: float, start: int, count: int) -> Samples:
        """The same by SciPy, in float64; the last bit may depend on the stretch."""
        place = self._half + start * self.down - first * self.up  # of the first output in the filtered signal
        ahead = -place % self.down
        padded = np.concatenate([np.zeros(ahead), self._filter])
        filtered = upfirdn(padded, samples.astype(np.float64) - mean, self.up, self.down)
        begin = (place + ahead) // self.down
        kept = filtered[begin : begin + count]
        out = np.full(count, mean)
        out[: len(kept)] += kept
        return out.astype(np.float32)

    def blocks(self, blocks: Iterable[Samples], mean: float) -> Iterator[Samples]:
        """The outputs of a signal that comes in blocks, in blocks again, as soon as what they depend on is there."""
        held: list[Samples] = []
        first = end = done = 0  # the samples held and the outputs given
        for block in blocks:
            held.append(block)
            end += len(block)
            ready = self._settled(end)
            if ready > done:
                samples = np.concatenate(held)
                yield self.stretch(samples, first, mean, done, ready - done)
                done, needed = ready, self._first_needed(ready)
                held, first = [samples[needed - first :].copy()], needed
        if self.outputs(end) > done:
            yield self.stretch(np.concatenate(held), first, mean, done, self.outputs(end) - done)

    def _settled(self, samples: int) -> int:
        """How many outputs depend on the first `samples` only, whatever follows; whole units of them."""
        reached = (samples * self.up - self._half - 1) // self.down + 1
        return max(0, reached // self.unit * self.unit)

    def _first_needed(self, output: int) -> int:
        """The first sample that this output and those behind it depend on."""
        return max(0, -((self._half - output * self.down) // self.up))

    def _weights(self) -> tuple[npt.NDArray[np.int64], Reals]:
        """Of each output of a period, the first sample that it depends on and the weights from there: (up, width)."""
        centres = np.arange(self.up) * self.down
        rows = -((self._half - centres) // self.up)
        taps = (self._half + centres - rows * self.up)[:, None] - np.arange(2 * self._half // self.up + 1) * self.up
        weights = np.where(taps >= 0, self._filter[np.maximum(taps, 0)], 0.0)
        weights[np.abs(weights) < _NEGLIGIBLE * self._filter[self._half]] = 0.0
        return rows, weights


@lru_cache(_KEPT_RATIOS)
def _polyphase(ratio: Fraction, fast: bool) -> Polyphase:
    return Polyphase(ratio.numerator, ratio.denominator, fast)
