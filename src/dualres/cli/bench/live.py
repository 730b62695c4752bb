"""What `dualres bench run` shows while it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from dualres.cli.console import complain, errors
from dualres.cli.progress_display import duration

if TYPE_CHECKING:
    from dualres.bench.campaign.coordinator import JobResult, RunState


@contextmanager
def live() -> "Iterator[Callable[[RunState], None]]":
    """On a terminal one bar for all jobs and one for each that is running; elsewhere a line for each that ended."""
    if not errors.is_terminal:
        yield _Lines().report
        return
    description, remark = (TextColumn(t, markup=False) for t in ("{task.description:<36}", "{task.fields[remark]}"))
    with Progress(description, BarColumn(24), MofNCompleteColumn(), remark, console=errors, transient=True) as bars:
        yield _Bars(bars).report


class _Lines:
    def __init__(self) -> None:
        self._shown = 0

    def report(self, state: "RunState") -> None:
        so_far = state.so_far
        for ended in so_far.ended[self._shown :]:
            self._shown += 1
            if ended.reason is None:
                place = f"{so_far.known + self._shown}/{so_far.total}"
                line = f"{place}  {ended.job.title}  {duration(ended.seconds)}"
                errors.print(line, markup=False, highlight=False, soft_wrap=True)
            else:
                complain_of(ended)


class _Bars:
    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._all = bars.add_task("All jobs", total=None, remark="")
        self._running: dict[str, TaskID] = {}
        self._failed = 0

    def report(self, state: "RunState") -> None:
        so_far = state.so_far
        failed = so_far.failed
        for ended in failed[self._failed :]:
            complain_of(ended)
        self._failed = len(failed)
        left = "time left unknown" if state.seconds_left is None else f"about {duration(state.seconds_left)} left"
        remark = f"{len(failed)} failed, {left}" if failed else left
        self._bars.update(self._all, total=so_far.total, completed=so_far.total - so_far.left, remark=remark)
        running = {r.job.key: r for r in state.running}
        for key in [key for key in self._running if key not in running]:
            self._bars.remove_task(self._running.pop(key))
        for key, one in running.items():
            if key not in self._running:
                self._running[key] = self._bars.add_task(f"  {one.job.title}", total=None, remark="")
            self._bars.update(self._running[key], total=one.total or None, completed=one.done, remark=one.stage)


def complain_of(ended: "JobResult") -> None:
    complain("failed", f"{ended.job.title}: {ended.reason}")
