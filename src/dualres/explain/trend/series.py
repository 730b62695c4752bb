"""One machine over time: its dated recordings, what is known of each, and when it changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dualres.explain.trend.change import ERROR, ChangePoint, ChangeSearch, find_changes
from dualres.explain.trend.levels import RecordingLevels
from dualres.utils.arrays import Exact

SPEED = "speed"  # as what explains levels
STEADY = 0.02  # by which a speed may vary, as a share, and explain nothing
EXPLAINING = ("load", "temperature", "power", "torque")  # columns that explain levels, where they are numbers
SHOWN_BASELINE = 10  # recordings at least that distances are shown from, where nothing was found and nobody says

FEATURES = {
    "level": "the level (rms)",
    "impulsiveness": "impulsiveness (kurtosis of the middle frame)",
    "bands": "the band",
    "lines": "the lines of the bearing or gear",
}


@dataclass(frozen=True)
class TrendPoint:
    """A recording in a series."""

    file: str
    at: float  # s since 1970, or another number that rises
    time: str  # in words
    levels: RecordingLevels
    condition: Mapping[str, str]
    label: str | None = None
    distance_db: float | None = None  # from the healthy baseline, root mean square over bands


@dataclass(frozen=True)
class Trend:
    """What was found of one machine, or of one axis of it."""

    machine: str  # empty where only one is known
    axis: str  # empty where axes are pooled
    points: tuple[TrendPoint, ...]  # in the order in which they were made
    times: str  # from where their times are known
    dated: bool
    search: ChangeSearch
    baseline: int  # first recordings that distances are shown from
    explaining: tuple[str, ...] = ()  # what levels were adjusted for
    left_out: tuple[tuple[str, str], ...] = ()  # files and reasons

    @property
    def change(self) -> ChangePoint | None:
        """The first one."""
        return self.search.first

    @property
    def name(self) -> str:
        return " ".join(filter(None, [self.machine, self.axis and f"axis {self.axis}"]))

    @property
    def answer(self) -> str:
        if self.change:
            return "changed"
        return "no change found" if self.search.watched_from is not None else "cannot tell"

    def what(self, change: ChangePoint) -> str:
        """What rose, in words."""
        if change.feature != "bands":
            return FEATURES[change.feature]
        edges = self.points[0].levels.bands_hz
        return f"{FEATURES['bands']} from {edges[change.part]:,.0f} to {edges[change.part + 1]:,.0f} Hz"

    def unit(self, change: ChangePoint) -> str:
        """Of what rose; scores of lines have none."""
        return "" if change.feature == "lines" else " dB"

    @property
    def sentence(self) -> str:
        """The answer in words, with its promise."""
        change = self.change
        if change:
            found, began = self.points[change.found], self.points[change.began]
            return (
                f"changed: found at {found.time}, recording {change.found + 1} of {len(self.points)}, by "
                f"{self.what(change)}; began about {began.time}. {self.promise}"
            )
        if self.search.watched_from is None:
            return f"cannot tell: {self.search.reason}"
        first = self.points[self.search.watched_from]
        return (
            f"no change found; watched from recording {self.search.watched_from + 1} on ({first.time}). {self.promise}"
        )

    @property
    def promise(self) -> str:
        return (
            f"At most {100 * self.search.error:g} % of healthy machines are ever said to have changed, however often "
            "one looks."
        )

    @property
    def severity(self) -> str:
        """How strongly it vibrates at last, in words; empty where the unit of the samples is not known."""
        known = [point.levels.velocity_mm_s for point in self.points[: self.baseline]]
        before = [one for one in known if one is not None]
        last = self.points[-1].levels if self.points else None
        if last is None or last.velocity_mm_s is None or not before:
            return ""
        zone = f", zone {last.zone} by the limits given" if last.zone else ""
        return (
            f"{last.velocity_mm_s:.3g} mm/s rms from 10 to 1,000 Hz at {self.points[-1].time}{zone}; "
            f"{float(np.median(before)):.3g} mm/s at first"
        )

    def rise_db(self, number: int) -> float:
        """How far the rms of a recording lies above the median of the baseline."""
        healthy = np.median([point.levels.rms for point in self.points[: self.baseline]])
        return 20 * float(np.log10(self.points[number].levels.rms / healthy))

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        said: dict[str, Any] = {"machine": self.machine} if self.machine else {}
        said |= {"axis": self.axis} if self.axis else {}
        said |= {
            "answer": self.answer,
            "said": self.sentence,
            "false_alarm_rate": self.search.error,
            "times_from": self.times,
            "recordings": len(self.points),
            "baseline_recordings": self.baseline,
            "adjusted_for": list(self.explaining),
        }
        if self.severity:
            said["severity"] = self.severity
        if self.search.watched_from is not None:
            said["watched_from"] = self.points[self.search.watched_from].file
        else:
            said |= {"reason": self.search.reason, "recordings_needed": self.search.needed}
        said["changes"] = [self._change_data(one) for one in self.search.changes]
        said["points"] = [self._point_data(number) for number in range(len(self.points))]
        said["left_out"] = [{"file": file, "reason": reason} for file, reason in self.left_out]
        return said

    def _change_data(self, one: ChangePoint) -> dict[str, Any]:
        found, began = self.points[one.found], self.points[one.began]
        return {
            "by": one.feature,
            "said": self.what(one),
            "found": {"number": one.found + 1, "file": found.file, "time": found.time},
            "began": {"number": one.began + 1, "file": began.file, "time": began.time},
            "healthy": one.healthy,
            "limit": one.limit,
            "level": one.level,
            "window": one.window,
            "baseline_recordings": one.baseline,
        }

    def _point_data(self, number: int) -> dict[str, Any]:
        point = self.points[number]
        said = {
            "file": point.file,
            "time": point.time,
            "distance_db": point.distance_db,
            "rise_db": self.rise_db(number),
        }
        return {**said, **point.levels.as_data()}


def trend_of(
    points: Sequence[TrendPoint],
    *,
    machine: str = "",
    axis: str = "",
    times: str = "as they were given",
    dated: bool = False,
    error: float = ERROR,
    healthy: int | str | None = None,
    adjust: Sequence[str] | None = None,
    left_out: Sequence[tuple[str, str]] = (),
) -> Trend:
    """The trend of recordings that are sorted by their times.

    `healthy` is how many of the first ones are known to be healthy, or the label that they have. `adjust` names the
    columns that explain levels, such as load, and *speed*; by default those of `EXPLAINING` and the speed, where they
    are known of every recording and vary.
    """
    points, odd = _one_rate(points)
    first = _leading(points, healthy) if isinstance(healthy, str) else healthy
    names = _explaining(points, adjust)
    beside = np.array([[_explains(point, name) for name in names] for point in points], dtype=np.float64)
    beside = beside.reshape(len(points), len(names))
    features = features_of(points)
    search = find_changes(features, error=error, healthy=first, beside=beside) if features else _nothing(error)
    baseline = first or (_healthy_part(search.first) if search.first else min(len(points), SHOWN_BASELINE))
    distances = _distances(features.get("bands"), baseline)
    points = tuple(replace(one, distance_db=each) for one, each in zip(points, distances, strict=True))
    return Trend(machine, axis, points, times, dated, search, baseline, names, (*left_out, *odd))


def features_of(points: Sequence[TrendPoint]) -> dict[str, Exact]:
    """What a change is looked for in: (n,), or (n, bands), in dB or in deviations."""
    if not points:
        return {}
    levels = [point.levels for point in points]
    found = {
        "level": 20 * np.log10([one.rms for one in levels]),
        "impulsiveness": 10 * np.log10([one.impulsiveness for one in levels]),
    }
    bands = np.array([one.bands for one in levels], dtype=np.float64)
    found["bands"] = 20 * np.log10(bands)
    striking = np.array([one.striking for one in levels], dtype=np.float64)
    if np.isfinite(striking).sum() > len(points) / 2:
        found["lines"] = striking
    return {name: np.asarray(one, dtype=np.float64) for name, one in found.items()}


def _healthy_part(change: ChangePoint) -> int:
    """The first recordings that the change was found against, without those that it had begun in."""
    return min(change.baseline, max(change.began, 1))


def _nothing(error: float) -> ChangeSearch:
    return ChangeSearch(error, (), None, None, "no recording could be used")


def _one_rate(points: Sequence[TrendPoint]) -> tuple[tuple[TrendPoint, ...], list[tuple[str, str]]]:
    """Those at the usual rate; bands of another one are other bands."""
    rates = Counter(point.levels.rate for point in points)
    if len(rates) < 2:
        return tuple(points), []
    usual = rates.most_common(1)[0][0]
    odd = [
        (one.file, f"recorded at {one.levels.rate:g} Hz, and most others at {usual:g} Hz: levels cannot be compared")
        for one in points
        if one.levels.rate != usual
    ]
    return tuple(one for one in points if one.levels.rate == usual), odd


def _leading(points: Sequence[TrendPoint], label: str) -> int:
    """How many of the first recordings have the label."""
    return next((number for number, one in enumerate(points) if one.label != label), len(points))


def _explaining(points: Sequence[TrendPoint], adjust: Sequence[str] | None) -> tuple[str, ...]:
    """What varies of that which may explain levels, and is known of every recording."""
    found = []
    for name in (SPEED, *EXPLAINING) if adjust is None else adjust:
        values = np.array([_explains(point, name) for point in points])
        steady = np.log1p(STEADY) if name == SPEED else 0.0
        if len(values) and np.isfinite(values).all() and np.ptp(values) > steady:
            found.append(name)
    return tuple(found)


def _explains(point: TrendPoint, name: str) -> float:
    """A number; NaN where it is not known."""
    if name == SPEED:
        return float(np.log(point.levels.speed_rpm)) if point.levels.speed_rpm else float("nan")
    try:
        return float(point.condition.get(name, "nan"))
    except ValueError:
        return float("nan")


def _distances(bands: Exact | None, baseline: int) -> list[float | None]:
    """In dB, of every recording from the mean of the first ones."""
    if bands is None:
        return []
    known = bands[:, np.isfinite(bands).all(axis=0)]
    if not known.size:
        return [None] * len(bands)
    return [float(one) for one in np.sqrt(((known - np.median(known[:baseline], axis=0)) ** 2).mean(axis=1))]
