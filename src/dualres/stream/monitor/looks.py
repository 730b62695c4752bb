"""Windows of many streams looked at and scored together."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dualres.judge.backends import Scores, Seen, joined, sliced
from dualres.judge.model import Model
from dualres.judge.trust.novelty import how_recorded
from dualres.judge.turning import low_middles
from dualres.judge.windows import mean_over_axes
from dualres.kernel.inference import TOGETHER
from dualres.recordings.recording import Samples
from dualres.recordings.speed import Speed
from dualres.stream.monitor.framing import StreamWindow
from dualres.utils.arrays import Exact, Floats

Place = tuple[int, int]  # of a window: the first sample of its stretch, and its number in it


@dataclass(frozen=True, eq=False)
class LookedWindow:
    """What is kept of a window until the speed of its block is known, by its axes."""

    start: int  # as `Event` has it
    place: Place
    told: Speed | None  # the mean over it
    seen: tuple[Seen, ...]  # of this window alone
    middles: tuple[Floats, ...]  # `low_middles`, (samples,)
    heard: tuple[Exact, ...] = ()  # `how_recorded`, (1, 2), of windows by which novelty is measured

    @property
    def sound(self) -> bool:
        """Whether float32 could compute it."""
        return all(bool(np.isfinite(part).all()) for seen in self.seen for part in seen)


PendingWindow = tuple[StreamWindow, LookedWindow | None]  # the latter where speeds are looked for


def looked_at(model: Model, windows: Sequence[StreamWindow]) -> list[LookedWindow]:
    """A few at a time, so that not all are in memory twice."""
    found = []
    for start in range(0, len(windows), TOGETHER):
        few = windows[start : start + TOGETHER]
        by_axis = [np.stack([one.samples[axis] for one in few]) for axis in range(len(few[0].samples))]
        seen = [model.seen(some, axis) for axis, some in enumerate(by_axis)]
        middles = [low_middles(model, some) for some in by_axis]
        for i, window in enumerate(few):
            own, low = tuple(sliced(one, np.array([i])) for one in seen), tuple(one[i].copy() for one in middles)
            place = window.begin["stretch"], window.begin["number"]
            found.append(LookedWindow(window.start, place, window.told, own, low))
    return found


def heard_as(model: Model, window: StreamWindow, rate: Fraction) -> tuple[Exact, ...]:
    """How each axis of a window was recorded, at `rate` Hz, for `LookedWindow.heard`."""
    return tuple(how_recorded(model, samples[None], rate) for samples in window.samples)


def seen_of(windows: Sequence[LookedWindow]) -> list[Seen]:
    """What was seen of windows along every axis."""
    return [joined(each) for each in zip(*(one.seen for one in windows), strict=True)]


def scores_at(model: Model, windows: Sequence[LookedWindow], hz: Exact) -> Scores:
    """Of shafts that turn at `hz` (n,), NaN where no speed is used: (n, classes); NaN where a window is not sound."""
    each = [model.scores(one, axis, hz) for axis, one in enumerate(seen_of(windows))]
    return np.where([[one.sound] for one in windows], mean_over_axes(each), np.nan)


def speedless_scores(model: Model, windows: Sequence[StreamWindow]) -> Scores:
    """Of a model that asks for no speeds, (n, classes)."""
    axes = range(len(windows[0].samples))
    return mean_over_axes([_of_axis(model, [window.samples[axis] for window in windows], axis) for axis in axes])


def _of_axis(model: Model, windows: Sequence[Samples], axis: int) -> Scores:
    """A few at a time, so that those of hundreds of streams are not in memory twice."""
    some = (windows[start : start + TOGETHER] for start in range(0, len(windows), TOGETHER))
    return np.concatenate([model.scores(np.stack(few), axis) for few in some])
