"""The texts under tables and figures: every sentence that several of them need, each from one set of facts."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.studies import Quick
from dualres.bench.datasets import catalog
from dualres.bench.datasets.about_folds import PROVENANCE
from dualres.bench.methods.rocket import FEATURES as MINIROCKET_FEATURES
from dualres.bench.report.names import dataset_name, dataset_title, device_names, method_name
from dualres.bench.report.results import Cell, FinishedJob, labelled_s
from dualres.learn.fold import Budget

NOT_COMPARABLE = "not comparable with the paper"
QUICK_REPORT = f"QUICK RUN: reduced size, {NOT_COMPARABLE}."
QUICK_COSTS = "QUICK RUN: a few repetitions, to see that everything runs."
QUICK_COSTS_FIGURE = "Quick run: a few repetitions."
MINIROCKET_COUNTED = (
    "Of MiniRocket, which has no neural parameters (n/a in the paper), the coefficients of its ridge classifier on "
    f"{MINIROCKET_FEATURES:,} fixed features are counted."
)
SHARED_FITS = (
    "Other jobs ran on the same machine meanwhile, so these are no measurements of speed. Shared: several fits were "
    "done as one, and none of them has a time or memory of its own."
)
FOLDS_ARE_OURS = "The folds are ours, since the paper's manifests are not published"


def quick_notice(quick: Quick | None, where: Literal["table", "figure", "page"]) -> str:
    """What a quick run leaves out; empty for a whole one."""
    if quick is None:
        return ""
    updates, judged = f"{quick.updates} updates", f"{quick.most_judged}"
    if where == "table":
        return f"QUICK RUN: at most {updates} and {judged} judged recordings per fold; {NOT_COMPARABLE}."
    if where == "figure":
        return f"Quick run: {updates}, at most {judged} recordings judged per fold."
    seeds, methods = joined(map(str, quick.seeds)), f"{len(quick.methods)} methods"
    return f"seed {seeds}, at most {updates}, at most {judged} judged recordings per fold, {methods}"


@dataclass(frozen=True)
class _Place:
    dataset: str
    folds: tuple[str, ...]
    held_out: tuple[str, ...]
    judged: tuple[int, ...]  # recordings per fold
    validation: bool  # whether support recordings were judged


@dataclass(frozen=True)
class Conditions:
    """Under which conditions numbers came about: folds, held-out unit, seeds, exposure, updates and devices."""

    places: tuple[_Place, ...]
    seeds: tuple[int, ...]
    seconds: tuple[float, ...]  # unique labelled seconds per class
    updates: tuple[int, ...]
    devices: str

    @property
    def in_table(self) -> str:
        places = "; ".join(
            f"{dataset_name(p.dataset)} {joined(p.folds)}: {joined(p.held_out)} "
            f"({joined(map(str, p.judged))} recordings judged per fold)"
            for p in self.places
        )
        return (
            f"Folds and what they hold out: {places}. {plural('Seed', self.seeds)} {joined(map(str, self.seeds))}; "
            f"{joined(f'{s:.3f}' for s in self.seconds)} unique labelled seconds per class; "
            f"{joined(map(str, self.updates)) or 'no'} updates of neural methods, fitted on {self.devices}."
            f"{self._likeness}"
        )

    @property
    def in_figure(self) -> str:
        parts = []
        for place in self.places:
            unit = "" if place.validation else f", held-out unit: {in_words(place.held_out)}"
            folds = f"{plural('fold', place.folds)} {in_words(place.folds)}"
            judged = f"{span(place.judged)} recordings judged per fold"
            parts.append(f"{dataset_name(place.dataset)} {folds}{unit}, {judged}")
        parts.append(f"{plural('seed', self.seeds)} {in_words([str(seed) for seed in self.seeds])}")
        parts.append(f"{span(self.seconds, '.3f')} unique labelled seconds per class")
        parts += [f"{span(self.updates)} updates (neural methods)"] if self.updates else []
        return "; ".join([*parts, f"fitted on {self.devices}"]) + f".{self._likeness}"

    @property
    def _likeness(self) -> str:
        """A sentence about what is simulated: nobody may take it for the dataset that it is shaped like."""
        simulated = [p.dataset for p in self.places if dataset_title(p.dataset) != dataset_name(p.dataset)]
        return "".join(f" {dataset_title(dataset)}: a simulation." for dataset in simulated)


def conditions(jobs: Sequence[Job], fitted: Sequence[Job] | None = None) -> Conditions:
    """Those that the jobs' plans state; devices are those of `fitted`, by default of all."""
    return Conditions(
        places=tuple(_place(dataset, jobs) for dataset in dict.fromkeys(job.dataset for job in jobs)),
        seeds=tuple(sorted({job.seed for job in jobs})),
        seconds=tuple(sorted({labelled_s(job) for job in jobs})),
        updates=tuple(sorted({job.recipe.updates for job in jobs if job.recipe})),
        devices=device_names(jobs if fitted is None else fitted),
    )


