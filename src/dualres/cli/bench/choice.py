"""Which jobs a `dualres bench` command is about: the options that say so, and what comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.bench.paper.protocol import STUDIES as PAPER_STUDIES
from dualres.cli.console import complain
from dualres.cli.folder import Device
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.bench.campaign.job import Job
    from dualres.learn.fold import Budget


OWN_STUDIES = (
    "published",
    "recipes",
    "adaptation",
    "rigs",
)  # named here since the studies themselves take long to load
WHOSE = f"The paper's: {', '.join(PAPER_STUDIES)}. Ours, not in the paper: {', '.join(OWN_STUDIES)}."

Studies = Annotated[list[str], typer.Argument(metavar="STUDY...", help=f"Names of studies, or all. {WHOSE}")]
Methods = Annotated[list[str] | None, typer.Option(help="Only these methods, comma-separated: dualres,minirocket.")]
Seeds = Annotated[list[str] | None, typer.Option(help="Seeds instead of the study's, comma-separated: 41,42.")]
Datasets = Annotated[list[str] | None, typer.Option(help="Only these datasets, comma-separated: cwru,simulated.")]
Folds = Annotated[list[str] | None, typer.Option(help="Only these folds, comma-separated: P1,S2.")]
Budgets = Annotated[
    list[str] | None, typer.Option(help="Only these budgets, recordings x windows per recording: 3x4,1x3.")
]
ByRecipe = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        help="Train with this recipe instead of the study's: paper, robust, or a file from dualres tune. "
        "Reports only show recipes that studies plan.",
    ),
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Reduced size that takes minutes; all results say so.")]
Threads = Annotated[int, typer.Option(min=1, help="CPU threads per job; part of its plan.")]
OnDevice = Annotated[Device, typer.Option("--device", help="Device for neural methods; part of a job's plan.")]


def choose(
    studies: Sequence[str],
    stores: Path,
    methods: list[str] | None,
    seeds: list[str] | None,
    datasets: list[str] | None,
    folds: list[str] | None,
    budgets: list[str] | None,
    recipe: str | None,
    quick: bool,
    threads: int,
    device: Device,
) -> dict[str, list[Job]]:
    """The jobs of each study that is asked for."""
    from dualres.bench.campaign import studies as catalogue
    from dualres.bench.campaign.dataset_signals import present_datasets
    from dualres.bench.campaign.progress_tables import once
    from dualres.bench.datasets import catalog
    from dualres.bench.methods.catalogue import names as method_names
    from dualres.learn.trained.tune_plan import recipe_from

    names = all_studies(studies)
    picked = named("method", methods, method_names())
    wanted = prepared(datasets, stores)
    present = present_datasets(stores)
    kept = named("fold", folds, [fold for name in catalog.names() for fold in catalogue.folds_of(name)])
    sizes = parsed_budgets(budgets)
    by = recipe_from(recipe).recipe if recipe else None
    if recipe and by is None:
        raise ConfigError(f"--recipe {recipe}: views make no updates and are a method; use --methods dualres/views")
    chosen = {
        name: catalogue.jobs(
            catalogue.study(name),
            wanted or present,
            methods=picked,
            seeds=parsed_seeds(seeds),
            folds=kept,
            budgets=sizes,
            recipe=by,
            quick=catalogue.Quick() if quick else None,
            threads=threads,
            device=device.value,
        )
        for name in names
    }
    everything = once(chosen)
    if not everything:
        raise ConfigError(f"no job of {', '.join(names)} matches these options; `dualres bench plan all` shows all")
    if absent := [m for m in picked or () if m not in {job.method for job in everything}]:
        complain("note", f"no job of {', '.join(absent)} in {', '.join(names)}{' --quick' if quick else ''}", "yellow")
    return chosen


def all_studies(studies: Sequence[str]) -> list[str]:
    from dualres.bench.campaign.studies import STUDIES

    _check("study", studies, (*STUDIES, "all"))
    return list(STUDIES) if "all" in studies else list(dict.fromkeys(studies))


def prepared(datasets: Iterable[str] | None, stores: Path) -> list[str] | None:
    """The datasets asked for, all of which are at hand; None where none was named."""
    from dualres.bench.campaign.dataset_signals import present_datasets
    from dualres.bench.datasets import catalog

    wanted, present = named("dataset", datasets, catalog.names()), present_datasets(stores)
    for name in wanted or ():
        if name not in present:
            raise ConfigError(f"dataset {name} is not prepared in {stores}; `dualres data list` says how to get it")
    return wanted


def named(kind: str, values: Iterable[str] | None, known: Sequence[str]) -> list[str] | None:
    """Names as options give them, all of them known ones; None where none was given."""
    names = _parts(values)
    _check(kind, names, known)
    return names


def _parts(values: Iterable[str] | None) -> list[str] | None:
    """`a,b` and repeated options alike."""
    return [part.strip() for value in values for part in value.split(",") if part.strip()] if values else None


def _check(kind: str, names: Iterable[str] | None, known: Sequence[str]) -> None:
    for name in names or ():
        if name not in known:
            raise ConfigError(f"there is no {kind} {name!r}; there are {', '.join(known)}")


def parsed_seeds(values: Iterable[str] | None) -> list[int] | None:
    parts = _parts(values)
    for part in parts or ():
        if not (part.isascii() and part.isdigit()):
            raise ConfigError(f"seed {part!r} is not a whole number")
    return [int(part) for part in parts] if parts else None


def parsed_budgets(values: Iterable[str] | None) -> list[Budget] | None:
    from dualres.learn.fold import Budget

    parts = _parts(values)
    for part in parts or ():
        if not re.fullmatch(r"[1-9][0-9]{0,3}x[1-9][0-9]{0,3}", part):
            raise ConfigError(f"budget {part!r} is not recordings x windows per class, such as 3x4")
    return [Budget(*map(int, part.split("x"))) for part in parts] if parts else None
