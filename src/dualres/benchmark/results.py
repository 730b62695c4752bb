"""What a ledger knows, asked the way a table asks: one cell at a time, with what is behind it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dualres.benchmark.job import Job
from dualres.benchmark.ledger import Ledger, Outcome
from dualres.benchmark.sources import FULL
from dualres.benchmark.studies import DATASETS, Quick, Study, jobs

Metric = Callable[[Outcome], float]


@dataclass(frozen=True)
class Entry:
    """One finished job and its outcome."""

    key: str
    job: Job
    outcome: Outcome


@dataclass(frozen=True)
class Cell:
    """One number of a table: per seed the mean over the folds, then mean and sample SD over the seeds."""

    entries: tuple[Entry, ...]
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


class Results:
    """The jobs of one study, planned and finished.

    The same plan may have been run on a CPU and on a GPU; `device` says which to look at, and None takes the kind
    with more finished jobs of the study. `threads` are part of a plan, too.
    """

    def __init__(
        self,
        ledger: Ledger,
        study: Study,
        *,
        quick: Quick | None = None,
        device: str | None = None,
        threads: int = 1,
    ) -> None:
        self.study = study
        self.quick = quick
        finished = ledger.jobs()
        seeds = sorted({job.seed for job in finished.values()} | {s for part in study.parts for s in part.seeds})
        kinds = [device] if device else ["cpu", "cuda"]
        plan = partial(jobs, study, DATASETS, quick=quick, threads=threads)
        plans = {kind: plan(device=kind) for kind in kinds}
        more = {kind: plan(device=kind, seeds=seeds) for kind in kinds}
        self.device = max(kinds, key=lambda kind: sum(job.key in finished for job in plans[kind]))
        # Further seeds than the study's own are shown where they were run on any fold, and then all folds count.
        begun = {_any_fold(job) for job in more[self.device] if job.key in finished}
        further = [job for job in more[self.device] if _any_fold(job) in begun]
        self.planned = {job.key: job for job in (*plans[self.device], *further)}
        self.entries = [Entry(key, job, ledger.outcome(key)) for key, job in self.planned.items() if key in finished]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The study's own, without any further ones that were run."""
        return self.quick.seeds if self.quick else tuple(sorted({s for part in self.study.parts for s in part.seeds}))

    def where(self, **fields: object) -> list[Entry]:
        """Finished jobs whose plan has the given values."""
        return [e for e in self.entries if all(getattr(e.job, name) == value for name, value in fields.items())]

    def cell(self, metric: Metric, seeds: Sequence[int] | None = None, **fields: object) -> Cell:
        """A table's cell over all folds and the given seeds (None: every seed there is) of jobs with these fields."""
        planned = [j for j in self.planned.values() if all(getattr(j, n) == v for n, v in fields.items())]
        entries = [e for e in self.where(**fields) if seeds is None or e.job.seed in seeds]
        parts = {(j.fold, j.method) for j in planned}  # of any seed: all have the same
        planned = [j for j in planned if seeds is None or j.seed in seeds]
        by_seed = _grouped(entries)
        whole = {seed: group for seed, group in by_seed.items() if {(e.job.fold, e.job.method) for e in group} == parts}
        values = tuple(statistics.fmean(metric(e.outcome) for e in group) for group in whole.values())
        return Cell(tuple(entries), tuple(whole), values, len(planned))

    def variants(self) -> dict[str, str]:
        """Datasets whose recordings were not as released, and what they were instead."""
        found = {e.job.dataset: str(e.outcome.facts.get("variant", FULL)) for e in self.entries}
        return {name: variant for name, variant in found.items() if variant != FULL}

    def datasets(self) -> tuple[str, ...]:
        """Of which there is any result, in the paper's order, the rig last."""
        found = {e.job.dataset for e in self.entries}
        return tuple(name for name in DATASETS if name in found)


def percent_f1(outcome: Outcome) -> float:
    return 100 * outcome.macro_f1


def percent_accuracy(outcome: Outcome) -> float:
    return 100 * outcome.accuracy


def _any_fold(job: Job) -> Job:
    return replace(job, fold="", fold_hash="")


def _grouped(entries: Iterable[Entry]) -> dict[int, list[Entry]]:
    by_seed: dict[int, list[Entry]] = {}
    for entry in sorted(entries, key=lambda e: (e.job.seed, e.job.fold)):
        by_seed.setdefault(entry.job.seed, []).append(entry)
    return by_seed
