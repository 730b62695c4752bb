"""How far a command is, and how long it will still take: bars on a terminal, a line now and then anywhere else."""

import os
import time
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TaskID, TextColumn
from rich.progress import Progress as RichBars
from rich.text import Text

from dualres.utils.json_text import json_text

FIRST_LINE_S = 2.0  # of work: a command that is quicker prints none
BETWEEN_LINES_S = 10.0  # at least
RARER = 0.1  # of the time so far, at least, between two lines: a night's work does not fill the screen
BETWEEN_OBJECTS_S = 0.05  # at least
ASKED = "DUALRES_PROGRESS"  # the variable by which a program asks for progress that it can read
BELIEF = 4.0  # steps: for so many the forecast is believed as much as the work itself
STAGE_TELLS = 40  # steps that a finished stage stands for
Clock = Callable[[], float]


def duration(seconds: float | None) -> str:
    """In the unit a person would use."""
    if seconds is None:
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


class Remaining:
    """The seconds that are left, estimated anew with every piece of news.

    A forecast says how many seconds each stage should take. The work then shows how much slower or faster it goes: the
    later half of the time so far tells, so that a machine that becomes busy, or idle, is noticed. Steps of a stage may
    take anything from an instant to most of it. So a few of them change the forecast little, and a stage that is
    finished changes it much: it also shows which share of the time each step of a stage takes. What happens between
    stages, before the first news of each, is taken to last as long as it did on average. Without a forecast each stage
    is taken for itself.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._foreseen = False
        self._sizes: dict[str, float] = {}  # of stages, in their order: seconds foreseen, or steps
        self._stage = ""  # at hand
        self._rest = 0.0  # of the work at hand, of which nothing is known before more news: a step, or all of a stage
        self._at = clock()  # when the latest news came
        self._work = 0.0  # done by then
        self._spent = [0.0]  # seconds within stages, up to each piece of news
        self._done = [0.0]  # work done in these
        self._between: list[float] = []  # seconds before the first news of each stage
        self._begun = (0, 0)  # the piece of news that began the stage at hand, and how many steps it told
        self._finished = 0  # stages of which every step but the first was seen
        self._shares: dict[int, list[float]] = {}  # by steps of a stage: the share of its time that so many took

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
        size, before = self._sizes[stage], sum(self._sizes[name] for name in names[: names.index(stage)])
        work = before + size * self._share(done, total)
        if stage == self._stage:
            self._spent.append(self._spent[-1] + now - self._at)
            self._done.append(self._done[-1] + work - self._work)
        else:
            self._between.append(now - self._at)
            self._begun = len(self._spent) - 1, done
        known = total in self._shares or not self._foreseen
        self._rest = size * self._share(done + 1 if known else total, total) + before - work if done < total else 0.0
        self._stage, self._at, self._work = stage, now, work
        if self._foreseen and done == total:
            self._learn_from_stage(total)

    def left(self) -> float | None:
        """Seconds, or None as long as nothing is known."""
        size = sum(self._sizes.values())
        half = bisect_right(self._spent, self._spent[-1] / 2) - 1
        done = self._done[-1] - self._done[half]
        if done <= 0 and not self._foreseen:
            return None
        pace = (self._spent[-1] - self._spent[half]) / done if done > 0 else 1.0
        if self._foreseen and pace > 0:
            evidence = len(self._spent) - 1 + STAGE_TELLS * self._finished
            pace **= evidence / (evidence + BELIEF)
        waited = self._clock() - self._at
        if self._rest:
            pace = max(pace, waited / self._rest)  # what is at hand takes longer than what was before
        names = list(self._sizes)
        to_come = len(names) - names.index(self._stage) - 1 if self._stage else 0
        between = sum(self._between) / len(self._between) if self._between else 0.0
        return max(pace * (size - self._work) + between * to_come - waited, 0.0)

    def _share(self, done: int, total: int) -> float:
        """Of a stage's work, by how long steps of such a stage took, if one was seen."""
        shares = self._shares.get(total)
        return shares[done] if shares else done / max(total, 1)

    def _learn_from_stage(self, total: int) -> None:
        """A stage is finished: its work was done as its time went by, whatever its steps seemed to be."""
        first, told = self._begun
        spent, done = self._spent[first:], self._done[first:]
        if told > 1 or len(spent) - 1 != total - told or spent[-1] <= spent[0]:
            return  # not every step was told
        self._finished += 1
        begun = self._share(told, total)
        passed = [(each - spent[0]) / (spent[-1] - spent[0]) for each in spent]
        self._done[first:] = [done[0] + each * (done[-1] - done[0]) for each in passed]
        shares = [begun + (1 - begun) * each for each in passed]
        self._shares[total] = [0.0, *shares] if told else shares

    def _begin(self, sizes: Mapping[str, float], work: float) -> None:
        self._sizes, self._stage, self._rest = dict(sizes), "", 0.0
        self._at, self._work = self._clock(), work
        self._spent, self._done, self._between = [0.0], [0.0], []
        self._begun, self._finished, self._shares = (0, 0), 0, {}


