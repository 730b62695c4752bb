"""At which speed of the shaft the windows of a recording are judged.

A network of orders reads every window at multiples of the shaft's rate. A stated speed is hardly ever exact: of several
speeds around it, that one is taken at which the recording looks most like a class, and at which the shaft's own lines
stand out. Where none is stated, all speeds are tried that are not far from the labelled ones; where it stays open which
it is, no speed is used. One factor holds for a whole recording or for a segment, by its first windows.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, tee
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dualres.faultlines.speed_evidence import DECIMATED, GROUPS, lowpassed, shaft_evidence
from dualres.judge.backends import Seen, asks_for_speed, joined, sliced, weights_of
from dualres.judge.model import Model
from dualres.judge.speed_search import SpeedSearch, SpeedTried, near, wide
from dualres.judge.windows import STRETCH, model_windows
from dualres.model.kinds import resolved
from dualres.model.views.order_weights import OrdersWeights
from dualres.recordings.axes import in_order
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact, Floats

DECIDE = 64  # windows of a recording or a segment, from its first on, by which its speed is decided
COMPARED = 12  # of these, evenly spread, are compared with the classes; all of them show the shaft's lines

Places = Callable[[npt.NDArray[np.int_]], npt.NDArray[np.int_]]  # from numbers of windows to those of their segments


class WindowBlock(NamedTuple):
    """Neighbouring windows of one axis, and what a model sees of them."""

    axis: int
    windows: Samples  # (n, window)
    seen: Seen  # by the axis' network, whatever the speed
    hz: Exact | None = None  # of the shaft, (n,), NaN where no speed is used; None for models that know no orders

    def of(self, chosen: slice) -> "WindowBlock":
        """Some of them."""
        hz = None if self.hz is None else self.hz[chosen]
        return WindowBlock(self.axis, self.windows[chosen], sliced(self.seen, chosen), hz)


@dataclass(frozen=True, eq=False)
class Moments:
    """Neighbouring windows of all axes at the same moments."""

    first: int  # the number of the first window
    axes: tuple[WindowBlock, ...]

    def __len__(self) -> int:
        return len(self.axes[0].windows)

    @property
    def numbers(self) -> npt.NDArray[np.int_]:
        return np.arange(self.first, self.first + len(self))

    def part(self, first: int, last: int) -> "Moments":
        """Some of the windows, counted from the first of these."""
        chosen = slice(first, last)
        return Moments(self.first + first, tuple(one.of(chosen) for one in self.axes))

    def at(self, hz: Exact | None) -> "Moments":
        return replace(self, axes=tuple(one._replace(hz=hz) for one in self.axes))


@dataclass(frozen=True)
class WindowSpeeds:
    """The speeds at which the windows of a recording are judged."""

    given: Speed  # as stated or measured, or what the factors are of where nothing is
    window_s: float  # of a window; the next one begins after half of it
    search: SpeedSearch | None = None
    place: Places = np.zeros_like
    tried: dict[int, SpeedTried] = field(default_factory=dict)  # by the number of the segment, once it is decided

    def hz(self, first: int, count: int) -> Exact:
        """Of windows from number `first` on, (count,); NaN where no speed is used."""
        numbers = np.arange(first, first + count)
        segments, place = np.unique(self.place(numbers), return_inverse=True)
        return np.asarray(self.stated_hz(numbers) * np.array([self.factor(int(at)) for at in segments])[place])

    def factor(self, at: int = 0) -> float:
        """What the given speed of a recording, or of its segment of this number, is multiplied by; NaN for no speed."""
        if self.search is None:
            return 1.0
        return self.tried[at].factor if self.tried[at].sure else math.nan

    def stated_hz(self, numbers: npt.NDArray[np.int_]) -> Exact:
        """Of windows by their numbers, as given, (n,)."""
        return self.given.over(numbers.astype(np.float64) * (self.window_s / 2), self.window_s)

    def found(self, at: int = 0) -> Speed | None:
        """What a recording, or its segment of this number, was judged at; None where no speed was used."""
        if self.search is None:
            return self.given
        tried = self.tried[at]
        if not tried.sure:
            return None
        hz = tuple(tried.factor * each for each in self.given.hz)
        if not self.search.stated:
            return Speed(hz, self.given.at_s, "estimated")
        source = self.given.source if tried.factor == 1 else "refined"
        return Speed(hz, self.given.at_s, source, self.given.usual_spread)

    def segment(self, number: int) -> int:
        """That a window belongs to."""
        return int(self.place(np.array([number]))[0])

    def undecided(self, number: int) -> bool:
        """Whether the speed of a window's segment is still to be found."""
        return self.search is not None and self.segment(number) not in self.tried

    def margin(self, at: int = 0) -> float | None:
        """Nats by which any other speed fits a recording or segment worse; None without a search."""
        return self.tried[at].margin if self.search else None


