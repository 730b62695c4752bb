"""How long work in stages will still take, judged by how fast it went so far."""

import time
from bisect import bisect_right
from collections.abc import Callable, Mapping

BELIEF = 0.01  # of all work: for how much of it the forecast is believed before the work itself is


class Remaining:
    """The seconds that are left, estimated anew with every piece of news.

    A forecast says how many seconds each stage should take. The work then shows how much slower or faster its steps go:
    the later half of the time so far tells, so that a machine that becomes busy, or idle, is noticed. What happens
    between stages, before the first news of each, is taken to last as long as it did on average. Without a forecast
    each stage is taken for itself.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._foreseen = False
        self._sizes: dict[str, float] = {}  # of stages, in their order: seconds foreseen, or steps
        self._stage = ""  # at hand
        self._step = 0.0  # size of the step at hand, if known
        self._at = clock()  # when the latest news came
        self._work = 0.0  # done by then
        self._spent = [0.0]  # seconds within stages, up to each piece of news
        self._done = [0.0]  # work done in these
        self._between: list[float] = []  # seconds before the first news of each stage

    def expect(self, forecast: Mapping[str, float]) -> None:
        """What is going to be done, from now on: seconds per stage, in their order."""
        self._foreseen = True
        self._begin(forecast, 0.0)

    def tell(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` steps of a stage are done, and all of the stages before it."""
        if stage not in self._sizes:
            if self._foreseen:  # takes time, but none of what was foreseen gets done
                return
            self._begin({stage: float(total)}, float(done))
            self._stage = stage
        now, names = self._clock(), list(self._sizes)
        step = self._sizes[stage] / max(total, 1)
        work = sum(self._sizes[name] for name in names[: names.index(stage)]) + done * step
        if stage == self._stage:
            self._spent.append(self._spent[-1] + now - self._at)
            self._done.append(self._done[-1] + work - self._work)
        else:
            self._between.append(now - self._at)
        self._stage, self._step = stage, step if done < total else 0.0
        self._at, self._work = now, work

    def left(self) -> float | None:
        """Seconds, or None as long as nothing is known."""
        size = sum(self._sizes.values())
        half = bisect_right(self._spent, self._spent[-1] / 2) - 1
        belief = BELIEF * size if self._foreseen else 0.0
        done = self._done[-1] - self._done[half] + belief
        if done <= 0:
            return None
        pace = (self._spent[-1] - self._spent[half] + belief) / done
        waited = self._clock() - self._at
        if self._step:
            pace = max(pace, waited / self._step)  # the step at hand takes longer than those before
        names = list(self._sizes)
        to_come = len(names) - names.index(self._stage) - 1 if self._stage else 0
        between = sum(self._between) / len(self._between) if self._between else 0.0
        return max(pace * (size - self._work) + between * to_come - waited, 0.0)

    def _begin(self, sizes: Mapping[str, float], work: float) -> None:
        self._sizes, self._stage, self._step = dict(sizes), "", 0.0
        self._at, self._work = self._clock(), work
        self._spent, self._done, self._between = [0.0], [0.0], []
