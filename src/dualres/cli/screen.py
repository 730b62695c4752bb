"""What all commands show alike."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from dualres.machinery.progress import Progress

INTERRUPTED = 130  # the exit status a shell expects after Ctrl-C

console = Console()
errors = Console(stderr=True)


def say(text: str) -> None:
    """A line of output, as it is: names of files and classes are not markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def complain(what: str, text: str, colour: str = "red") -> None:
    """A line on the error channel, the kind of trouble in colour."""
    errors.print(f"[{colour}]{what}[/]  {escape(text)}", highlight=False, soft_wrap=True)


@contextmanager
def progress(after_interrupt: str) -> Iterator[Progress]:
    """A bar per stage, on the error channel so that output can be piped; Ctrl-C ends with the given sentence."""
    stage, remark = (TextColumn(text, markup=False) for text in ("{task.description:<30}", "{task.fields[remark]}"))
    columns = (stage, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), remark)
    try:
        with Bars(*columns, console=errors) as bars:
            stages: dict[str, int] = {}

            def report(stage: str, done: int, total: int, remark: str) -> None:
                if stage not in stages:
                    stages[stage] = len(stages)
                    bars.add_task(stage, total=total, remark="")
                bars.update(bars.task_ids[stages[stage]], completed=done, total=total, remark=remark)

            yield report
    except KeyboardInterrupt:
        errors.print(f"Stopped. {after_interrupt}", highlight=False)
        raise typer.Exit(INTERRUPTED) from None
