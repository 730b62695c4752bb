"""`dualres bench`: the paper's studies and ours, planned, run and looked after."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from dualres.cli import INTERRUPTED
from dualres.cli.bench.choice import DEFAULT_DIR, WHOSE, Dir, JobChoice, ReadDir, all_studies, opened
from dualres.cli.bench.data import Stores
from dualres.cli.bench.live import live
from dualres.cli.bench.report import export, report, verify
from dualres.cli.bench.split import split
from dualres.cli.console import complain, console, errors, progress, say
from dualres.cli.folder import with_options
from dualres.cli.progress_display import duration
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.bench.campaign.coordinator import RunSummary
    from dualres.bench.campaign.executors import Executor
    from dualres.bench.campaign.job import Job
    from dualres.bench.campaign.times import Total

app = typer.Typer(no_args_is_help=True, help=f"Plan, run, report and verify studies: the paper's and ours.\n\n{WHOSE}")
_QUICK = ", quick (reduced size)"


@app.command()
@with_options
def plan(*, choice: JobChoice, folder: Dir = DEFAULT_DIR, stores: Stores = Path("stores")) -> None:
    """Show what the studies consist of, what is done, and how long the rest will take."""
    from dualres.bench.campaign.exchange.ledger_folder import own_ledger
    from dualres.bench.campaign.ledger import Ledger
    from dualres.bench.campaign.progress_tables import distinct_jobs, plan_rows
    from dualres.bench.campaign.times import Times, times_in

    chosen = choice.jobs(stores, at_hand=False)
    done, times = set[str](), Times()
    if (path := own_ledger(folder)).exists():
        with Ledger(path) as ledger:
            done, times = ledger.keys(), times_in(ledger)
    table = Table(title=f"Plan{_QUICK * choice.quick}", title_justify="left")
    for column in ("Study", "Dataset"):
        table.add_column(column, no_wrap=True)
    for column in ("Methods", "Budgets", "Seeds", "Jobs", "Done", "Rest"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in plan_rows(chosen, done, times):
        table.add_row(*map(str, row[:-1]), _time(row.rest))
    console.print(table)
    _tell_ours(chosen)
    everything = distinct_jobs(chosen)
    say(f"Methods: {_list(job.method for job in everything)}")
    say(f"Budgets, recordings x windows per class: {_list(str(job.budget) for job in everything)}")
    say(f"Seeds: {_list(str(job.seed) for job in everything)}; folds: {_list(job.fold for job in everything)}")
    missing = [job for job in everything if job.key not in done]
    say(f"{len(missing)} distinct jobs are missing; one after another they take {_time(times.total(missing))}.")
    say("Times come from finished jobs of the same method, or else from a 2.8 GHz core. Parallel jobs take less.")
    _tell_absent(stores, choice.studies, {job.dataset for job in everything})


@app.command()
@with_options
def run(
    *,
    choice: JobChoice,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default as many as the cores allow, at most 4 on a GPU.")
    ] = None,
    executor: Annotated[
        Literal["local", "ray"], typer.Option(help="Run on this machine, or on a Ray cluster.")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of the Ray cluster; by default one is started on this machine.")
    ] = None,
    folder: Dir = DEFAULT_DIR,
    stores: Stores = Path("stores"),
) -> None:
    """Run the missing jobs of the studies. A run that was stopped or killed continues with the same command."""
    from dualres.bench.campaign.coordinator import run as run_jobs
    from dualres.bench.campaign.exchange.ledger_folder import own_ledger
    from dualres.bench.campaign.ledger import Ledger
    from dualres.bench.campaign.progress_tables import distinct_jobs

    if address is not None and executor != "ray":
        raise ConfigError(f"--address {address} only applies with --executor ray")
    chosen = choice.jobs(stores)
    wanted = distinct_jobs(chosen)
    with Ledger(own_ledger(folder)) as ledger:
        try:
            engine = _executor(choice, stores, folder, jobs=jobs, kind=executor, address=address)
            with live() as report:
                summary = run_jobs(wanted, ledger, engine, report)
        except KeyboardInterrupt:
            kept = f"{len(ledger.keys() & {job.key for job in wanted})} finished jobs are kept"
            errors.print(f"Stopped. {kept}; run the same command again to continue.", highlight=False)
            raise typer.Exit(INTERRUPTED) from None
    _show_end(chosen, summary, choice.quick)
    if summary.known or summary.finished:
        words = ["dualres bench report", *(name for name in choice.studies if name != "all"), "-o report"]
        words += ["--quick"] if choice.quick else []
        words += ["--threads", str(choice.threads)] if choice.threads != 1 else []
        words += ["--dir", str(folder)] if folder != DEFAULT_DIR else []
        say(f"Next: {' '.join(words)}")
    if summary.failed:
        raise typer.Exit(1)


@app.command()
def status(folder: ReadDir = DEFAULT_DIR, stores: Stores = Path("stores")) -> None:
    """Show for each study what is done, what failed and why, and what is missing, on the datasets present."""
    from dualres.bench.campaign.dataset_signals import present_datasets
    from dualres.bench.campaign.exchange.ledger_folder import LEDGER, exported
    from dualres.bench.campaign.progress_tables import progress_rows
    from dualres.bench.campaign.studies import STUDIES

    present = present_datasets(stores)
    with opened(folder) as ledger:
        done, failures = ledger.keys(), ledger.failures()
    title = f"{escape(str(folder if exported(folder) else folder / LEDGER))}; datasets: {', '.join(present)}"
    table = Table(title=title, title_justify="left")
    for column in ("Study", "Size", "Device"):
        table.add_column(column)
    for column in ("Planned", "Done", "Failed", "Missing"):
        table.add_column(column, justify="right")
    rows, others = progress_rows(present, done, failures.keys())
    for row in rows:
        table.add_row(row.study, "quick" if row.quick else "full", *map(str, row[2:]))
    console.print(table)
    _tell_ours(row.study for row in rows)
    if others:
        say(f"{others} more finished jobs have other seeds, threads or datasets.")
    _show_failures(failures.values())
    _tell_absent(stores, list(STUDIES))


@app.command("import")
def import_(
    other: Annotated[
        Path, typer.Argument(metavar="LEDGER", help="ledger.sqlite of another machine, or a folder written by export.")
    ],
    folder: Dir = DEFAULT_DIR,
) -> None:
    """Import another ledger's jobs, models and measurements. Jobs that both hold must agree."""
    from dualres.bench.campaign.exchange.import_ledger import import_ledger
    from dualres.bench.campaign.exchange.ledger_folder import own_ledger

    ledger = own_ledger(folder)
    with progress("What was imported is kept; run the same command again to continue.") as tell:
        taken = import_ledger(other, ledger, tell)
    merge, measured = taken.merge, taken.measured
    say(f"{merge.taken} jobs imported, {merge.known} already known and in agreement; {taken.models} model files copied")
    if measured.taken or measured.known:
        say(f"{measured.taken} measurements imported, {measured.known} already known")
    for title in measured.differing:
        complain("note", f"{title}: was also measured here; ours was kept", "yellow")
    for sentence in measured.left_out:
        complain("left out", sentence, "yellow")
    for clash in taken.clashes:
        complain("clash", f"{clash.job.title} ({clash.job.key[:16]}): {clash.difference}; ours were kept")
    if taken.clashes:
        raise typer.Exit(1)


