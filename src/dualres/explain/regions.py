"""What a network hears, in regions that an engineer would name: some Hz wide, or coming and going at some rates.

Rates are told in Hz or, where the speed of the shaft is known, in orders, which are multiples of its rate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dualres.config import ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.faultlines.lines import BEARING_SLIP, OrderLine
from dualres.utils.arrays import Exact

WIDTH_HZ = 500  # of a region of spectra
RATES = 8  # oscillators side by side in one: from a rate to 1.7 times that
LINES = 4  # bands of low lines in one
READINGS = 2  # of modulation side by side in one, by a network of orders: from a rate to 1.11 times that
SPECTRA, REPETITION, LOW_LINES = "spectra", "repetition", "lines"
MODULATION, ENVELOPE = "modulation", "envelope"


@dataclass(frozen=True)
class Region:
    """A part of what a network hears."""

    view: str  # spectra, repetition, lines, modulation or envelope
    low_hz: float
    high_hz: float
    repeats_hz: tuple[float, float] | None = None  # how often what sounds there comes and goes
    orders: tuple[float, float] | None = None  # the same in multiples of the shaft's rate
    lines: tuple[OrderLine, ...] = ()  # fault lines that lie there

    def __str__(self) -> str:
        sounds = [] if self.view == ENVELOPE else [f"{_hz(self.low_hz)} to {_hz(self.high_hz)} Hz"]
        return ", ".join([*sounds, *self._repeats()])

    def _repeats(self) -> list[str]:
        if self.orders:
            orders = dict.fromkeys(f"{line.order:.3g}" for line in self.lines) or [_order(*self.orders)]
            known = f": {' or '.join(line.name for line in self.lines)}" if self.lines else ""
            return [f"{' or '.join(orders)} x shaft{known}"]
        return [f"{_hz(self.repeats_hz[0])} to {_hz(self.repeats_hz[1])} times a second"] if self.repeats_hz else []

    def turning(self, shaft_hz: float | None) -> "Region":
        """The same where a shaft turns so fast."""
        if self.orders is None or shaft_hz is None:
            return self
        slow, fast = self.orders
        return replace(self, repeats_hz=(slow * shaft_hz, fast * shaft_hz))

    def named(self, known: Sequence[OrderLine]) -> "Region":
        """The same with the fault lines that lie there, by as much as a bearing may slip."""
        if self.orders is None:
            return self
        low, high = self.orders[0] / (1 + BEARING_SLIP), self.orders[1] * (1 + BEARING_SLIP)
        return replace(self, lines=tuple(line for line in known if low <= line.order < high))

    def heard(self, highest_hz: float) -> str:
        """In words, of a recording that reaches up to `highest_hz`."""
        return f"{self}{', above what was recorded' if self.low_hz >= highest_hz else ''}"


@dataclass(frozen=True)
class Grouping:
    """The features of one view, and the region that each belongs to."""

    regions: tuple[Region, ...]
    of_feature: npt.NDArray[np.int64]  # (features,)

    def sums(self, shares: Exact) -> Exact:
        """Of shares (n, features) over each region: (n, regions)."""
        return np.asarray(shares @ (self.of_feature[:, None] == np.arange(len(self.regions))).astype(np.float64))


@lru_cache(maxsize=8)
def groupings(config: ModelConfig) -> dict[str, Grouping]:
    """By the view's name; the features are those that the heads of a network of views take."""
    return {SPECTRA: _spectra(config), REPETITION: _repetition(config), LOW_LINES: _lines(config)}


@lru_cache(maxsize=8)
def order_groupings(config: ModelConfig, by_order: bool) -> dict[str, Grouping]:
    """The same of a network of orders, on an axis of orders or of Hz."""
    return {SPECTRA: _spectra(config), MODULATION: _modulation(config, by_order), ENVELOPE: _envelope(config, by_order)}


def _spectra(config: ModelConfig) -> Grouping:
    bins = [config.rate / length * np.arange(length // 2 + 1) for length in (config.short, config.long)]
    last = (config.rate / 2 - 1e-9) // WIDTH_HZ
    number = np.minimum(np.concatenate(bins) // WIDTH_HZ, last).astype(np.int64)
    regions = (Region(SPECTRA, WIDTH_HZ * i, WIDTH_HZ * (i + 1.0)) for i in range(int(last) + 1))
    return Grouping(tuple(regions), number)


def _repetition(config: ModelConfig) -> Grouping:
    hz = VIEW_SIZES.oscillator_hz()
    step = np.sqrt(hz[1] / hz[0])
    groups = [hz[i : i + RATES] for i in range(0, len(hz), RATES)]
    regions = [
        Region(REPETITION, *band, rates)
        for band in _bands(config)
        for rates in ((float(group[0] / step), float(group[-1] * step)) for group in groups)
    ]
    within = np.arange(len(hz)) // RATES
    return Grouping(tuple(regions), np.concatenate([within + len(groups) * band for band in range(VIEW_SIZES.bands)]))


def _lines(config: ModelConfig) -> Grouping:
    edges = [bin * config.rate / config.window for bin in VIEW_SIZES.line_edges]
    number = np.arange(len(edges) - 1) // LINES
    ends = [*edges[:-1:LINES], edges[-1]]
    return Grouping(tuple(Region(LOW_LINES, low, high) for low, high in pairwise(ends)), number)


def _modulation(config: ModelConfig, by_order: bool) -> Grouping:
    count = ORDER_SIZES.oscillators // READINGS
    regions = [
        _repeating(MODULATION, band, cell, by_order)
        for band in _bands(config)
        for cell in pairwise(ORDER_SIZES.edges(count))
    ]
    within = np.arange(ORDER_SIZES.oscillators) // READINGS
    return Grouping(tuple(regions), np.concatenate([within + count * band for band in range(VIEW_SIZES.bands)]))


def _envelope(config: ModelConfig, by_order: bool) -> Grouping:
    heard = (ORDER_SIZES.lowest_bin * config.rate / config.long, config.rate / 2)
    regions = [_repeating(ENVELOPE, heard, cell, by_order) for cell in pairwise(ORDER_SIZES.edges(ORDER_SIZES.lines))]
    return Grouping(tuple(regions), np.arange(ORDER_SIZES.lines))


def _repeating(view: str, hz: tuple[float, float], orders: tuple[float, float], by_order: bool) -> Region:
    if by_order:
        return Region(view, *hz, orders=orders)
    slow, fast = orders
    return Region(view, *hz, repeats_hz=(slow * ORDER_SIZES.usual_hz, fast * ORDER_SIZES.usual_hz))


def _bands(config: ModelConfig) -> list[tuple[float, float]]:
    """Of modulation, in Hz."""
    hz = config.rate / config.short
    return [(low * hz, high * hz) for low, high in pairwise(VIEW_SIZES.band_edges)]


def _order(low: float, high: float) -> str:
    """What to call orders between these: by the whole number among them, or by their middle."""
    whole = math.floor(high)
    return f"{whole}" if low <= whole and whole > 0 else f"{math.sqrt(low * high):.3g}"


def _hz(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
