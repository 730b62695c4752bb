"""What a network hears, in regions that an engineer would name: some Hz wide, or coming and going at some rates."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.utils.arrays import Exact

WIDTH_HZ = 500  # of a region of spectra
RATES = 8  # oscillators side by side in one: from a rate to 1.7 times that
LINES = 4  # bands of low lines in one
SPECTRA, REPETITION, LOW_LINES = "spectra", "repetition", "lines"


@dataclass(frozen=True)
class Region:
    """A part of what a network hears."""

    view: str  # spectra, repetition or lines
    low_hz: float
    high_hz: float
    repeats_hz: tuple[float, float] | None = None  # how often what sounds there comes and goes

    def __str__(self) -> str:
        if self.repeats_hz is None:
            return f"{_hz(self.low_hz)} to {_hz(self.high_hz)} Hz"
        slow, fast = self.repeats_hz
        return f"{_hz(self.low_hz)} to {_hz(self.high_hz)} Hz, {_hz(slow)} to {_hz(fast)} times a second"

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
        Region(REPETITION, low * config.rate / config.short, high * config.rate / config.short, rates)
        for low, high in pairwise(VIEW_SIZES.band_edges)
        for rates in ((float(group[0] / step), float(group[-1] * step)) for group in groups)
    ]
    within = np.arange(len(hz)) // RATES
    return Grouping(tuple(regions), np.concatenate([within + len(groups) * band for band in range(VIEW_SIZES.bands)]))


def _lines(config: ModelConfig) -> Grouping:
    edges = [bin * config.rate / config.window for bin in VIEW_SIZES.line_edges]
    number = np.arange(len(edges) - 1) // LINES
    ends = [*edges[:-1:LINES], edges[-1]]
    return Grouping(tuple(Region(LOW_LINES, low, high) for low, high in pairwise(ends)), number)


def _hz(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
