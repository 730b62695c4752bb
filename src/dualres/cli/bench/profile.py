"""`dualres profile`: what inference costs, measured alike for every method."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from dualres.cli.bench.choice import DEFAULT_DIR, Dir, named, prepared
from dualres.cli.bench.data import Stores
from dualres.cli.console import complain, console, errors, progress, say
from dualres.cli.folder import Device
from dualres.utils.json_text import json_text

if TYPE_CHECKING:
    from dualres.bench.profile.measurements import Measurement
    from dualres.bench.profile.run import PlanResult
    from dualres.utils.progress import Progress


def profile(
    *,
    datasets: Annotated[
        list[str] | None,
        typer.Option("--dataset", help="Prepared datasets, comma-separated, or all; by default the simulated rig."),
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option("--method", help="Only these methods, comma-separated: dualres,minirocket.")
    ] = None,
    device: Annotated[Device, typer.Option(help="Device for neural methods; MiniRocket runs on the CPU.")] = "cpu",
    threads: Annotated[int, typer.Option(min=1, help="CPU threads; the paper used four.")] = 4,
    long: Annotated[bool, typer.Option("--long", help="Measure a record of 1,024 windows or more instead.")] = False,
    way: Annotated[
        Literal["eager", "shipped", "both"],
        typer.Option(
            help="shipped: each method by its fastest path, as `dualres diagnose` runs it. eager: every neural method "
            "by plain PyTorch, like for like. both: one after the other."
        ),
    ] = "shipped",
    quick: Annotated[bool, typer.Option("--quick", help="Only a few repetitions; all results say so.")] = False,
    updates: Annotated[
        int | None,
        typer.Option(
            min=1, help="Measure models trained for this many updates; by default the ledger's, or 10 if it has none."
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Measure again what was measured before.")] = False,
    folder: Dir = DEFAULT_DIR,
    stores: Stores = Path("stores"),
    as_json: Annotated[bool, typer.Option("--json", help="Print all measurements as JSON.")] = False,
) -> None:
    """Measure time, memory and size for one window and a whole recording, each method in its own process.

    Nothing else should run at the same time. Measurements are kept beside the ledger, so a stopped command
    can be continued; `dualres bench report` shows them.
    """
    from dualres.bench.campaign.dataset_signals import present_datasets
    from dualres.bench.campaign.exchange.ledger_folder import own_ledger
    from dualres.bench.campaign.studies import RIG
    from dualres.bench.methods import NAMES
    from dualres.bench.methods.catalog import entry, names
    from dualres.bench.profile.checkpoints import ProfilePaths
    from dualres.bench.profile.plan import WAYS, Plan, plan_all
    from dualres.bench.profile.run import run
    from dualres.kernel.gpu.cuda_graphs import check_device

    chosen = named("method", methods, names()) or NAMES
    wanted = present_datasets(stores) if datasets == ["all"] else prepared(datasets, stores) or [RIG]
    ways = WAYS if way == "both" else (way,)
    plans = plan_all(wanted, chosen, device, threads, ways=ways, long=long, quick=quick)
    check_device(device)
    if threads > (cores := os.cpu_count() or 1):
        complain("note", f"{threads} threads on {cores} cores: times will be longer than necessary", "yellow")
    where, done = ProfilePaths(own_ledger(folder), stores), 0
    with progress("What was measured is kept; run the same command again to continue.") as report:

        def tell_of(one: Plan) -> "Progress":
            def tell(stage: str, step: int, steps: int, _: str) -> None:
                report("Measurements", done, len(plans), one.title)
                report("Now", step, steps, stage)

            return tell

        def ended(one: "PlanResult") -> None:
            nonlocal done
            done += 1
            report("Measurements", done, len(plans), one.plan.title)
            report("Now", 1, 1, "")
            _tell_ended(one)

        results = run(plans, where, updates=updates, again=again, tell_of=tell_of, ended=ended)
    measured = [one.measurement for one in results if one.measurement]
    if as_json:
        typer.echo(json_text([one.as_json() for one in measured], indent=1))
    elif measured:
        for each in ways:
            if shown := [one for one in measured if one.plan.way == each or not entry(one.plan.method).trains]:
                _show(shown, each)
        say(f"All repetitions, hashes and checks: {where.kept}")
    if others := [one.plan.title for one in results if one.known and one.elsewhere]:
        reason = "measured elsewhere, or with other code or libraries"
        complain("note", f"{reason}; --again renews them: {', '.join(others)}", "yellow")
    if any(one.reason for one in results):
        raise typer.Exit(1)


def _tell_ended(one: "PlanResult") -> None:
    """A line for each, whether there is a terminal to show bars on or not."""
    if one.damage:
        complain("damaged", one.damage, "yellow")
    if one.measurement is None:
        complain("skipped", f"{one.plan.title}: {one.reason}")
        return
    model = one.measurement.facts["model"]
    recipe = model["plan"]["recipe"]
    origin = "the ledger's model" if model["from_ledger"] else "fitted for this, the ledger has no such model"
    origin += f"; updates: {recipe['updates']}" if recipe else ""
    line = f"{one.plan.title}: {'known' if one.known else 'measured'} ({origin})"
    errors.print(line, markup=False, highlight=False, soft_wrap=True)
    if not one.measurement.agrees:
        complain("differs", f"{one.plan.title}: its workloads, its ways or the ledger disagree", "yellow")


def _show(measured: "Sequence[Measurement]", way: str) -> None:
    """What was measured in one way, the fastest first, dataset by dataset."""
    from dualres.bench.profile.plan import NATIVE, PREPARED, WINDOW
    from dualres.bench.report.names import dataset_name, method_name

    one, kinds = measured[0].plan, {each.plan.device for each in measured}
    first = one.workloads[0].name
    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1),
        title=f"ms, {way}, {' and '.join(sorted(kinds))}, CPU threads: {one.threads}{', QUICK RUN' * one.quick}",
        title_justify="left",
    )
    for column in ("Dataset", "Method"):
        table.add_column(column, no_wrap=True)
    for column in (*([] if one.long else ["Window", "p95"]), "Prepared", "Native", "RSS MiB"):
        table.add_column(column, justify="right", no_wrap=True)
    if "cuda" in kinds:
        table.add_column("GPU MiB", justify="right", no_wrap=True)
    order = list(dict.fromkeys(each.plan.dataset for each in measured))
    for each in sorted(measured, key=lambda m: (order.index(m.plan.dataset), m.median_ms(first))):
        cells = [] if one.long else [f"{each.median_ms(WINDOW):.2f}", f"{each.p95_ms(WINDOW):.2f}"]
        cells += [f"{each.median_ms(name):.1f}" for name in (PREPARED, NATIVE)]
        cells += [_mib(each.memory_mib(first, "rss_peak"))]
        cells += [_mib(each.memory_mib(first, "cuda_allocated"))] if "cuda" in kinds else []
        table.add_row(dataset_name(each.plan.dataset), method_name(each.plan.method), *cells)
    console.print(table)
    windows = {dataset_name(each.plan.dataset): each.facts["input"]["windows"] for each in measured}
    say(f"Medians; windows of a {'long ' * one.long}record: {', '.join(f'{k} {v:,}' for k, v in windows.items())}.")
    say(
        f"A native record is resampled, too. Memory: most held for {'a prepared record' if one.long else 'one window'}."
    )


def _mib(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