def unsearched_speeds(model: Model, recording: Recording, place: Places = np.zeros_like) -> WindowSpeeds | None:
    """The speeds for the windows of a recording before any was looked at, segment by segment as `place` says; None for
    a model that asks for none, and for a recording that is to be judged without."""
    labelled = labelled_speeds(model)
    if any(map(asks_for_speed, model.members)) and recording.speed and not recording.speedless:
        return WindowSpeeds(recording.speed, model.card.config.window_s)
    if labelled is None or recording.speedless:
        return None
    given, search = speeds_to_try(labelled, recording.speed)
    return WindowSpeeds(given, model.card.config.window_s, search, place)


def speeds_to_try(labelled: tuple[float, float], stated: Speed | None) -> tuple[Speed, SpeedSearch | None]:
    """What the factors are of, the stated speed or that which is usual of the `labelled_speeds`; and the search."""
    if stated:
        return stated, near(stated)
    usual = Speed((math.sqrt(labelled[0] * labelled[1]),), source="estimated")
    return usual, wide(labelled, usual.mean_hz)


def window_speeds(
    model: Model, recording: Recording, limit: int | None = None, place: Places | None = None
) -> WindowSpeeds | None:
    """The same after the search, by whose windows it is decided."""
    speeds = unsearched_speeds(model, recording, place or np.zeros_like)
    if speeds and speeds.search:
        for _ in turned_windows(model, recording, limit, speeds=speeds):
            if place is None:
                break
    return speeds


