"""`dualres bench report`, `verify` and `export`: from a ledger to tables, figures and a page, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.bench_choice import Device, Quick, Threads, all_studies
from dualres.cli.bench_folder import DEFAULT_DIR, ReadDir, exported, opened
from dualres.cli.screen import complain, progress, say
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.campaign.ledger import Ledger

TABLES, FIGURES, PAGE = "tables", "figures", "index.html"


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    studies: Annotated[list[str] | None, typer.Argument(metavar="[STUDY]...", help="Names; all by default.")] = None,
    quick: Quick = False,
    device: Annotated[
        Device | None, typer.Option("--device", help="Jobs run on this kind; by default on the one with more of them.")
    ] = None,
    threads: Threads = 1,
    page: Annotated[bool, typer.Option(help="Whether to write the page to browse.")] = True,
    folder: ReadDir = DEFAULT_DIR,
) -> None:
    """Write tables (CSV, Markdown, LaTeX), figures (PDF, PNG) and a page to browse, from the ledger alone.

    What `dualres profile` has measured beside it is shown, too.
    """
    from dualres.profile.costs import all_costs
    from dualres.profile.measurements import FOLDER, damaged
    from dualres.report.captions import QUICK_REPORT
    from dualres.report.page import write_page
    from dualres.report.plots.write import write_figures
    from dualres.report.tables import Settings, cost_tables, reference_tables, study_tables, write_tables

    names = all_studies(studies or ["all"])
    settings = Settings(tuple(names), quick, device.value if device else None, threads)
    costs = all_costs(folder / FOLDER)
    for problem in damaged(folder / FOLDER):
        complain("left out", str(problem), "yellow")
    with opened(folder, create=bool(costs)) as ledger, progress("The report is not complete.") as tell:
        found, tables = {}, []
        for done, name in enumerate(names, start=1):
            results = settings.results(ledger, name)
            if results.entries:
                found[name] = results
                tables += study_tables(results)
            tell("Tables", done, len(names), name)
        if not found and not costs:
            other = "without --quick" if quick else "with --quick"
            raise ConfigError(
                f"{folder}: holds no finished job of {', '.join(names)} with {threads} threads; "
                f"`dualres bench run`, or ask {other}"
            )
        tables += [*cost_tables(folder), *reference_tables()]
        write_tables(tables, output / TABLES, settings)
        tell("Figures and page", 0, 2, "figures")
        figures = write_figures(found, output / FIGURES, costs)
        tell("Figures and page", 1, 2, "page")
        if page:
            write_page(output / PAGE, found, tables, figures)
        tell("Figures and page", 2, 2, "")
    jobs = len({entry.key for results in found.values() for entry in results.entries})
    size = f" {QUICK_REPORT}" if quick else ""
    say(f"{len(tables)} tables and {len(figures)} figures from {jobs} jobs: {output / PAGE if page else output}{size}")
    if not page and (output / PAGE).exists():
        complain("note", f"{output / PAGE}: is of an earlier report, and was left as it is", "yellow")
    if not costs:
        say("inference costs: not measured; `dualres profile` does")
    if missing := [name for name in names if name not in found]:
        say(f"not run: {', '.join(missing)}")


def verify(
    checked: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="What to check, instead of --dir.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A report whose tables to check, too; the folder's own by default."),
    ] = None,
    models: Annotated[bool, typer.Option(help="Whether to check the model files.")] = True,
    folder: ReadDir = DEFAULT_DIR,
) -> None:
    """Compute hashes and, of a report, every table cell again from the stored scores; say what does not agree."""
    from dualres.exchange.read_export import check_export
    from dualres.machinery.checksums import check_sums
    from dualres.verify.ledger import verify as check

    folder = checked or folder
    if output is None and any((folder / name).is_dir() for name in (TABLES, FIGURES)):
        output = folder
    text = exported(folder)
    problems = check_export(folder) if text else []
    if problems:  # so that nothing can be computed from it
        problems += check_sums(output / TABLES) if output is not None else []
    else:
        with opened(folder) as ledger, progress("Nothing was changed.") as tell:
            beside = folder if models and not text else None
            problems += check(ledger, beside, lambda done, total: tell("Verify jobs", done, total, ""))
            problems += _wrong_tables(ledger, output / TABLES) if output is not None else []
            count = len(ledger.keys())
    problems += check_sums(output / FIGURES) if output is not None else []
    for problem in problems:
        complain("wrong", problem)
    if problems:
        raise typer.Exit(1)
    files = "; models: not part of an export" if text else "" if models else "; model files were not looked at"
    say(f"{count} jobs agree with their plans, folds and hashes{files}")
    if output is not None:
        say(f"{output}: the tables are what the ledger gives, and the figures are as they were drawn")


def _wrong_tables(ledger: Ledger, directory: Path) -> list[str]:
    """What does not agree in a report's tables; one that cannot be read at all is a problem like any other."""
    from dualres.machinery.checksums import check_sums
    from dualres.verify.tables import verify_tables

    try:
        return verify_tables(ledger, directory)
    except ConfigError as error:
        return [*check_sums(directory), str(error)]


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    folder: ReadDir = DEFAULT_DIR,
) -> None:
    """Write the ledger and the measurements beside it as text with hashes, to keep under version control."""
    from dualres.exchange.export import export as write

    with opened(folder) as ledger, progress("The export is not complete; the same command writes it again.") as tell:
        written = write(ledger, output, lambda done, total: tell("Export", done, total, ""))
    for problem in written.left_out:
        complain("left out", problem, "yellow")
    say(f"{written.jobs} jobs and {written.measurements} measurements: {output}")
