"""What a ledger knows, asked the way a table asks: one cell at a time, with what is behind it."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Self

from dualres.bench.campaign.dataset_signals import FULL
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Ledger, LedgerError, Outcome
from dualres.bench.campaign.studies import Quick, Study, jobs
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods.catalog import names
from dualres.bench.report.names import DEVICES
from dualres.config import RECIPES, ModelConfig, Recipe
from dualres.learn.fold import Budget
from dualres.recordings.windows import covered, evenly

MetricFunction = Callable[[Outcome], float]
KINDS = tuple(DEVICES)  # of devices; the first is taken where both have as many results


@dataclass(frozen=True)
class FinishedJob:
    """One finished job and its outcome."""

    key: str
    job: Job
    outcome: Outcome

    @property
    def f1(self) -> float:
        """Macro-F1 in percent."""
        return percent_f1(self.outcome)


@dataclass(frozen=True)
class Cell:
    """One number of a table: per seed the mean over the folds, then mean and sample SD over the seeds."""

    entries: tuple[FinishedJob, ...]
    seeds: tuple[int, ...]  # of which all planned folds are there
    values: tuple[float, ...]  # one per seed
    planned: int  # jobs the cell is made of

    @property
    def complete(self) -> bool:
        return len(self.entries) == self.planned > 0

    @property
    def mean(self) -> float | None:
        """None where no seed has all its folds: a cell that was not run is not a number."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        """Sample standard deviation over seeds; None with fewer than two."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def labelled_s(self) -> float | None:
        """Unique labelled seconds per class."""
        return self.entries[0].outcome.labelled_s if self.entries else None

    def minus(self, other: Self) -> dict[int, float]:
        """This value minus the other's, at the seeds that both have."""
        theirs = dict(zip(other.seeds, other.values, strict=True))
        return {s: value - theirs[s] for s, value in zip(self.seeds, self.values, strict=True) if s in theirs}


