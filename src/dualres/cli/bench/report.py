"""`dualres bench report`, `verify` and `export`: from a ledger to tables, figures and a page, and back."""

from pathlib import Path
from typing import Annotated

import typer

from dualres.cli.bench.choice import DEFAULT_DIR, WHOSE, QuickOption, ReadDir, Threads, all_studies, opened
from dualres.cli.console import complain, progress, say
from dualres.cli.folder import Device


def report(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    studies: Annotated[
        list[str] | None, typer.Argument(metavar="[STUDY]...", help=f"Studies; all by default. {WHOSE}")
    ] = None,
    quick: QuickOption = False,
    device: Annotated[
        Device | None, typer.Option("--device", help="Device whose jobs to show; by default the one with more.")
    ] = None,
    threads: Threads = 1,
    page: Annotated[bool, typer.Option(help="Write the page to browse.")] = True,
    folder: ReadDir = DEFAULT_DIR,
) -> None:
    """Write tables (CSV, Markdown, LaTeX), figures (PDF, PNG) and a page to browse, from the ledger alone.

    Measurements that `dualres profile` left beside the ledger are included.
    """
    from dualres.bench.report.build import PAGE, has_costs, write_report
    from dualres.bench.report.captions import QUICK_REPORT
    from dualres.bench.report.tables import Settings

    names = all_studies(studies or ["all"])
    settings = Settings(tuple(names), quick, device, threads)
    with opened(folder, create=has_costs(folder)) as ledger, progress("The report is incomplete.") as tell:
        written = write_report(ledger, folder, output, settings, page=page, progress=tell)
    for problem in written.left_out:
        complain("left out", problem, "yellow")
    size = f" {QUICK_REPORT}" if quick else ""
    where = output / PAGE if page else output
    say(f"{written.tables} tables and {written.figures} figures from {written.jobs} jobs: {where}{size}")
    if not page and (output / PAGE).exists():
        complain("note", f"{output / PAGE}: belongs to an earlier report and was left unchanged", "yellow")
    _seal(output)
    if not written.costs:
        say("inference costs: not measured; run `dualres profile`")
    if written.not_run:
        say(f"not run: {', '.join(written.not_run)}")


def verify(
    *,
    checked: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Folder to check, instead of --dir.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also check the tables of this report; by default the folder's own."),
    ] = None,
    models: Annotated[bool, typer.Option(help="Check the model files, too.")] = True,
    root: Annotated[
        list[str] | None,
        typer.Option(metavar="HASH", help="Root hash, kept elsewhere, that the ledger, export or report must have."),
    ] = None,
    folder: ReadDir = DEFAULT_DIR,
) -> None:
    """Recompute hashes and, for a report, every table cell from the stored scores; list what does not agree.

    The root hash that is printed stands for every byte that was checked. Keep it elsewhere and give it by --root.
    """
    from dualres.bench.verify.folder import verify_folder

    with progress("Nothing was changed.") as tell:
        found = verify_folder(checked or folder, output, models=models, roots=root or (), progress=tell)
    for problem in found.problems:
        complain("wrong", problem)
    if found.problems:
        raise typer.Exit(1)
    files = "; models: not part of an export" if found.export else "" if models else "; model files were not checked"
    say(f"{found.counts.jobs} jobs agree with their plans, folds and hashes{files}")
    if found.report is not None:
        say(f"{found.report}: the tables agree with the ledger, and the figures show what it gives")
    counts = found.counts
    parts = {"scores": counts.scores, "losses": counts.losses, "models": counts.models}
    parts |= {"measurements": found.measurements, "tables": found.tables}
    parts |= {"table cells": found.cells, "figures": found.figures, "files": found.files}
    say(f"checked: {counts.jobs} jobs, {', '.join(f'{count} {name}' for name, count in parts.items() if count)}")
    if counts.unhashed:
        say(f"{counts.unhashed} jobs were recorded by an earlier version, without a hash of their scores")
    for place, its in found.roots.items():
        say(f"root hash of {place}: {its}")


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")], folder: ReadDir = DEFAULT_DIR
) -> None:
    """Write the ledger and the measurements beside it as text with hashes, to keep under version control."""
    from dualres.bench.campaign.exchange.export import export as write

    with opened(folder) as ledger, progress("The export is incomplete; run the same command again.") as tell:
        written = write(ledger, output, tell)
    for problem in written.left_out:
        complain("left out", problem, "yellow")
    say(f"{written.jobs} jobs and {written.measurements} measurements: {output}")
    _seal(output)


def _seal(output: Path) -> None:
    """Write the list of all that lies in a folder, and say the hash that stands for it."""
    from dualres.bench.verify.manifest import write_manifest

    say(f"root hash of {output}: {write_manifest(output)}")
