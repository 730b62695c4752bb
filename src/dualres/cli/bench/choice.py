"""Which jobs and which ledger a `dualres bench` command is about: the options that say so, and what comes of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.bench.paper.protocol import STUDIES as PAPER_STUDIES
from dualres.cli.console import complain, progress
from dualres.cli.folder import Device
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.bench.campaign.job import Job
    from dualres.bench.campaign.ledger import Ledger
    from dualres.config import Recipe
    from dualres.learn.fold import Budget

OWN_STUDIES = ("broad", "published", "recipes", "adaptation", "rigs")  # the studies themselves take long to load
WHOSE = f"The paper's: {', '.join(PAPER_STUDIES)}. Ours, not in the paper: {', '.join(OWN_STUDIES)}."

QuickOption = Annotated[bool, typer.Option("--quick", help="Reduced size that takes minutes; all results say so.")]
Threads = Annotated[int, typer.Option(min=1, help="CPU threads per job; part of its plan.")]
DEFAULT_DIR = Path("bench")

Dir = Annotated[
    Path, typer.Option("--dir", envvar="DUALRES_BENCH", help="Folder with the ledger, the models and cached signals.")
]
ReadDir = Annotated[
    Path, typer.Option("--dir", envvar="DUALRES_BENCH", help="Folder with the ledger, or one written by export.")
]

_Listed = list[str] | None  # as typed: options may be repeated, and values be separated by commas


@dataclass(frozen=True, kw_only=True)
class JobChoice:
    """The options of `dualres bench plan` and `run` that say which jobs they are about."""

    studies: Annotated[list[str], typer.Argument(metavar="STUDY...", help=f"Names of studies, or all. {WHOSE}")]
    methods: Annotated[_Listed, typer.Option(help="Only these methods, comma-separated: dualres,minirocket.")] = None
    seeds: Annotated[_Listed, typer.Option(help="Seeds instead of the study's, comma-separated: 41,42.")] = None
    datasets: Annotated[_Listed, typer.Option(help="Only these datasets, comma-separated: cwru,simulated.")] = None
    folds: Annotated[_Listed, typer.Option(help="Only these folds, comma-separated: P1,S2.")] = None
    budgets: Annotated[
        _Listed, typer.Option(help="Only these budgets, recordings x windows per recording: 3x4,1x3.")
    ] = None
    recipe: Annotated[
        str | None,
        typer.Option(
            help="Train with this recipe instead of the study's: paper, robust, or a file from dualres tune. "
            "Reports only show recipes that studies plan."
        ),
    ] = None
    quick: QuickOption = False
    device: Annotated[Device, typer.Option(help="Device for neural methods; part of a job's plan.")] = "cpu"
    threads: Threads = 1

    def jobs(self, stores: Path, *, at_hand: bool = True) -> "dict[str, list[Job]]":
        """The jobs of each study that is asked for; `at_hand` refuses a dataset that is named and not prepared."""
        from dualres.bench.campaign import studies
        from dualres.bench.campaign.dataset_signals import present_datasets
        from dualres.bench.campaign.progress_tables import distinct_jobs
        from dualres.bench.datasets import catalog
        from dualres.bench.methods.catalog import names as method_names

        names, methods = all_studies(self.studies), named("method", self.methods, method_names())
        asked = prepared(self.datasets, stores) if at_hand else named("dataset", self.datasets, catalog.names())
        wanted = asked or present_datasets(stores)
        folds = named("fold", self.folds, [fold for name in catalog.names() for fold in studies.folds_of(name)])
        budgets, seeds, recipe = parsed_budgets(self.budgets), parsed_seeds(self.seeds), self._recipe()
        chosen = {
            name: studies.jobs(
                studies.study(name),
                wanted,
                methods=methods,
                seeds=seeds,
                folds=folds,
                budgets=budgets,
                recipe=recipe,
                quick=studies.Quick() if self.quick else None,
                threads=self.threads,
                device=self.device,
            )
            for name in names
        }
        everything = distinct_jobs(chosen)
        if not everything:
            all_of = ", ".join(names)
            raise ConfigError(f"no job of {all_of} matches these options; `dualres bench plan all` shows all")
        if absent := [m for m in methods or () if m not in {job.method for job in everything}]:
            where = f"{', '.join(names)}{' --quick' if self.quick else ''}"
            complain("note", f"no job of {', '.join(absent)} in {where}", "yellow")
        return chosen

    def _recipe(self) -> "Recipe | None":
        from dualres.learn.trained.tune_plan import recipe_from

        chosen = recipe_from(self.recipe) if self.recipe else None
        if chosen and chosen.recipe is None:
            told = f"{chosen} make no updates and are a method; use --methods {chosen.kind.method}"
            raise ConfigError(f"--recipe {self.recipe}: {told}")
        return chosen.recipe if chosen else None


@contextmanager
def opened(folder: Path, *, create: bool = False) -> "Iterator[Ledger]":
    """The folder's ledger, with a bar while an export is read."""
    from dualres.bench.campaign.exchange import ledger_folder

    with ExitStack() as stack:
        with progress("Nothing was changed.") as report:
            ledger = stack.enter_context(ledger_folder.opened(folder, create=create, progress=report))
        yield ledger


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


def parsed_budgets(values: Iterable[str] | None) -> "list[Budget] | None":
    from dualres.learn.fold import Budget

    parts = _parts(values)
    for part in parts or ():
        if not re.fullmatch(r"[1-9][0-9]{0,3}x[1-9][0-9]{0,3}", part):
            raise ConfigError(f"budget {part!r} is not recordings x windows per class, such as 3x4")
    return [Budget(*map(int, part.split("x"))) for part in parts] if parts else None
