"""The polyphase resampler: scipy.signal.resample_poly's filter and alignment, for whole signals and stretches of them.

Between the samples at one rate lie `up` - 1 zeros, a low-pass filter smooths that, and every `down`-th value is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from dualres.kernel import compiled
from dualres.kernel.resample import CROSSINGS, Resampler, taps_for, total
from dualres.recordings.recording import BLOCK, Samples
from dualres.utils.arrays import Exact, Integers

_NEGLIGIBLE = 1e-12  # of the largest weight: a zero crossing of the filter, but for rounding
_LONGEST_WINDOW = 1024  # samples that an output depends on; beyond, the kernel's tables outgrow the caches
_AT_ONCE = 4 * BLOCK  # outputs of a signal in memory that the kernel computes at a time: a minute at 64 kHz
_SIMPLE = 16_384  # the larger side of a ratio whose filter and tables take few megabytes
_FEW_PHASES = 64  # outputs of a period: with more, vectors of one phase are too short to be fast
_KEPT_RATIOS, _KEPT_OTHERS = 8, 2


def polyphase(ratio: Fraction, holds: bool = False) -> Polyphase:
    """The resampler for this ratio; those used last are kept."""
    kept = _kept if max(ratio.numerator, ratio.denominator) <= _SIMPLE else _kept_other
    return kept(ratio, compiled.variant() is not None, holds)


class Polyphase:
    """A change of rate by `up` / `down`, by the compiled library where `fast` is possible.

    One that `holds` takes the first and the last sample for what lies beyond the ends of a signal, any other its mean.
    Before samples are weighed, the first one or the mean is taken from them, so that an offset costs no precision. One
    that holds has even taps, so that no tone remains of the rest of the offset, or of a step.
    """

    def __init__(self, up: int, down: int, fast: bool = True, holds: bool = False) -> None:
        self.up, self.down, self.holds = up, down, holds
        self._half = CROSSINGS * max(up, down)
        self.taps = taps_for(
            Fraction(up, down), holds
        )  # from the centre on, on a grid `up` times as fine as the samples
        self._width = width = 2 * self._half // up + 1  # samples that an output depends on
        rows = -((self._half - np.arange(up) * down) // up)  # of each output of a period, its first sample
        fast = fast and width <= _LONGEST_WINDOW
        self._kernel: Resampler | None = None
        if fast:
            self._kernel = Resampler(up, down, rows, width=width, weights=partial(self._weights, rows, width))
        self.unit = 1 if self._kernel is None else self._kernel.unit  # a stretch of outputs begins at a multiple of it

    def outputs(self, samples: int) -> int:
        """How many samples a signal has afterwards."""
        return -(-samples * self.up // self.down)

    def stretch(self, samples: Samples, first: int, mean: float, *, start: int, count: int) -> Samples:
        """Outputs `start` to `start + count` of a signal of which `samples` are those from `first` on, float32.

        What is missing before and behind them counts as `mean`. An output is the same to the last bit, whatever
        stretch it is computed in, unless numbers in it become larger than a float32 can be: then `stretch_ref` does it,
        and if outputs themselves are too large, it is an OverflowError.
        """
        out = None if self._kernel is None else self._kernel(samples, first, mean=mean, start=start, count=count)
        if out is None:
            out = self.stretch_ref(samples, first, mean, start=start, count=count)
            check_range(out)
        return out

    def stretch_ref(self, samples: Samples, first: int, mean: float, *, start: int, count: int) -> Samples:
        """The same by NumPy, in float64, tap by tap as scipy.signal.upfirdn adds; what is too large is infinite."""
        centres = np.arange(start, start + count) * self.down  # of the outputs, on the fine grid
        rows = -((self._half - centres) // self.up)  # of each output, the first sample that it depends on
        ahead = rows * self.up - (centres - self._half)  # from the filter's first tap to that sample
        begin = int(rows[0])
        rows -= begin
        level = np.zeros(int(rows[-1]) + self._width)  # of the samples from `begin` on above the mean, zero beyond them
        held = samples[max(0, begin - first) :][: max(0, begin + len(level) - max(begin, first))]
        level[max(0, first - begin) :][: len(held)] = held - np.float64(mean)
        mirrored = np.concatenate([self.taps[:0:-1], self.taps, np.zeros(self.up)])
        sums = np.zeros(count)
        if self.up > _FEW_PHASES:
            for tap in range(self._width):
                sums += mirrored[tap * self.up :].take(ahead) * level[tap:].take(rows)
        else:  # the same, many times faster: outputs that are `up` apart have the same weights
            for some, row, skipped in zip((sums[p :: self.up] for p in range(self.up)), rows, ahead, strict=False):
                for tap, weight in enumerate(mirrored[skipped :: self.up][: self._width]):
                    some += weight * level[row + tap :: self.down][: len(some)]
        with np.errstate(over="ignore"):
            return np.asarray((mean + sums).astype(np.float32))

    def parts(self, signal: Samples, mean: float | None = None) -> Iterator[Samples]:
        """The outputs of a signal in memory, as many at a time as go well: fewer by NumPy, whose float64 take room.

        `mean` is its mean, of which one that holds has no need.
        """
        outputs, level = self.outputs(len(signal)), self.level_of(signal, mean)
        most = min(BLOCK, BLOCK * self.up // self.down) if self._kernel is None else _AT_ONCE
        step = max(1, most // self.unit) * self.unit
        for start in range(0, outputs, step):
            count = min(step, outputs - start)
            first, end = self.first_needed(start), self._first_unneeded(start + count)
            samples = signal[first:end]
            if self.holds and end > len(signal):
                samples = self.held_on(samples)
            yield self.stretch(samples, first, level, start=start, count=count)

    def blocks(self, blocks: Iterable[Samples], mean: float | None = None) -> Iterator[Samples]:
        """The outputs of a signal that comes in blocks, in blocks again, as soon as what they depend on is there."""
        passage = Passage(self, mean)
        for block in blocks:
            out = passage.push(block)
            if out.size:
                yield out
        out = passage.finish()
        if out.size:
            yield out

    def whole(self, signal: Samples, mean: float | None = None) -> Samples:
        """All outputs of a signal in memory at once."""
        samples = self.held_on(signal) if self.holds else signal
        return self.stretch(samples, 0, self.level_of(signal, mean), start=0, count=self.outputs(len(signal)))

    def level_of(self, signal: Samples, mean: float | None) -> float:
        """What is taken from all samples before they are weighed."""
        return float(signal[0]) if mean is None else mean

    def held_on(self, samples: Samples) -> Samples:
        """The samples, the last of them repeated as far as outputs before the signal's end depend on it."""
        return np.concatenate([samples, np.repeat(samples[-1:], self._half // self.up + 1)])

    def settled(self, samples: int) -> int:
        """How many outputs depend on the first `samples` only, whatever follows."""
        return max(0, (samples * self.up - self._half - 1) // self.down + 1)

    def begin_of_unit(self, output: int) -> int:
        """The last output up to this one that a stretch may begin with."""
        return output // self.unit * self.unit

    def first_needed(self, output: int) -> int:
        """The first sample that a stretch depends on which gives this output and those behind it."""
        return max(0, -((self._half - self.begin_of_unit(output) * self.down) // self.up))

    def _first_unneeded(self, output: int) -> int:
        """The first sample behind all that the outputs before this one depend on; there may be fewer."""
        return ((output - 1) * self.down + self._half) // self.up + 1

    def _weights(self, rows: Integers, width: int, outputs: Integers) -> Exact:
        """The weights of some outputs of a period, from the first sample that they depend on: (outputs, width)."""
        centres = outputs * self.down - rows[outputs] * self.up
        distances = np.abs(centres[:, None] - np.arange(width) * self.up)
        weights = np.where(distances <= self._half, self.taps[np.minimum(distances, self._half)], 0.0)
        weights[np.abs(weights) < _NEGLIGIBLE * self.taps[0]] = 0.0
        return weights


class Passage:
    """A signal on its way through a change of rate, block by block; `mean` is as for `Polyphase.parts`."""

    def __init__(self, plan: Polyphase, mean: float | None = None) -> None:
        self.plan, self.level = plan, mean
        self.done = 0  # outputs that were given
        self._first = self._end = 0  # of the samples that are held, and how many there were in all
        self._held: list[Samples] = []

    def push(self, block: Samples, least: int = 1) -> Samples:
        """The outputs that are known now, if they are `least` or more; fewer wait for others."""
        if block.size:
            self.level = self.plan.level_of(block, self.level)
            self._held.append(block)
            self._end += len(block)
        ready = self.plan.settled(self._end)
        return self._given(ready) if ready - self.done >= least else _NOTHING

    def finish(self) -> Samples:
        """The outputs that are left, now that the signal is over."""
        outputs = self.plan.outputs(self._end)
        if self.plan.holds and outputs > self.done:
            self._held = [self.plan.held_on(self.held)]
        return self._given(outputs)

    @property
    def held(self) -> Samples:
        """The samples from `plan.first_needed(done)` on."""
        if len(self._held) != 1:
            self._held = [np.concatenate([_NOTHING, *self._held])]
        return self._held[0]

    def go_on(self, level: float, done: int, held: Samples) -> None:
        """Be where another passage was: `done` outputs or more given, of samples up to the last of `held`."""
        self.level, self.done, self._first = level, done, self.plan.first_needed(done)
        self._held, self._end = [held], self._first + len(held)

    def _given(self, ready: int) -> Samples:
        if ready <= self.done or self.level is None:
            return _NOTHING
        samples, start = self.held, self.plan.begin_of_unit(self.done)
        out = self.plan.stretch(samples, self._first, self.level, start=start, count=ready - start)[self.done - start :]
        self.done, needed = ready, self.plan.first_needed(ready)
        self._held, self._first = [samples[needed - self._first :].copy()], needed
        return out


_NOTHING = np.empty(0, np.float32)


def check_range(outputs: Samples) -> None:
    """An OverflowError unless all of them are finite."""
    if not math.isfinite(total(outputs)):
        raise OverflowError("an output is larger than a float32 can be")


def _polyphase(ratio: Fraction, fast: bool, holds: bool) -> Polyphase:
    return Polyphase(ratio.numerator, ratio.denominator, fast, holds)


_kept, _kept_other = lru_cache(_KEPT_RATIOS)(_polyphase), lru_cache(_KEPT_OTHERS)(_polyphase)
