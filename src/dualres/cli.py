"""The command line: it parses and prints, and leaves the work to the other rooms."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from dualres import __version__
from dualres.config import Recipe
from dualres.errors import DualResError
from dualres.runtime import keep_freed_memory

if TYPE_CHECKING:
    from dualres.benchmark.demo import Demo
    from dualres.benchmark.demo import Progress as Report

INTERRUPTED = 130  # the exit status a shell expects after Ctrl-C

app = typer.Typer(
    name="dualres",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
console = Console()


def main() -> None:
    """Run a command; a user's mistake ends in one sentence, not in a traceback."""
    keep_freed_memory()
    try:
        app()
    except DualResError as error:
        Console(stderr=True).print(f"[bold red]Error:[/] {error}", highlight=False, soft_wrap=True)
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        console.print(f"dualres {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Name a machine's fault from a few labelled seconds of vibration.

    Start with [bold]dualres demo[/]: it needs no data and takes about two minutes.
    """


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for report.html and model.safetensors.")] = Path(
        "demo"
    ),
    fold: Annotated[
        str,
        typer.Option(
            help="S1: learn from low severities under varying torque, judge under varying speed. "
            "S2: learn from high severities under varying speed, judge under varying torque."
        ),
    ] = "S1",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the initial weights and the training's chance.")] = 41,
    updates: Annotated[int, typer.Option(min=1, help="Training updates; fewer are quicker and worse.")] = 300,
) -> None:
    """Learn a simulated gearbox from 6.144 labelled seconds per class and judge 120 unseen recordings.

    Prints a table of the classes and writes a page with pictures. The same seed gives the same result.
    """
    from dualres.benchmark.demo import run_demo, write_demo

    with _progress() as report:
        result = run_demo(fold, Recipe(updates=updates), seed, report)
    page, model = write_demo(result, out)
    console.print(_demo_table(result))
    console.print(f"Report  {page}", f"Model   {model}", sep="\n", highlight=False, soft_wrap=True)


@contextmanager
def _progress() -> Iterator[Report]:
    """A bar per stage; stages that are over stay on the screen. Ctrl-C ends it with a sentence."""
    columns = (TextColumn("{task.description:<30}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, TextColumn("{task.fields[remark]}"), console=console) as bars:
            stages: dict[str, int] = {}

            def report(stage: str, done: int, total: int, remark: str) -> None:
                if stage not in stages:
                    stages[stage] = bars.add_task(stage, total=total, remark="")
                bars.update(bars.task_ids[stages[stage]], completed=done, remark=remark)

            yield report
    except KeyboardInterrupt:
        Console(stderr=True).print("Stopped. Nothing was written.")
        raise typer.Exit(INTERRUPTED) from None


def _demo_table(result: Demo) -> Table:
    from dualres.benchmark.demo import class_rows

    table = Table(
        title=f"Fold {result.fold.fold}, held-out unit: {result.fold.held_out}; "
        f"{result.seconds_per_class:.3f} labelled s per class; seed {result.model.card.seed}",
        title_justify="left",
        show_footer=True,
    )
    matrix = result.evaluation.confusion
    table.add_column("Class", footer="accuracy, macro-F1")
    table.add_column("Recordings", footer=str(matrix.sum()), justify="right")
    table.add_column("Recall %", footer=f"{100 * result.accuracy:.1f}", justify="right")
    table.add_column("F1 %", footer=f"{100 * result.macro_f1:.1f}", justify="right")
    for label, count, recall, f1 in class_rows(result):
        table.add_row(label, str(count), f"{100 * recall:.0f}", f"{100 * f1:.0f}")
    return table


if __name__ == "__main__":
    main()