def labelled_speeds(model: Model) -> tuple[float, float] | None:
    """The slowest and the fastest shaft, in Hz, that a model learned from; None of one that asks for no speeds."""
    if model.card.kind is None or not model.card.kind.knows_orders:
        return None
    each = [weights_of(member) for member in model.members]
    ranges = [one.speeds_hz for one in each if isinstance(one, OrdersWeights)]
    known = [one for one in ranges if one is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None


def turned_windows(
    model: Model,
    recording: Recording,
    limit: int | None = None,
    at_once: int = STRETCH,
    *,
    speeds: WindowSpeeds | None = None,
) -> Iterator[Moments]:
    """Every half-overlapping window of a recording, the first `limit` if given, as the model looks at it, with its
    speed, in order. Windows wait until the speed of their segment is decided, which `speeds` keep."""
    yield from _turned(model, _seen(model, recording, limit, at_once), speeds)


def turned_each_way(
    model: Model, recording: Recording, ways: Sequence[WindowSpeeds | None]
) -> Iterator[tuple[Moments, ...]]:
    """As `turned_windows`, at several speeds or without any, for which windows are looked at once."""
    copies = tee(_seen(model, recording, None, STRETCH), len(ways))
    yield from zip(*(_turned(model, one, speeds) for one, speeds in zip(copies, ways, strict=True)), strict=True)


def _turned(model: Model, seen: Iterator[Moments], speeds: WindowSpeeds | None) -> Iterator[Moments]:
    if speeds is None:
        knows_orders = model.card.kind is not None and model.card.kind.knows_orders
        for moments in seen:
            yield moments.at(np.full(len(moments), np.nan) if knows_orders else None)
        return
    waiting = list[Moments]()  # all of one segment
    for moments in seen:
        for part in _by_segment(moments, speeds):
            if waiting and speeds.segment(waiting[0].first) != speeds.segment(part.first):
                yield from _decided(model, waiting, speeds)
                waiting = []
            waiting.append(part)
            if not speeds.undecided(part.first) or sum(map(len, waiting)) >= DECIDE:
                yield from _decided(model, waiting, speeds)
                waiting = []
    yield from _decided(model, waiting, speeds)


def decide(model: Model, waiting: Sequence[Moments], speeds: WindowSpeeds) -> None:
    """Find the speed of a segment by its first windows, from the segment's first one on."""
    assert speeds.search
    first, count = waiting[0].first, min(DECIDE, sum(map(len, waiting)))
    by_axis = [[one.axes[axis] for one in waiting] for axis in range(len(waiting[0].axes))]
    seen = [sliced(joined([one.seen for one in of_axis]), slice(count)) for of_axis in by_axis]
    middles = list[Floats]()
    if not speeds.given.varies:
        middles = [np.concatenate([low_middles(model, one.windows) for one in of_axis])[:count] for of_axis in by_axis]
    stated = speeds.stated_hz(first + np.arange(count))
    speeds.tried[speeds.segment(first)] = speed_tried(model, speeds.search, seen, stated, middles=middles)


def speed_tried(
    model: Model, search: SpeedSearch, seen: Sequence[Seen], stated: Exact, *, middles: Sequence[Floats]
) -> SpeedTried:
    """The speed of windows by what was `seen` of them along every axis; factors are of `stated` (n,).

    `middles` are the `low_middles` of neighbouring windows along every axis, which show lines where the speed is one.
    """
    count = len(stated)
    compared = np.unique(np.linspace(0, count - 1, min(COMPARED, count)).round().astype(int))
    tries = search.factors[:, None] * stated[compared]
    misfits = [misfit_of(model, axis, sliced(one, compared), tries) for axis, one in enumerate(seen)]
    rate, hz = model.card.config.rate / DECIMATED, search.factors * stated[0]
    evidence = [shaft_evidence(one.ravel().astype(np.float64), rate, hz) for one in middles]
    lines = np.mean(evidence, axis=0) if evidence else np.zeros(len(search.factors))
    return search.decided(np.mean(misfits, axis=0), lines)


def low_middles(model: Model, windows: Samples) -> Floats:
    """The middle half of each window (n, window), low-passed: (n, samples). Neighbours' follow each other."""
    quarter = model.card.config.window // 4
    reach = GROUPS // 2 * DECIMATED  # of the filter
    return lowpassed(windows[:, quarter - reach : 3 * quarter + reach])


def moments_of(model: Model, axes: Sequence[Samples], first: int = 0) -> Moments:
    """Windows (n, window) of every axis as the model looks at them, the first of them of that number."""
    looked = (WindowBlock(axis, windows, model.seen(windows, axis)) for axis, windows in enumerate(axes))
    return Moments(first, tuple(looked))


def _seen(model: Model, recording: Recording, limit: int | None, at_once: int) -> Iterator[Moments]:
    signals, first = in_order(recording, model.card.channels), 0
    for each in zip(*(model_windows(model, signal, limit, at_once) for signal in signals), strict=True):
        yield moments_of(model, each, first)
        first += len(each[0])


def _by_segment(moments: Moments, speeds: WindowSpeeds) -> Iterator[Moments]:
    """Cut where one segment ends and the next begins."""
    if speeds.search is None:
        yield moments
        return
    borders = 1 + np.flatnonzero(np.diff(speeds.place(moments.numbers)))
    for first, last in pairwise([0, *borders.tolist(), len(moments)]):
        yield moments.part(first, last)


def _decided(model: Model, waiting: Sequence[Moments], speeds: WindowSpeeds) -> Iterator[Moments]:
    if waiting and speeds.undecided(waiting[0].first):
        decide(model, waiting, speeds)
    for moments in waiting:
        yield moments.at(speeds.hz(moments.first, len(moments)))


def misfit_of(model: Model, axis: int, seen: Seen, hz: Exact) -> Exact:
    """How badly what was `seen` of windows of an axis fits its first network at (tries, windows) Hz: (tries,) nats."""
    assert model.card.kind is not None
    orders = resolved(model.card.kind.orders)
    assert orders is not None
    return orders.misfit(weights_of(model.members_of(axis)[0]), seen, hz)
