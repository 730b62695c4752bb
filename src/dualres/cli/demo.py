"""`dualres demo`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from dualres.cli.console import console, progress, say
from dualres.model.kinds import chosen_recipe
from dualres.utils.optional_imports import TRAINING, need


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for report.html, model.safetensors and some recordings.")
    ] = Path("demo"),
    fold: Annotated[
        str,
        typer.Option(
            help="S1: learn from low severities under varying torque, judge under varying speed. "
            "S2: learn from high severities under varying speed, judge under varying torque."
        ),
    ] = "S1",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the initial weights and of the training.")] = 41,
    updates: Annotated[
        int | None,
        typer.Option(
            min=1, help="Instead of the default, train the paper's network by the robust recipe; 800 is full."
        ),
    ] = None,
) -> None:
    """Learn a simulated gearbox from 6.144 labelled seconds per class and judge 120 unseen recordings.

    Takes less than a minute. Prints a table of the classes and writes a page with pictures. The same seed gives
    the same result.
    """
    need("dualres demo", *TRAINING)
    from dualres.demo.page import write_demo
    from dualres.demo.run import run_demo, write_recordings
    from dualres.metrics import class_f1
    from dualres.utils.files import check_writable

    check_writable(out / "report.html")
    with progress("Nothing was written.") as report:
        result = run_demo(fold, chosen_recipe(updates=updates), seed, report)
    page, model = write_demo(result, out)
    recordings = write_recordings(result, out / "recordings")
    judged, matrix = result.evaluation, result.evaluation.confusion
    table = Table(
        title=f"Fold {result.fold.fold}, held-out unit: {result.fold.held_out}; "
        f"{result.seconds_per_class:.3f} labelled s per class; seed {result.model.card.seed}",
        title_justify="left",
        show_footer=True,
    )
    table.add_column("Class", footer="accuracy, macro-F1")
    table.add_column("Recordings", footer=str(matrix.sum()), justify="right")
    table.add_column("Recall %", footer=f"{100 * judged.accuracy:.1f}", justify="right")
    table.add_column("F1 %", footer=f"{100 * judged.macro_f1:.1f}", justify="right")
    for label, count, recall, f1 in zip(judged.classes, matrix.sum(1), judged.recall, class_f1(matrix), strict=True):
        table.add_row(label, str(count), f"{100 * recall:.0f}", f"{100 * f1:.0f}")
    console.print(table)
    accuracy, f1 = result.guess
    say(f"Guessing would score {100 * accuracy:.1f} % and {100 * f1:.1f} %: the expected accuracy and macro-F1")
    say(f"when each recording is given one of the {len(result.fold.classes)} classes at random, all equally likely.")
    say(f"Report  {page}")
    say(f"Model   {model}")
    say(f"Page    dualres serve {recordings}  # look at its recordings, label, fit and judge in the browser")