def _place(dataset: str, jobs: Iterable[Job]) -> _Place:
    by_fold = {job.fold: job for job in jobs if job.dataset == dataset}
    folds = {name: job.used_fold() for name, job in sorted(by_fold.items())}
    return _Place(
        dataset,
        tuple(folds),
        tuple(sorted({fold.held_out for fold in folds.values()})),
        tuple(sorted({len(fold.evaluation) for fold in folds.values()})),
        any(job.judged == "validation" for job in by_fold.values()),
    )


def facts(entries: Iterable[FinishedJob]) -> str:
    """The small print of a figure's caption."""
    return conditions([entry.job for entry in entries]).in_figure


def facts_of(cells: Iterable[Cell]) -> str:
    return facts(entry for cell in cells for entry in cell.entries)


def counts(cells: Iterable[Cell]) -> str:
    """How many seeds are behind each value, as a sentence."""
    n = {len(cell.values) for cell in cells if cell.values}
    return f"Each value is the mean over n = {span(n)} fold-averaged seed{'s' * (max(n) > 1)}." if n else ""


def left_out(methods: Iterable[str], shown: Iterable[str]) -> str:
    """A sentence about methods that were not run at all."""
    shown = set(shown)
    missing = [method_name(method) for method in methods if method not in shown]
    return f"Not run: {in_words(missing)}." if missing else ""


def variant_notice(dataset: str, variant: str) -> str:
    """A sentence about recordings that are not as they were released."""
    return f"{dataset_name(dataset)}: {variant} of the recordings, {NOT_COMPARABLE}."


def folds_notice(datasets: Collection[str]) -> str:
    """A sentence for wherever the paper's numbers stand beside ours: whose the folds are, and what they rest on."""
    named = [name for name in catalog.names() if name in datasets]
    groups = {
        said: [dataset_name(name) for name in named if catalog.release(name).folds_from == kind]
        for kind, said in PROVENANCE.items()
    }
    parts = [f"those of {in_words(names)} {said}" for said, names in groups.items() if names]
    return f"{FOLDS_ARE_OURS}: {', '.join(parts)}."


def seeds_in_words(seeds: Sequence[int]) -> str:
    """ "seed 41" or "seeds 41 to 43"."""
    return f"{plural('seed', seeds)} {span(seeds)}"


def counted(number: int, thing: str) -> str:
    """ "1 pair" or "2 pairs"."""
    return f"{number} {thing}{'s' * (number > 1)}"


def plural(thing: str, things: Sequence[object]) -> str:
    return thing if len(things) < 2 else f"{thing}s"


def times(budget: Budget) -> str:
    return f"{budget.recordings}\N{MULTIPLICATION SIGN}{budget.windows}"


def sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def joined(words: Iterable[str]) -> str:
    """One, two, three: each once."""
    return ", ".join(dict.fromkeys(words))


def in_words(words: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def span(values: Iterable[float], form: str = "d") -> str:
    """ "2", or "2 to 5" from the least to the greatest."""
    values = list(values)
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"