def _list(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _time(total: Total) -> str:
    if not total.unknown:
        return duration(total.seconds)
    return f"over {duration(total.seconds)} ({total.unknown} jobs unknown)" if total.seconds else "unknown"


def _executor(
    choice: JobChoice, stores: Path, folder: Path, *, jobs: int | None, kind: str, address: str | None
) -> Executor:
    threads, device = choice.threads, choice.device
    if kind == "ray":
        from dualres.bench.campaign.ray_executor import RayExecutor

        return RayExecutor(stores, folder, address=address, jobs=jobs, threads=threads, device=device)
    from dualres.bench.campaign.process_executor import local_executor
    from dualres.kernel.gpu.cuda_graphs import check_device

    check_device(device)
    return local_executor(stores, folder, jobs=jobs, threads=threads, device=device)


def _show_end(chosen: Mapping[str, Sequence[Job]], summary: RunSummary, quick: bool) -> None:
    from dualres.bench.campaign.progress_tables import run_rows

    table = Table(title=f"Run{_QUICK * quick}", title_justify="left")
    table.add_column("Study")
    for column in ("Jobs", "Done before", "Done now", "Failed"):
        table.add_column(column, justify="right")
    for row in run_rows(chosen, summary):
        table.add_row(*map(str, row))
    console.print(table)
    _tell_ours(chosen)
    if len(chosen) > 1:
        say("A job shared by several studies is counted in each, but was done once.")


def _tell_ours(studies: Iterable[str]) -> None:
    from dualres.bench.campaign.studies import study

    if ours := [name for name in dict.fromkeys(studies) if not study(name).of_paper]:
        say(f"Not in the paper: {', '.join(ours)}.")


def _show_failures(failures: Iterable[tuple[Job, str]]) -> None:
    from dualres.bench.campaign.progress_tables import jobs_by_reason

    reasons = jobs_by_reason(failures)
    for reason, jobs in reasons.items():
        others = f" and {len(jobs) - 1} more" if len(jobs) > 1 else ""
        complain("failed", f"{jobs[0].title}{others}: {reason}")
    if reasons:
        say("`dualres bench run` tries failed jobs again.")


def _tell_absent(stores: Path, studies: Sequence[str], planned: Container[str] = ()) -> None:
    from dualres.bench.campaign.dataset_signals import present_datasets
    from dualres.bench.campaign.progress_tables import datasets_of

    present = present_datasets(stores)
    absent = [dataset for dataset in datasets_of(all_studies(studies)) if dataset not in present]
    needed, left_out = ([name for name in absent if (name in planned) == there] for there in (True, False))
    if needed:
        prepare = f"dualres data prepare {needed[0]} --from DOWNLOAD"
        say(f"To run it, prepare in {stores} what is missing: {', '.join(needed)} (`dualres data list`, `{prepare}`).")
    if left_out:
        say(f"Not prepared in {stores}, so left out: {', '.join(left_out)} (`dualres data list`).")


for command in (report, verify, split, export):
    app.command()(command)
