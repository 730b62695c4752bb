"""At which speed of the shaft the blocks of a stream are judged.

A stream has no end, so its speed is found for each block, as `diagnose --over-time` finds it for each segment
(judge/turning.py): by the block's first windows, which wait until then. What a window says at once rests on what was
told and on what was found of the block before.

Windows on both sides of a gap find the speed together, by how they fit the network; lines of the shaft are looked for
in the longest row of windows without a gap. Where so much is missing that a block lasts twice as long as it should, its
speed is found by the windows that are there.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, Self

import numpy as np

from dualres.judge.backends import Scores, seen_again, sliced
from dualres.judge.model import Model
from dualres.judge.speed_search import near
from dualres.judge.trust.novelty import look_at_windows
from dualres.judge.turning import (
    DECIDE,
    Moments,
    WindowBlock,
    WindowSpeeds,
    labelled_speeds,
    speed_tried,
    speeds_to_try,
)
from dualres.recordings.speed import Speed
from dualres.stream.monitor.block import Block
from dualres.stream.monitor.framing import StreamWindow
from dualres.stream.monitor.looks import LookedWindow, scores_at, seen_of
from dualres.utils.arrays import Floats

LONGEST = 2  # times as long as without gaps, until the speed of a block is found


@dataclass(frozen=True)
class FoundSpeed:
    """What was found of a block."""

    told: bool  # whether anybody told the speed
    factor: float | None  # of what was told, or of what is usual; None where no speed is used
    speed: Speed | None = None
    margin: float | None = None  # nats by which any other speed fits worse, where one was searched for

    def as_data(self) -> dict[str, Any]:
        return {**vars(self), "speed": self.speed and self.speed.as_data()}

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "speed": data["speed"] and Speed.parsed(data["speed"])})


class BlockSpeeds:
    """Of one stream, whose windows come in order."""

    def __init__(self, model: Model, labelled: tuple[float, float], rate: Fraction, step: int) -> None:
        """`labelled` are the model's `labelled_speeds`. The stream has `rate` Hz, and its windows begin every `step`
        samples."""
        self._model, self._labelled, self._rate, self._step = model, labelled, rate, step
        self._usual = speeds_to_try(labelled, None)[0]
        self.before: FoundSpeed | None = None  # of the block before
        self.found: FoundSpeed | None = None  # of the block under way
        self.waiting: list[LookedWindow] = []  # of the block under way, while nothing was found
        self.begin: dict[str, Any] | None = None  # where the monitor was before the first of them

    def judgeable(self, block: Block, windows: Sequence[StreamWindow]) -> int:
        """How many of these windows come before the speed is another."""
        if not self.found and block.windows and windows and self._late(block, windows[0].start):
            self.decide(block)
        if self.found:
            return min(len(windows), block.length - block.windows)
        if not block.windows:
            return min(len(windows), 1)
        room = self._wanted(block) - block.windows
        return sum(not self._late(block, window.start) for window in windows[:room])

    def hz(self, window: StreamWindow | LookedWindow) -> float:
        """At which a window is judged at once; NaN where no speed is used."""
        told, known = window.told, self.found or self.before
        base = told.mean_hz if told else self._usual.mean_hz
        if known is None or known.told != bool(told):
            return base if told else math.nan
        if told and near(told) is None:
            return base
        return base * (math.nan if known.factor is None else known.factor)

    def add(self, block: Block, window: LookedWindow, scores: Scores) -> None:
        """A window that was added to the block, and its scores (classes,) at `hz`: they count, or it waits."""
        if self.found:
            block.score(scores)
            self._look(block, window, self.hz(window))
            return
        self.waiting.append(window)
        if block.windows == self._wanted(block):
            self.decide(block)

    def decide_late(self, block: Block, position: int) -> None:
        """Find the speed where the stream is at a sample from which on all windows come too late to wait for."""
        if self.waiting and self._late(block, position - 4 * self._step):
            self.decide(block)

    def decide(self, block: Block) -> None:
        """Find the block's speed by the windows that wait, and score them at it."""
        model, waiting = self._model, self.waiting
        told = self._told(waiting)
        given, search = speeds_to_try(self._labelled, told)
        stated = np.array([(one.told or given).hz[0] for one in waiting])
        speeds = WindowSpeeds(given, model.card.config.window_s, search)
        if search:
            row = [] if given.varies else longest_row(waiting)
            middles = [np.stack(each) for each in zip(*(one.middles for one in row), strict=True)]
            speeds.tried[0] = speed_tried(model, search, seen_of(waiting), stated, middles=middles)
        factor, margin = speeds.factor(), speeds.margin()
        margin = None if margin is None or math.isinf(margin) else margin
        self.found = FoundSpeed(told is not None, None if math.isnan(factor) else factor, speeds.found(), margin)
        self.waiting, self.begin = [], None
        hz = np.asarray(stated * factor)
        for window, scores, each in zip(waiting, scores_at(model, waiting, hz), hz.tolist(), strict=True):
            block.score(scores)
            self._look(block, window, each)

    def end(self, block: Block) -> FoundSpeed:
        """What was found of the block under way, which ends here."""
        if self.waiting:
            self.decide(block)
        assert self.found
        self.before, self.found = self.found, None
        return self.before

    def marker(self) -> dict[str, Any]:
        """Plain JSON of few bytes: all but what was seen of windows that wait."""
        found = {name: one and one.as_data() for name, one in (("before", self.before), ("found", self.found))}
        runs = groupby(one.told for one in self.waiting)
        return {**found, "told": [[told and told.as_data(), len(list(run))] for told, run in runs]}

    def read(self, marker: Mapping[str, Any]) -> None:
        """Be where another one was that gave the marker, but for the windows that wait."""
        self.before, self.found = (marker[name] and FoundSpeed.parsed(marker[name]) for name in ("before", "found"))

    def retell(self, marker: Mapping[str, Any]) -> None:
        """The same for windows that wait again: what was told of them then."""
        told = [one and Speed.parsed(one) for one, count in marker["told"] for _ in range(count)]
        self.waiting = [replace(window, told=one) for window, one in zip(self.waiting, told, strict=True)]

    def kept(self) -> tuple[list[list[Any]], list[Floats]]:
        """What waits, for `restore`: plain data of every window, and of every axis what was seen of all of them, and
        their middles: (windows, ...)."""
        if not self.waiting:
            return [], []
        middles = [np.stack(each) for each in zip(*(one.middles for one in self.waiting), strict=True)]
        arrays = [part for seen, low in zip(seen_of(self.waiting), middles, strict=True) for part in (*seen, low)]
        return [[one.start, one.place, [each.tolist() for each in one.heard]] for one in self.waiting], arrays

    def restore(self, marker: Mapping[str, Any], windows: Sequence[Sequence[Any]], arrays: Sequence[Floats]) -> None:
        """Be where another one was that kept these."""
        count = len(arrays) // max(len(self._model.card.channels), 1)  # of an axis
        by_axis = [arrays[first : first + count] for first in range(0, len(arrays), count or 1)]
        all_seen = [seen_again(self._model.members_of(axis)[0], parts) for axis, (*parts, _) in enumerate(by_axis)]
        for i, (start, place, heard) in enumerate(windows):
            seen = tuple(sliced(one, np.array([i])) for one in all_seen)
            middles, known = tuple(low[i] for *_, low in by_axis), tuple(map(np.array, heard))
            self.waiting.append(LookedWindow(start, tuple(place), None, seen, middles, known))
        self.retell(marker)

    def _wanted(self, block: Block) -> int:
        """By how many windows its speed is found."""
        return min(DECIDE, block.length)

    def _late(self, block: Block, start: int) -> bool:
        return start >= block.start + LONGEST * self._wanted(block) * self._step

    def _told(self, windows: Sequence[LookedWindow]) -> Speed | None:
        """Over all of them; as exact as what is least exact. What was told first holds before that, too."""
        known = [one.told for one in windows if one.told]
        if not known:
            return None
        loosest = max(known, key=lambda one: one.usual_spread)
        hz = tuple(one.hz[0] for one in known)
        if len(set(hz)) == 1:
            return loosest
        at_s = tuple(float(one.start / self._rate) for one in windows if one.told)
        return replace(loosest, hz=hz, at_s=at_s)

    def _look(self, block: Block, window: LookedWindow, hz: float) -> None:
        if window.heard:
            nothing, at = np.empty((1, 0), np.float32), np.array([hz])
            axes = (WindowBlock(axis, nothing, one, at) for axis, one in enumerate(window.seen))
            block.look(look_at_windows(self._model, Moments(0, tuple(axes)), self._rate, window.heard))


def speeds_of(model: Model, rate: Fraction, step: int) -> BlockSpeeds | None:
    """As `BlockSpeeds`; None of a model that asks for no speeds."""
    labelled = labelled_speeds(model)
    return BlockSpeeds(model, labelled, rate, step) if labelled else None


def longest_row(windows: Sequence[LookedWindow]) -> Sequence[LookedWindow]:
    """The most windows that follow each other without a gap; of several rows the first."""
    follows = [(stretch, number + 1) for stretch, number in (one.place for one in windows)]
    borders = [i for i in range(1, len(windows)) if windows[i].place != follows[i - 1]]
    return max((windows[first:last] for first, last in pairwise([0, *borders, len(windows)])), key=len)