class ProgressDisplay(ABC):
    """What commands hand to long work as its `dualres.utils.progress.Progress`."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._remaining = Remaining(clock)

    def expect(self, forecast: Mapping[str, float]) -> None:
        """Seconds per stage, in their order: the time left is then that of all stages."""
        self._remaining.expect(forecast)

    def __call__(self, stage: str, done: int, total: int, remark: str) -> None:
        self._remaining.tell(stage, done, total)
        self._show(stage, done, total, remark)

    @property
    def left(self) -> str:
        """The time left in words; empty where it is not known, or next to nothing."""
        seconds = self._remaining.left()
        return f"about {_rounded(seconds)} left" if seconds and seconds >= 1 else ""

    @abstractmethod
    def _show(self, stage: str, done: int, total: int, remark: str) -> None: ...


def _rounded(seconds: float) -> str:
    """As `duration`, but minutes that are few with tens of seconds."""
    minutes, rest = divmod(10 * round(seconds / 10), 60)
    return f"{minutes} min {rest:02} s" if 90 <= seconds < 600 else duration(seconds)


@contextmanager
def displayed(console: Console) -> Iterator[ProgressDisplay]:
    """Bars if the console is a terminal, else lines; for a program that asks by DUALRES_PROGRESS=json, objects."""
    if os.environ.get(ASKED) == "json":
        yield Objects(console)
        return
    if not console.is_terminal:
        yield Lines(console)
        return
    stage, remark = (TextColumn(text, markup=False) for text in ("{task.description:<30}", "{task.fields[remark]}"))
    left = _TimeLeft()
    with RichBars(stage, BarColumn(), MofNCompleteColumn(), left, remark, console=console) as bars:
        left.display = display = Bars(bars)
        yield display


class Lines(ProgressDisplay):
    """For a log or a pipe: nothing for quick work, then a line at times."""

    def __init__(self, console: Console, clock: Clock = time.monotonic) -> None:
        super().__init__(clock)
        self._console, self._clock, self._begin = console, clock, clock()
        self._next = self._begin + FIRST_LINE_S

    def _show(self, stage: str, done: int, total: int, remark: str) -> None:
        now = self._clock()
        if now < self._next:
            return
        self._next = now + max(BETWEEN_LINES_S, RARER * (now - self._begin))
        told = ", ".join(part for part in (f"{done} of {total}", self.left, remark) if part)
        self._console.print(f"{stage}: {told}", markup=False, highlight=False, soft_wrap=True)


class Objects(ProgressDisplay):
    """For a program: a JSON object per line, with the stage, what is done of it, and the seconds left of all stages."""

    def __init__(self, console: Console, clock: Clock = time.monotonic) -> None:
        super().__init__(clock)
        self._file, self._clock, self._next = console.file, clock, 0.0

    def _show(self, stage: str, done: int, total: int, remark: str) -> None:
        now = self._clock()
        if now < self._next and done < total:
            return
        self._next = now + BETWEEN_OBJECTS_S
        told = {"stage": stage, "done": done, "total": total, "remark": remark, "left_s": self._remaining.left()}
        print(json_text(told), file=self._file, flush=True)


class Bars(ProgressDisplay):
    """A bar per stage; the time left stands at the one at hand."""

    def __init__(self, bars: RichBars) -> None:
        super().__init__()
        self._bars = bars
        self._stages: dict[str, TaskID] = {}
        self.at_hand: TaskID | None = None

    def _show(self, stage: str, done: int, total: int, remark: str) -> None:
        if stage not in self._stages:
            self._stages[stage] = self._bars.add_task(stage, total=total, remark="")
        self.at_hand = self._stages[stage]
        self._bars.update(self.at_hand, completed=done, total=total, remark=remark)


class _TimeLeft(ProgressColumn):
    """The time left, computed anew whenever the screen is drawn."""

    display: Bars | None = None

    def render(self, task: Task) -> Text:
        return Text(self.display.left if self.display and task.id == self.display.at_hand else "", "progress.remaining")
