"""What all commands show alike."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import typer
from rich.console import Console
from rich.markup import escape

from dualres.cli.progress_display import Display, displayed

INTERRUPTED = 130  # the exit status a shell expects after Ctrl-C

Item = TypeVar("Item")

console = Console()
errors = Console(stderr=True)


def say(text: str) -> None:
    """A line of output, as it is: names of files and classes are not markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def complain(what: str, text: str, colour: str = "red") -> None:
    """A line on the error channel, the kind of trouble in colour."""
    errors.print(f"[{colour}]{what}[/]  {escape(text)}", highlight=False, soft_wrap=True)


@contextmanager
def stopping(after_interrupt: str) -> Iterator[None]:
    """Ctrl-C ends with the given sentence, in one line, and with the exit status that a shell expects."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print(f"Stopped. {after_interrupt}", highlight=False)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def progress(after_interrupt: str) -> Iterator[Display]:
    """How far it is, on the error channel so that output can be piped; Ctrl-C ends with the given sentence."""
    with stopping(after_interrupt), displayed(errors) as display:
        yield display


def counted(items: Iterable[Item], total: int, stage: str) -> Iterator[Item]:
    """The items as they come, and how many came; on a terminal, where each is shown, that is not told."""
    if console.is_terminal:
        yield from items
        return
    with progress("What was printed so far is complete.") as report:
        for done, item in enumerate(items, start=1):
            report(stage, done, total, "")
            yield item
