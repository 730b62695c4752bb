"""When a machine changed, looked at after every recording, at a stated rate of false alarms in a whole healthy series.

A change is found where, of the last recordings, three quarters lie above a limit. The limit stands above the healthy
mean by a tolerance, for load and temperature change a machine as well, and by what a healthy machine reaches in the
allowed share of all series (`limits`). Every recording that is new is such a look, and so is every baseline and every
level that is looked at: the allowed share is split among all of them, so that their sum is kept however long one goes
on. What was said of a recording is never taken back: it depends on no later one.

Unless somebody says how many recordings were healthy, baselines of `BASELINES` first recordings are tried, each of
which judges all that follow it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from dualres.errors import ConfigError
from dualres.explain.trend.limits import LEAST_FREEDOM, MOST_ALIKE, BaselineNoise, HealthySpread
from dualres.utils.arrays import Exact, Integers

ERROR = 0.05  # of healthy series in which a change is ever found
TOLERANCE = 1.0  # dB of a level, or deviations of a line's score, that a healthy machine may change by
FIRST_BASELINE, LONGER = 10, 2  # recordings, and by how much each baseline is longer than the one before
WINDOWS = (4, 8, 16)  # last recordings, of which three quarters must lie above the limit
LEAST_LEFT = 3  # recordings of a baseline beyond those that what explains it takes
BEYOND = 0.25  # of the range of a load or speed in the baseline, by which a recording may lie outside


@dataclass(frozen=True)
class ChangePoint:
    """A level that left its healthy range."""

    feature: str
    part: int  # which of several levels of the feature, counted from 0
    found: int  # the recording at which it is found, counted from 0
    began: int  # the first one that is unlike the healthy ones
    healthy: float  # mean level of the baseline
    limit: float
    level: float  # of the last `window` recordings, three quarters of them are as high
    window: int
    baseline: int  # recordings

    @property
    def rank(self) -> tuple[int, float]:
        """The earlier, and then the clearer, first."""
        return self.found, self.limit - self.level


@dataclass(frozen=True)
class ChangeSearch:
    """What was found in a series."""

    error: float  # share of healthy series in which a change is ever found
    changes: tuple[ChangePoint, ...]  # of every feature that changed, the first one first
    watched_from: int | None  # the first recording that could show a change, counted from 0; None if none could
    needed: int | None = None  # recordings, where none could
    reason: str = ""

    @property
    def first(self) -> ChangePoint | None:
        return self.changes[0] if self.changes else None


def find_changes(
    features: Mapping[str, Exact], *, error: float = ERROR, healthy: int | None = None, beside: Exact | None = None
) -> ChangeSearch:
    """When levels rose: (n,) over time, or (n, parts) of a feature that has several.

    The error is split evenly among features, and then among parts. Levels are in dB, or in other units in which
    `TOLERANCE` is a small change; NaN where one is not known. `healthy` is how many of the first recordings are known
    to be; `beside` (n, k) has what explains levels, such as load and speed.
    """
    if not 0 < error < 1:
        raise ConfigError(f"an error of {error:g}: give a share between 0 and 1, such as 0.05")
    if not features:
        raise ConfigError("no level is given to look for a change in")
    machine = [
        _Search(level, beside, error / len(features) / level.parts, healthy=healthy) for level in _levels_in(features)
    ]
    found = sorted(filter(None, (one.change(machine) for one in machine)), key=lambda one: one.rank)
    changes = {one.feature: one for one in reversed(found)}  # the first of each feature
    starts, needed = [one.start for one in machine if one.start is not None], [one.needed for one in machine]
    if starts:
        return ChangeSearch(error, tuple(sorted(changes.values(), key=lambda one: one.rank)), min(starts))
    least, count = min(needed), len(next(iter(features.values())))
    of = f", of which {healthy} make the baseline," if healthy is not None else ""
    reason = f"{count} recordings{of} are too few, or neighbours too much alike; about {least} are needed"
    return ChangeSearch(error, (), None, least, reason)


@dataclass(frozen=True)
class _Level:
    """One of the levels of a machine."""

    feature: str
    part: int
    parts: int  # of its feature
    values: Exact  # (n,)


def _levels_in(features: Mapping[str, Exact]) -> Iterator[_Level]:
    for name, given in features.items():
        parts = given[:, None] if given.ndim == 1 else given
        yield from (_Level(name, part, parts.shape[1], values) for part, values in enumerate(parts.T))


@dataclass(frozen=True)
class _Fit:
    """What the first recordings of a level show."""

    noise: BaselineNoise
    slopes: Exact  # (k,) of the level over what explains it
    middle: Exact  # (k,) where the level is as it was measured


@dataclass(frozen=True)
class _Baseline:
    """Healthy levels and how a recording compares."""

    healthy: HealthySpread
    count: int
    fit: _Fit
    low: Exact  # (k,) from where recordings can be compared
    high: Exact

    def compared(self, values: Exact, beside: Exact) -> tuple[Exact, Integers]:
        """The adjusted levels of those that can be compared, and their places."""
        at = np.flatnonzero(((beside >= self.low) & (beside <= self.high)).all(axis=1))
        return values[at] - (beside[at] - self.fit.middle) @ self.fit.slopes, at


class _Search:
    """For the change of one level (n,)."""

    def __init__(self, level: _Level, beside: Exact | None, share: float, *, healthy: int | None) -> None:
        around = np.zeros((len(level.values), 0)) if beside is None else beside
        self._there = np.flatnonzero(np.isfinite(level.values) & np.isfinite(around).all(axis=1))
        self._values, self._beside = level.values[self._there], around[self._there]
        self._level, self._share = level, share
        self._healthy = None if healthy is None else int((self._there < healthy).sum())
        self._fits: dict[int, _Fit | None] = {}
        self.start: int | None = None  # the first recording that could show a change
        self.needed = FIRST_BASELINE + WINDOWS[0]  # recordings, if none could

    def change(self, machine: Sequence["_Search"]) -> ChangePoint | None:
        """The first one, by what all levels of the machine tell of its noise."""
        best: ChangePoint | None = None
        accepted = 0
        for count in self._counts():
            if best is not None and best.found < count:
                break
            base = self._baseline(count, machine)
            if base is None:
                continue
            accepted += 1
            share = self._share if self._healthy is not None else self._share / (accepted * (accepted + 1))
            self.needed = count + WINDOWS[0]
            if self.start is None and self.needed <= len(self._values):
                self.start = int(self._there[self.needed - 1])
            best = min(
                [*self._crossings(base, share), *([best] if best else [])], key=lambda one: one.rank, default=None
            )
        return best and replace(best, found=int(self._there[best.found]), began=int(self._there[best.began]))

    def _counts(self) -> Iterator[int]:
        """How many first recordings make each baseline."""
        if self._healthy is not None:
            yield self._healthy
            return
        count = FIRST_BASELINE
        while count + WINDOWS[0] <= len(self._values):
            yield count
            count *= LONGER

    def _baseline(self, count: int, machine: Sequence["_Search"]) -> _Baseline | None:
        """None where it tells too little."""
        used, fit = self._beside.shape[1], self._fit(count)
        if fit is None:
            self.needed = max(self.needed, used + FIRST_BASELINE + WINDOWS[0])
            return None
        until = int(self._there[count - 1])  # what comes later may not change what was said
        fits = [one._fit(int((one._there <= until).sum())) for one in machine]
        healthy = HealthySpread.among(fit.noise, [one.noise for one in fits if one])
        if healthy.freedom < LEAST_FREEDOM or healthy.alike > MOST_ALIKE:
            alike = min(healthy.alike, MOST_ALIKE)
            least = max(FIRST_BASELINE, ceil(LEAST_FREEDOM * (1 + alike) / (1 - alike)) + used + 1)
            self.needed = max(least, count + 1) + WINDOWS[0]
            return None
        beside = self._beside[:count]
        margin = BEYOND * np.ptp(beside, axis=0)
        return _Baseline(healthy, count, fit, beside.min(axis=0) - margin, beside.max(axis=0) + margin)

    def _fit(self, count: int) -> _Fit | None:
        """Of the first recordings; None where they are too few."""
        if count not in self._fits:
            self._fits[count] = self._fitted(count)
        return self._fits[count]

    def _fitted(self, count: int) -> _Fit | None:
        used = self._beside.shape[1]
        if not used + 1 + LEAST_LEFT <= count <= len(self._values):
            return None
        values, beside = self._values[:count], self._beside[:count]
        middle = np.median(beside, axis=0)
        slopes = np.linalg.lstsq(np.column_stack([np.ones(count), beside - middle]), values, rcond=None)[0][1:]
        return _Fit(BaselineNoise.of(values - (beside - middle) @ slopes, used), slopes, middle)

    def _crossings(self, base: _Baseline, share: float) -> Iterator[ChangePoint]:
        """The first crossing of each window's limit."""
        levels, at = base.compared(self._values[base.count :], self._beside[base.count :])
        windows = [window for window in WINDOWS if window <= base.count]
        for window in windows:
            if len(levels) < window:
                return
            low = low_quarter(levels, window)
            # The time after a baseline counts in periods, each as long as all before it.
            lengths = np.arange(window, len(levels) + 1) / base.count
            periods = np.ceil(np.log2(np.maximum(lengths, 1))).astype(int)
            high = low > base.healthy.mean + TOLERANCE
            for period in np.unique(periods[high]).tolist():  # elsewhere no limit is crossed, whatever it is
                looks = 2 * base.count * 2 ** max(period - 1, 0) / window
                part = share / len(windows) / ((period + 1) * (period + 2))
                limit = base.healthy.mean + TOLERANCE + base.healthy.reach(window, looks, part)
                crossed = np.flatnonzero((periods == period) & (low > limit))
                if len(crossed):
                    place = int(crossed[0])
                    last = place + window - 1
                    began = _beginning(levels[: last + 1], base.healthy.mean, float(low[place]))
                    yield ChangePoint(
                        self._level.feature, self._level.part, base.count + int(at[last]), base.count + int(at[began]),
                        base.healthy.mean, limit, float(low[place]), window, base.count,
                    )  # fmt: skip
                    break


def _beginning(levels: Exact, healthy: float, level: float) -> int:
    """From where on levels are above the healthy mean for good: behind the lowest point of their sum."""
    above = np.minimum(levels, level) - healthy - min(TOLERANCE, (level - healthy) / 2)
    return min(int(np.argmin(np.concatenate([[0.0], np.cumsum(above)]))), len(levels) - 1)


def low_quarter(levels: Exact, window: int) -> Exact:
    """What three quarters of the last `window` levels reach, from the first time that there are so many."""
    rows = np.lib.stride_tricks.sliding_window_view(levels, window)
    return np.asarray(np.partition(rows, window // 4, axis=1)[:, window // 4])
