"""`dualres data`: the public datasets, from download to store."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from dualres.cli.console import complain, console, progress, say
from dualres.utils.progress import renamed

if TYPE_CHECKING:
    from dualres.bench.datasets.folds import Fold

app = typer.Typer(no_args_is_help=True, help="List, prepare and check the public datasets.")

Stores = Annotated[
    Path, typer.Option("--stores", envvar="DUALRES_STORES", help="Folder with one prepared dataset per subfolder.")
]


@app.command("list")
def list_(stores: Stores = Path("stores")) -> None:
    """List the datasets: what each is, its licence, where to get it, and what is prepared."""
    from dualres.bench.datasets import catalog
    from dualres.recordings.store import is_prepared, read_index

    for title, members in catalog.groups().items():
        table = Table(title=title, title_justify="left")
        for column in ("Name", "Licence", "Folds", "Present"):
            table.add_column(column)
        for name in members:
            release, store = catalog.release(name), stores / name
            present = "always" if release.generate else "-"
            if is_prepared(store):
                index = read_index(store)
                present = f"{len(index['recordings'])} recordings ({index.get('variant', 'full')})"
            table.add_row(name, release.licence, ", ".join(release.folds), present)
        console.print(table)
        for name in members:  # below the table, where no column's width breaks a link
            release = catalog.release(name)
            console.print(f"[bold]{name}[/bold]  {escape(release.title)}", highlight=False)
            console.print(f"  from {escape(release.obtained_from)}", highlight=False, soft_wrap=True)
        console.print()


@app.command()
def prepare(
    *,
    name: Annotated[str, typer.Argument(help="Name of the dataset, as in `dualres data list`.")],
    source: Annotated[Path, typer.Option("--from", help="Folder with the downloaded release.")],
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Take what is there of a release that is not complete, and mark the store as a part."
        ),
    ] = False,
    store: Annotated[Path | None, typer.Option("--to", help="Folder to write; by default stores/NAME.")] = None,
    stores: Stores = Path("stores"),
) -> None:
    """Turn a downloaded release into a store. What an earlier run has prepared is kept.

    What is there is counted against the release: missing recordings, archives that were not unpacked and recordings
    that were cut short are errors that name them.
    """
    from dualres.bench.datasets import catalog
    from dualres.bench.datasets.prepare import prepare as run

    target = store or stores / name
    with progress("What was prepared so far is kept; run the same command again to continue.") as report:
        release = catalog.release(name)
        done = run(release, source, target, renamed(report, f"Prepare {name}"), partial=partial)
    say(f"{done.written} recordings written, {done.kept} kept: {target}")
    for path, reason in done.left_out:
        say(f"left out  {path}: {reason}")
    if partial and done.missing:
        lacking = f"{len(done.missing)} of the {len(release.ids)} recordings of {release.short} are not in it"
        complain("partial", f"{target}: {lacking}, and it is marked so", "yellow")
    for recording, reason in done.failed:
        complain("failed", f"{recording}: {reason}")
    if done.failed:
        raise typer.Exit(1)


@app.command()
def verify(store: Annotated[Path, typer.Argument(help="A prepared dataset.")]) -> None:
    """Check every signal of a store against its index."""
    from dualres.recordings.store import verify_store

    with progress("The store was not changed.") as report:
        problems = verify_store(store, report)
    for problem in problems:
        complain("wrong", problem)
    if problems:
        raise typer.Exit(1)
    say(f"{store}: every signal agrees with the index")


@app.command()
def folds(
    names: Annotated[list[str] | None, typer.Argument(help="Folds or datasets to show; without, all of them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every recording's class.")] = False,
) -> None:
    """List the frozen folds: what may be learned from, what is only judged, and whose choice that was.

    The paper's own lists are not published. The folds of two datasets follow from its text, those of six are
    reconstructed, and those of datasets that are not in the paper are ours. Windows are counted in samples at 64 kHz.
    """
    from dualres.bench.datasets import about_folds, catalog
    from dualres.bench.datasets.folds import chosen

    shown = chosen(names or [])
    if as_json:
        typer.echo(json.dumps([about_folds.as_data(fold) for fold in shown], indent=1))
        return
    groups = {title: [f for f in shown if f.dataset in members] for title, members in catalog.groups().items()}
    for title, members in groups.items():
        if members:
            console.print(_folds_table(title, members))
    for name in dict.fromkeys(f.dataset for members in groups.values() for f in members):
        release = catalog.release(name)
        console.print(f"\n[bold]{release.short}[/bold]: {escape(', '.join(release.classes))}", highlight=False)
        for line in about_folds.in_words(name):
            console.print(Padding(escape(line), (0, 0, 0, 2)), highlight=False)


def _folds_table(title: str, folds: "Sequence[Fold]") -> Table:
    from dualres.bench.datasets import catalog

    table = Table(title=title, title_justify="left")
    for column in ("Fold", "Dataset", "Support", "Judged", "Held out", "Folds are", "Hash"):  # 80 characters hold them
        table.add_column(column, justify="right" if column in ("Support", "Judged") else "left")
    for f in folds:
        counts = (len(f.supporting()), len(f.evaluation))
        whose = "from the text" if (said := catalog.release(f.dataset).folds_from) == "text" else said
        table.add_row(f.fold, f.dataset, *map(str, counts), f.held_out, whose, f.hash[:6])
    return table


@app.command()
def fold(
    *,
    table: Annotated[Path, typer.Argument(help="CSV file: recording, label, side and, if wanted, order.")],
    name: Annotated[str, typer.Option(help="Name of the fold, and of its file.")],
    dataset: Annotated[str, typer.Option(help="Name of the dataset that it splits.")],
    held_out: Annotated[str, typer.Option(help="The unit that support and evaluation do not share: bearing, load ...")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write it to.")],
    start_s: Annotated[int, typer.Option(min=0, help="Where the first support window starts, s.")] = 0,
    step: Annotated[float, typer.Option(min=0.01, help="From one support window to the next, in windows.")] = 1.0,
    windows: Annotated[int | None, typer.Option(min=1, help="At most this many windows of an evaluated one.")] = None,
    stores: Stores = Path("stores"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a fold of this name.")] = False,
) -> None:
    """Freeze a fold: write the split that a table describes, with the hash of its content.

    Side is support (may be learned from) or evaluation (is only ever judged). If the dataset is prepared,
    recordings and labels are compared with it.
    """
    from dualres.bench.datasets.folds.freeze import check_recordings, fold_of, freeze, read_table
    from dualres.recordings.store import read_index

    rows = read_table(table)
    if (stores / dataset / "recordings.json").exists():
        check_recordings(rows, {one["id"]: one["label"] for one in read_index(stores / dataset)["recordings"]})
    frozen = fold_of(rows, name=name, dataset=dataset, held_out=held_out, start_s=start_s, step=step, windows=windows)
    path = freeze(frozen, output, overwrite=overwrite)
    counts = f"{len(frozen.classes)} classes, {len(frozen.supporting())} recordings to learn from"
    say(f"{path}: {counts}, {len(frozen.evaluation)} evaluated")
    say(f"hash  {frozen.hash}")
