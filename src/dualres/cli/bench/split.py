"""`dualres bench split`: methods on the folds of somebody else's split."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from dualres.cli.bench.choice import DEFAULT_DIR, Dir, named, prepared
from dualres.cli.bench.data import Stores
from dualres.cli.console import complain, console, progress, say
from dualres.cli.folder import Device

DEFAULT = "dualres/orders,envelope-forest/orders"


def split(
    *,
    table: Annotated[Path, typer.Argument(metavar="FILE.csv", help="The split: columns fold, file, side.")],
    dataset: Annotated[str, typer.Option(help="Name of the prepared dataset that it splits.")],
    methods: Annotated[list[str], typer.Option(help="Methods, comma-separated.")] = [DEFAULT],  # noqa: B006
    windows: Annotated[int, typer.Option(min=1, help="Windows of each training recording, spread over it.")] = 8,
    leave_out: Annotated[
        str | None, typer.Option(help="A class that AUROC leaves out: healthy, where published ones are of faults.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of methods that draw.")] = 41,
    device: Annotated[Device, typer.Option(help="Device for neural methods.")] = "cpu",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="JSON file to write the scores to.")] = None,
    folder: Dir = DEFAULT_DIR,
    stores: Stores = Path("stores"),
) -> None:
    """Score methods on a published split, such as one that holds out bearings, and state macro-AUROC beside macro-F1.

    The file has a row for each file in each fold: the fold's name, a recording's id or its released file, and train or
    test. Nothing of it enters the ledger, since the folds are not the benchmark's.
    """
    from dualres.bench.campaign.split_scores import means, recordings_of, signals_of, split_scores
    from dualres.bench.datasets.folds.split_table import read_split, shared_components
    from dualres.bench.methods.catalog import entry, names
    from dualres.utils.files import write_whole

    chosen = named("method", methods, names()) or []
    prepared([dataset], stores)
    recordings = recordings_of(dataset, stores)
    folds = read_split(table, dataset, recordings)
    for fold in folds:
        if both := shared_components(fold, recordings):
            complain("note", f"fold {fold.fold}: {', '.join(both)} on both sides; it is not held out", "yellow")
    with progress("Nothing was written.") as report:
        options = {"windows_each": windows, "left_out": leave_out, "seed": seed, "device": device}
        scores = list(
            split_scores(folds, chosen, signals_of(dataset, stores, folder), **options, progress=report)  # type: ignore[arg-type]
        )
    shown = Table(title=f"{table.name} on {dataset}", title_justify="left")
    for column in ("Fold", "Method", "Learned", "Judged", "Macro-F1", "Accuracy", "AUROC"):
        shown.add_column(column, justify="left" if column in ("Fold", "Method") else "right", no_wrap=True)
    for one in scores:
        parts = (f"{value:.3f}" for value in (one.macro_f1, one.accuracy, one.macro_auroc))
        shown.add_row(one.fold, one.method, str(one.learned_from), str(one.judged), *parts)
    for name, mean in means(scores).items():
        shown.add_row("mean", entry(name).name, "", "", *(f"{value:.3f}" for value in mean.values()), style="bold")
    console.print(shown)
    without = f", {leave_out} left out" if leave_out else ""
    say(f"Scores are of recordings, by the mean over their windows; AUROC is the mean over classes{without}.")
    if output:
        facts = {"split": table.name, "dataset": dataset, "windows": windows, "left_out": leave_out, "seed": seed}
        content = {**facts, "scores": list(map(asdict, scores)), "means": means(scores)}
        write_whole(output, (json.dumps(content, indent=1) + "\n").encode())
        say(f"Written: {output}")