class Results:
    """The jobs of one study, planned and finished.

    The same plan may have been run on a CPU and on a GPU; `device` says which to look at, and None takes, of every
    method, the kind with more finished jobs of the study, and the CPU where there are as many of both. `threads` are
    part of a plan, too.

    Seeds that the study does not plan are here, too, whoever had them run: another study may have the same jobs at
    more seeds. Tables and figures are made of `planned_only()`, which knows nothing of them.
    """

    def __init__(
        self, ledger: Ledger, study: Study, *, quick: Quick | None = None, device: str | None = None, threads: int = 1
    ) -> None:
        self.study = study
        self.quick = quick
        self.kinds = (device,) if device else KINDS
        self._on: Callable[[str], Results] = lambda kind: Results(
            ledger, study, quick=quick, device=kind, threads=threads
        )
        self._by_kind: dict[str, Results] = {}
        finished = ledger.jobs()
        seeds = sorted({job.seed for job in finished.values()} | {s for part in study.parts for s in part.seeds})
        plan = partial(jobs, study, catalog.names(), quick=quick, threads=threads)
        plans = {kind: plan(device=kind) for kind in self.kinds}
        done = Counter((self._group(job), kind) for kind in self.kinds for job in plans[kind] if job.key in finished)
        chosen = {
            group: max(self.kinds, key=lambda kind: done[group, kind])
            for group in map(self._group, plans[self.kinds[0]])
        }
        self._own = [job for kind in self.kinds for job in plans[kind] if chosen[self._group(job)] == kind]
        more = [j for kind in self.kinds for j in plan(device=kind, seeds=seeds) if chosen[self._group(j)] == kind]
        # Further seeds than the study's own are shown where they were run on any fold, and then all folds count.
        begun = {_any_fold(job) for job in more if job.key in finished}
        further = [job for job in more if _any_fold(job) in begun]
        self.planned = {job.key: job for job in (*self._own, *further)}
        found = {key: job for key, job in self.planned.items() if key in finished}
        classes = {fold: load_fold(fold).classes for fold in {job.fold for job in found.values()}}
        self.entries = [_entry(ledger, key, job, classes[job.fold]) for key, job in found.items()]

    def _group(self, job: Job) -> tuple[str, str]:
        """Jobs that are all shown of one device."""
        return job.dataset if self.study.datasets_apart else "", job.method

    def on_device(self, kind: str) -> "Results":
        """The same study as it was run on "cpu" or on "cuda" alone; the ledger must be open still."""
        if kind not in self._by_kind:
            self._by_kind[kind] = self._on(kind)
        return self._by_kind[kind]

    def planned_only(self) -> "Results":
        """The same without further seeds: the jobs that the study plans, and those of them that are finished."""
        alone = copy(self)
        alone.planned = {job.key: job for job in self._own}
        alone.entries = [entry for entry in self.entries if entry.key in alone.planned]
        alone._on = lambda kind: self.on_device(kind).planned_only()
        alone._by_kind = {}
        return alone

    def planned_seeds(self, **fields: object) -> tuple[int, ...]:
        """Those the study itself plans for jobs with these fields."""
        return tuple(sorted({job.seed for job in self._own if has(job, fields)}))

    def main_budget(self, dataset: str) -> Budget:
        """The budget that most methods are planned with on a dataset."""
        methods = {(job.budget, job.method) for job in self._own if job.dataset == dataset}
        ((budget, _),) = Counter(budget for budget, _ in sorted(methods, key=str)).most_common(1)
        return budget

    @property
    def seeds(self) -> tuple[int, ...]:
        """The study's own, without any further ones that were run."""
        return self.quick.seeds if self.quick else tuple(sorted({s for part in self.study.parts for s in part.seeds}))

    def where(self, **fields: object) -> list[FinishedJob]:
        """Finished jobs whose plan has the given values."""
        return [e for e in self.entries if has(e.job, fields)]

    def cell(self, metric: MetricFunction, seeds: Sequence[int] | None = None, **fields: object) -> Cell:
        """A table's cell over all folds and the given seeds (None: every seed there is) of jobs with these fields."""
        planned = [job for job in self.planned.values() if has(job, fields)]
        entries = [e for e in self.where(**fields) if seeds is None or e.job.seed in seeds]
        parts = {(j.fold, j.method) for j in planned}  # of any seed: all have the same
        planned = [j for j in planned if seeds is None or j.seed in seeds]
        by_seed: dict[int, list[FinishedJob]] = {}
        for entry in sorted(entries, key=lambda e: (e.job.seed, e.job.fold)):
            by_seed.setdefault(entry.job.seed, []).append(entry)
        whole = {seed: group for seed, group in by_seed.items() if {(e.job.fold, e.job.method) for e in group} == parts}
        values = tuple(statistics.fmean(metric(e.outcome) for e in group) for group in whole.values())
        return Cell(tuple(entries), tuple(whole), values, len(planned))

    def f1(self, seeds: Sequence[int] | None = None, **fields: object) -> Cell:
        """The cell of macro-F1 in percent."""
        return self.cell(percent_f1, seeds, **fields)

    def planned_methods(self, dataset: str | None = None, among: Iterable[str] | None = None) -> list[str]:
        """Methods planned on a dataset, or on any, run or not; in the paper's order."""
        planned = {job.method for job in self.planned.values() if dataset in (None, job.dataset)}
        return [name for name in among or names() if name in planned]

    def planned_datasets(self) -> list[str]:
        planned = {job.dataset for job in self.planned.values()}
        return [name for name in catalog.names() if name in planned]

    def budgets(self, dataset: str) -> dict[Budget, float]:
        """Planned budgets with their unique labelled seconds per class."""
        return {job.budget: labelled_s(job) for job in self.planned.values() if job.dataset == dataset}

    def exposures(self, dataset: str) -> dict[Budget, str]:
        """Of every planned budget its labelled seconds per class in words, which tell it from the others."""
        seconds = {budget: f"{each:.3f}" for budget, each in self.budgets(dataset).items()}
        shared = {text for text, count in Counter(seconds.values()).items() if count > 1}
        return {b: f"{text} ({b.recordings} x {b.windows})" if text in shared else text for b, text in seconds.items()}

    def recipes(self, dataset: str) -> dict[str, Recipe]:
        """The recipes planned on a dataset, by kind, the paper's first."""
        found = {job.recipe for job in self.planned.values() if job.dataset == dataset and job.recipe}
        by_kind = {recipe.kind: recipe for recipe in found}
        return {kind: by_kind[kind] for kind in RECIPES if kind in by_kind}

    def variants(self) -> dict[str, str]:
        """Datasets whose recordings were not as released, and what they were instead."""
        found = {e.job.dataset: str(e.outcome.facts.get("variant", FULL)) for e in self.entries}
        return {name: variant for name, variant in found.items() if variant != FULL}

    def datasets(self) -> tuple[str, ...]:
        """Of which there is any result, in the paper's order, the rig last."""
        found = {e.job.dataset for e in self.entries}
        return tuple(name for name in catalog.names() if name in found)


def labelled_s(job: Job) -> float:
    """Unique labelled seconds per class of a job, by its plan."""
    return exposure_s(job.fold, job.budget, job.support_step)


@cache  # the same few values are asked for by every cell of every table
def exposure_s(fold: str, budget: Budget, step: float | None = None) -> float:
    """Unique labelled seconds per class: the union of the windows; `step` is in windows, by default the fold's."""
    config = ModelConfig()
    step = load_fold(fold).support_step if step is None else step
    starts = evenly(0, budget.windows, int(step * config.window))
    return budget.recordings * covered(starts, config.window) / config.rate


def percent_f1(outcome: Outcome) -> float:
    return 100 * outcome.macro_f1


def percent_accuracy(outcome: Outcome) -> float:
    return 100 * outcome.accuracy


def has(job: Job, fields: Mapping[str, object]) -> bool:
    """Whether a job's plan has the given values, of a frozenset any one."""
    for name, value in fields.items():  # asked for every job by every cell
        found = getattr(job, name)
        if found not in value if isinstance(value, frozenset) else found != value:
            return False
    return True


def _entry(ledger: Ledger, key: str, job: Job, classes: tuple[str, ...]) -> FinishedJob:
    """A finished job; an error if its classes are not those of its fold, which all tables count on."""
    outcome = ledger.outcome(key)
    if outcome.classes != classes:
        told = f"{ledger.path}: job {key[:16]} has other classes than fold {job.fold}"
        raise LedgerError(f"{told}; `dualres bench verify` says what else is wrong")
    return FinishedJob(key, job, outcome)


def _any_fold(job: Job) -> Job:
    return replace(job, fold="", fold_hash="")
