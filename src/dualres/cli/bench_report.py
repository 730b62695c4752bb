"""`dualres bench report`, `verify` and `export`: from a ledger to tables, figures and a page, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dualres.cli.bench import DEFAULT_DIR, LEDGER, Dir
from dualres.cli.bench_choice import Device, Quick, Threads, all_studies
from dualres.cli.screen import complain, progress, say
from dualres.errors import ConfigError

TABLES, FIGURES, PAGE = "tables", "figures", "index.html"


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    studies: Annotated[list[str] | None, typer.Argument(metavar="[STUDY]...", help="Names; all by default.")] = None,
    quick: Quick = False,
    device: Annotated[
        Device | None, typer.Option("--device", help="Jobs run on this kind; by default on the one with more of them.")
    ] = None,
    threads: Threads = 1,
    folder: Dir = DEFAULT_DIR,
) -> None:
    """Write tables (CSV, Markdown, LaTeX), figures (PDF, PNG) and a page to browse, from the ledger alone.

    What `dualres profile` has measured beside it is shown, too.
    """
    from dualres.benchmark.ledger import Ledger
    from dualres.benchmark.page import write_page
    from dualres.benchmark.plots import write_figures
    from dualres.benchmark.profile.costs import all_costs
    from dualres.benchmark.profile.keep import FOLDER, damaged
    from dualres.benchmark.tables import Settings, cost_tables, reference_tables, study_tables, write_tables

    names = all_studies(studies or ["all"])
    settings = Settings(tuple(names), quick, device.value if device else None, threads)
    costs = all_costs(folder / FOLDER)
    for problem in damaged(folder / FOLDER):
        complain("left out", str(problem), "yellow")
    with Ledger(folder / LEDGER, create=bool(costs)) as ledger, progress("The report is not complete.") as tell:
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
                f"{ledger.path}: holds no finished job of {', '.join(names)} with {threads} threads; "
                f"`dualres bench run`, or ask {other}"
            )
        tables += [*cost_tables(folder), *reference_tables()]
        write_tables(tables, output / TABLES, settings)
        tell("Figures and page", 0, 2, "figures")
        figures = write_figures(found, output / FIGURES, costs)
        tell("Figures and page", 1, 2, "page")
        write_page(output / PAGE, found, tables, figures)
        tell("Figures and page", 2, 2, "")
    jobs = len({entry.key for results in found.values() for entry in results.entries})
    size = " QUICK RUN: reduced size, not comparable with the paper." if quick else ""
    say(f"{len(tables)} tables and {len(figures)} figures from {jobs} jobs: {output / PAGE}{size}")
    if not costs:
        say("inference costs: not measured; `dualres profile` does")
    if missing := [name for name in names if name not in found]:
        say(f"not run: {', '.join(missing)}")


def verify(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A report whose tables to check, too.")] = None,
    models: Annotated[bool, typer.Option(help="Whether to check the model files.")] = True,
    folder: Dir = DEFAULT_DIR,
) -> None:
    """Compute hashes and, of a report, every table cell again from the stored scores; say what does not agree."""
    from dualres.benchmark.ledger import Ledger
    from dualres.benchmark.sums import check_sums
    from dualres.benchmark.verify import verify as check
    from dualres.benchmark.verify_tables import verify_tables

    with Ledger(folder / LEDGER, create=False) as ledger, progress("Nothing was changed.") as tell:
        problems = check(ledger, folder if models else None, lambda done, total: tell("Verify jobs", done, total, ""))
        count = len(ledger.keys())
        if output is not None:
            problems += verify_tables(ledger, output / TABLES) + check_sums(output / FIGURES)
    for problem in problems:
        complain("wrong", problem)
    if problems:
        raise typer.Exit(1)
    files = "" if models else "; model files were not looked at"
    say(f"{count} jobs agree with their plans, folds and hashes{files}")
    if output is not None:
        say(f"{output}: the tables are what the ledger gives, and the figures are as they were drawn")


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    folder: Dir = DEFAULT_DIR,
) -> None:
    """Write the ledger as text with hashes, to keep under version control."""
    from dualres.benchmark.export import export as write
    from dualres.benchmark.ledger import Ledger

    with Ledger(folder / LEDGER, create=False) as ledger:
        say(f"{write(ledger, output)} jobs: {output}")
