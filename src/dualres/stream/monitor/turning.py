"""How fast the shaft of a streamed machine turns, as it is told now and then."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from dualres.recordings.speed import Speed, SpeedSource
from dualres.recordings.tachometer import STEP_S


class Statement(NamedTuple):
    """That a shaft turns so fast from a sample of the stream on."""

    at: int
    hz: float
    source: SpeedSource = "stated"
    spread: float | None = None  # as `Speed` has it

    @property
    def speed(self) -> Speed:
        return Speed((self.hz,), source=self.source, spread=self.spread)


class ToldSpeed:
    """What was told of a stream of `rate` Hz, as far back as windows to come depend on it."""

    def __init__(self, rate: float, told: Iterable[Sequence[Any]] = ()) -> None:
        self._rate = rate
        self.restore(told)

    def restore(self, told: Iterable[Sequence[Any]]) -> None:
        """Know what another one knew, by its marker."""
        self._told = [Statement(*one) for one in told]

    def tell(self, hz: float, at: int, source: SpeedSource = "stated", spread: float | None = None) -> None:
        """From sample `at` on; of statements that follow each other within `STEP_S` the latest one stays."""
        told = self._told
        while told and told[-1].at >= at:  # told for later, by a speed that changes
            told.pop()
        if told and told[-1][1:] == (hz, source, spread):
            return
        if len(told) > 1 and at - told[-2].at < STEP_S * self._rate:
            told.pop()
        told.append(Statement(at, hz, source, spread))

    def tell_all(self, speed: Speed, at: int) -> None:
        """A speed from sample `at` on, which may change at moments behind it."""
        moments, hz = [0.0], list(speed.hz)
        if speed.varies:
            moments = np.arange(speed.at_s[0], speed.at_s[-1] + STEP_S, STEP_S).tolist()
            hz = np.interp(moments, speed.at_s, speed.hz).tolist()
        for moment, each in zip(moments, hz, strict=True):
            self.tell(each, at + round(moment * self._rate), speed.source, speed.spread)

    def over(self, start: int, stop: int) -> Speed | None:
        """From one sample to another, with moments since the first; what was told first holds before that, too. It is
        as exact as the least exact statement."""
        if not self._told:
            return None
        inside = [one for one in self._told if start < one.at < stop]
        holds = [[one for one in self._told if one.at <= start or one is self._told[0]][-1], *inside]
        loosest = max(holds, key=lambda one: one.speed.usual_spread)
        if len({one.hz for one in holds}) == 1:
            return loosest.speed
        moments = [start, *(one.at for one in inside), stop]  # each holds until the next one
        at_s = tuple((moment - start) / self._rate for moment in moments)
        return Speed((*(one.hz for one in holds), holds[-1].hz), at_s, loosest.source, loosest.spread)

    def mean(self, start: int, stop: int) -> Speed | None:
        """The mean of that time, as one number."""
        speed = self.over(start, stop)
        return speed and Speed((speed.mean_hz,), source=speed.source, spread=speed.spread)

    def forget(self, before: int) -> Self:
        """What no window from that sample on depends on."""
        while len(self._told) > 1 and self._told[1].at <= before:
            self._told.pop(0)
        return self

    def marker(self) -> list[Sequence[Any]]:
        return [list(one[:2] if one[2:] == ("stated", None) else one) for one in self._told]
