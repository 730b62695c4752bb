"""What all commands show alike."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from dualres.cli import INTERRUPTED
from dualres.utils.printable import printable

if TYPE_CHECKING:
    from dualres.cli.progress_display import ProgressDisplay
    from dualres.cli.showing_console import ShowingConsole

    console: ShowingConsole
    errors: ShowingConsole

Item = TypeVar("Item")


def __getattr__(name: str) -> Any:
    """`console` and `errors`, made when somebody first writes to them."""
    if name not in ("console", "errors"):
        raise AttributeError(name)
    from dualres.cli.showing_console import ShowingConsole

    return globals().setdefault(name, ShowingConsole(stderr=name == "errors"))


def _screen(name: str) -> "ShowingConsole":
    shown: ShowingConsole = getattr(sys.modules[__name__], name)
    return shown


def say(text: str) -> None:
    """A line of output: names of files and classes are not markup, and make no lines of their own."""
    _screen("console").print(printable(text), markup=False, highlight=False, soft_wrap=True)


def complain(what: str, text: str, colour: str = "red") -> None:
    """A line on the error channel, the kind of trouble in colour; further lines of it are indented."""
    from rich.markup import escape

    told = printable(text, keep="\n").replace("\n", "\n  ")
    _screen("errors").print(f"[{colour}]{what}[/]  {escape(told)}", highlight=False, soft_wrap=True)


def echo(text: str) -> None:
    """A line of output for other programs as well: never wrapped, coloured or laid out."""
    typer.echo(printable(text))


@contextmanager
def stopping(after_interrupt: str) -> Iterator[None]:
    """Ctrl-C ends with the given sentence, in one line, and with the exit status that a shell expects."""
    try:
        yield
    except KeyboardInterrupt:
        _screen("errors").print(f"Stopped. {after_interrupt}", highlight=False)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def progress(after_interrupt: str) -> "Iterator[ProgressDisplay]":
    """How far it is, on the error channel so that output can be piped; Ctrl-C ends with the given sentence."""
    from dualres.cli.progress_display import displayed

    with stopping(after_interrupt), displayed(_screen("errors")) as display:
        yield display


def counted(
    items: Iterable[Item],
    total: int,
    stage: str,
    after_interrupt: str = "What was printed so far is complete.",
    *,
    shown: bool = False,
    each: Callable[[Item], int] = lambda item: 1,
) -> Generator[Item]:
    """The items as they come, and how many came, each as many as `each` says: not of a single one, nor on a terminal,
    where each is printed; there, too, where they are `shown` nowhere else."""
    if total == 1:
        with stopping(after_interrupt):
            yield from items
        return
    if _screen("console").is_terminal and not shown:
        yield from items
        return
    done = 0
    with progress(after_interrupt) as report:
        for item in items:
            done += each(item)
            report(stage, done, total, "")
            yield item
