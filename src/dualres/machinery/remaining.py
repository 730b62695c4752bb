"""How long work in stages will still take, judged by how fast it went so far."""

import time
from bisect import bisect_right
from collections.abc import Callable, Mapping

BELIEF = 0.01  # of all work: for how much of it the forecast is believed before the work itself is


class Remaining:
    """The seconds that are left, estimated anew with every piece of news.

    A forecast says how many seconds each stage should take. The work then shows how much slower or faster it goes:
    the later half of the time so far tells, so that a machine that becomes busy, or idle, is noticed. Without a
    forecast each stage is taken for itself.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._foreseen = False
        self._sizes: dict[str, float] = {}  # of stages, in their order: seconds foreseen, or steps
        self._step = 0.0  # size of the step at hand, if known
        self._times: list[float] = []  # of the news
        self._works: list[float] = []  # done by then, in the unit of the sizes

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
        before = list(self._sizes)[: list(self._sizes).index(stage)]
        step = self._sizes[stage] / max(total, 1)
        self._step = step if done < total else 0.0
        self._times.append(self._clock())
        self._works.append(sum(self._sizes[name] for name in before) + done * step)

    def left(self) -> float | None:
        """Seconds, or None as long as nothing is known."""
        if not self._times:
            return None
        begin, now, work = self._times[0], self._times[-1], self._works[-1]
        half = bisect_right(self._times, begin + (now - begin) / 2) - 1
        size = sum(self._sizes.values())
        belief = BELIEF * size if self._foreseen else 0.0
        done = work - self._works[half] + belief
        if done <= 0:
            return None
        pace = (now - self._times[half] + belief) / done
        waited = self._clock() - now
        if self._step:
            pace = max(pace, waited / self._step)  # the step at hand takes longer than those before
        return max(pace * (size - work) - waited, 0.0)

    def _begin(self, sizes: Mapping[str, float], done: float) -> None:
        self._sizes, self._step = dict(sizes), 0.0
        self._times, self._works = [self._clock()], [done]
