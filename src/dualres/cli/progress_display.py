"""How far a command is: bars on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TaskID, TextColumn
from rich.progress import Progress as RichBars
from rich.text import Text

from dualres.cli.eta import Remaining

FIRST_LINE_S = 2.0  # of work: a command that is quicker prints none
BETWEEN_LINES_S = 10.0  # at least
RARER = 0.1  # of the time so far, at least, between two lines: a night's work does not fill the screen
BETWEEN_OBJECTS_S = 0.05  # at least
ASKED = "DUALRES_PROGRESS"  # the variable by which a program asks for progress that it can read
Clock = Callable[[], float]


def duration(seconds: float | None) -> str:
    """In the unit a person would use."""
    if seconds is None:
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


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
        print(json.dumps(told), file=self._file, flush=True)


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
