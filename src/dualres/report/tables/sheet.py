"""Filling a table from the results of a study, and saying under which conditions its numbers came about."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from dualres.campaign.job import Job
from dualres.campaign.studies import folds_of
from dualres.config import ModelConfig
from dualres.datasets.budget import Budget
from dualres.datasets.folds import load_fold
from dualres.paper import scores as paper
from dualres.recordings.windows import covered, evenly
from dualres.report.names import dataset_name, device_names
from dualres.report.results import Results
from dualres.report.tables.metrics import Metric, metric
from dualres.report.tables.model import NOT_PLANNED, NOT_RUN, Table, Value, mark_best

BEST = "Bold: best complete value per {}."
BRACKETS = "In brackets: the value printed in the paper."
OVER_SEEDS = "Over several seeds: mean and sample SD of the seeds' values, each the mean of its folds."


@dataclass(frozen=True)
class Line:
    """A row: its names, and what its numbers have in common."""

    labels: tuple[str, ...]
    fields: Mapping[str, object]
    seeds: tuple[int, ...] | None = None  # where they are not the table's


@dataclass(frozen=True)
class Column:
    title: str
    metric: str
    fields: Mapping[str, object] = field(default_factory=dict)
    fold: int | None = None  # the first or second fold of the row's dataset; None for both

    def of(self, line: Line) -> dict[str, object]:
        """What all jobs behind the cell in that line have in common."""
        fields = {**line.fields, **self.fields}
        if self.fold is not None:
            fields["fold"] = folds_of(str(fields["dataset"]))[self.fold]
        return fields


Rivals = Callable[[Line, Column], str]  # names those that a value competes with for bold print; empty: with none


def by_row(line: Line, column: Column) -> str:
    return " / ".join(line.labels)


def by_column(line: Line, column: Column) -> str:
    return column.title


class Sheet:
    """One table in the making. It remembers the jobs behind it, for the caption."""

    def __init__(self, results: Results, seeds: Sequence[int] | None = None) -> None:
        """`seeds` are those every cell is made of; by default the study's own."""
        self.results = results
        self.seeds = tuple(seeds or results.seeds)
        self._jobs: dict[Job, None] = {}

    def value(self, wanted: Metric, fields: Mapping[str, object], seeds: Sequence[int] | None = None) -> Value:
        """The cell of all planned jobs with these fields."""
        seeds = tuple(seeds or self.seeds)
        jobs = self.jobs(fields, seeds)
        if not jobs:
            return Value(NOT_PLANNED)
        cell = self.results.cell(wanted.of, seeds, **fields)
        a_seeds = jobs[seeds[0]]
        one, methods = a_seeds[0], {job.method for job in a_seeds}
        undefined = cell.mean is not None and math.isnan(cell.mean)
        value = Value(
            text="n/a" if undefined else _text(cell.mean, cell.sd, len(cell.values), len(seeds), wanted.digits),
            metric=wanted.name,
            mean=None if undefined else cell.mean,
            sd=None if undefined else cell.sd,
            n=len(cell.values),
            labelled_s=labelled_s(one),
            dataset=one.dataset,
            method=one.method if len(methods) == 1 else "",
            budget=str(one.budget),
            folds=tuple(sorted({job.fold for job in a_seeds})),
            jobs={seed: tuple(job.key for job in group) for seed, group in jobs.items()},
        )
        if cell.mean is None and cell.entries:
            value = replace(value, text=f"{len(cell.entries)} of {len(seeds) * len(a_seeds)} jobs")
        return replace(value, paper=self._printed(value, one, fields, seeds, wanted))

    def jobs(self, fields: Mapping[str, object], seeds: Sequence[int]) -> dict[int, list[Job]]:
        """The jobs of a cell by seed, run or not; seeds need not be the study's. Empty where nothing is planned."""
        planned = self.results.planned.values()
        alike = [job for job in planned if all(getattr(job, name) == value for name, value in fields.items())]
        shapes = dict.fromkeys(replace(job, seed=0) for job in alike)
        found = {seed: [replace(shape, seed=seed) for shape in shapes] for seed in seeds} if shapes else {}
        self.shows(job for group in found.values() for job in group)
        return found

    def shows(self, jobs: Iterable[Job]) -> None:
        """Remember jobs that are behind the table."""
        self._jobs.update(dict.fromkeys(jobs))

    def table(
        self,
        name: str,
        title: str,
        lines: Iterable[Line],
        columns: Sequence[Column],
        *,
        labels: Sequence[str],
        best: Rivals | None = None,
        best_per: str = "",
        remark: str = "",
    ) -> Table:
        """Fill every line and column; `best` says what is compared with what, and `best_per` says it in words."""
        rows = [(line, [self.value(metric(c.metric), c.of(line), line.seeds) for c in columns]) for line in lines]
        if best:
            _mark(rows, columns, best)
        bracketed = any(value.paper for _, values in rows for value in values)
        several = any(len(value.seeds) > 1 for _, values in rows for value in values)
        sentences = {BEST.format(best_per): best, BRACKETS: bracketed, OVER_SEEDS: several, remark: remark}
        return Table(
            name=name,
            title=title,
            caption=self.conditions(),
            study=self.results.study.name,
            labels=len(labels),
            header=(*labels, *(c.title for c in columns)),
            rows=tuple((*map(Value, line.labels), *values) for line, values in rows),
            note=" ".join(sentence for sentence, true in sentences.items() if true),
        )

    def conditions(self) -> str:
        """Folds, held-out unit, seeds, exposure and updates of everything asked so far, in words."""
        jobs = list(self._jobs)
        places = [_place(dataset, jobs) for dataset in dict.fromkeys(job.dataset for job in jobs)]
        seconds = _listed(f"{s:.3f}" for s in sorted({labelled_s(job) for job in jobs}))
        updates = _listed(str(n) for n in sorted({job.recipe.updates for job in jobs if job.recipe}))
        seeds = _listed(map(str, sorted({job.seed for job in jobs})))
        text = (
            f"Folds and what they hold out: {'; '.join(places)}. Seed{'s' * (', ' in seeds)} {seeds}; {seconds} unique "
            f"labelled seconds per class; {updates or 'no'} updates of neural methods, fitted on "
            f"{device_names(self._ran(jobs))}."
        )
        shown = {job.dataset for job in jobs}
        for dataset, variant in self.results.variants().items():
            if dataset in shown:
                text += f" {dataset_name(dataset)}: {variant} of the recordings, not comparable with the paper."
        if any(job.judged == "validation" for job in jobs):
            text += " Judged on held-back support recordings; no evaluation recording was opened."
        return text + self.quick_label()

    def _ran(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Without those of methods that have no result on their dataset: nobody knows what they will run on."""
        ran = {(entry.job.dataset, entry.job.method) for entry in self.results.entries}
        return [job for job in jobs if (job.dataset, job.method) in ran] or jobs

    def quick_label(self) -> str:
        quick = self.results.quick
        if not quick:
            return ""
        return (
            f" QUICK RUN: at most {quick.updates} updates and {quick.most_judged} judged recordings per fold; "
            "not comparable with the paper."
        )

    def _printed(
        self, value: Value, job: Job, fields: Mapping[str, object], seeds: Sequence[int], wanted: Metric
    ) -> str | None:
        other_recipe = job.recipe is not None and not job.recipe.plain
        if self.results.quick or job.judged == "validation" or not value.method or other_recipe:
            return None
        fold = str(fields["fold"]) if "fold" in fields else None
        found = paper.printed(job.dataset, job.method, job.budget, wanted.name, seeds, fold)
        return None if found is None else paper.as_text(found, wanted.digits)


def labelled_s(job: Job) -> float:
    """Unique labelled seconds per class of a job, by its plan: the union of its windows."""
    return _labelled_s(job.fold, job.support_step, job.budget)


@cache  # the same few values are asked for by every cell of every table
def _labelled_s(fold: str, step: float | None, budget: Budget) -> float:
    config = ModelConfig()
    step = load_fold(fold).support_step if step is None else step
    starts = evenly(0, budget.windows, int(step * config.window))
    return budget.recordings * covered(starts, config.window) / config.rate


def _text(mean: float | None, sd: float | None, n: int, planned: int, digits: int) -> str:
    if mean is None:
        return NOT_RUN
    spread = "" if sd is None else f" ± {sd:.{digits}f}"
    return f"{mean:,.{digits}f}{spread}" + (f" (n={n})" if planned > 1 else "")


def _mark(rows: list[tuple[Line, list[Value]]], columns: Sequence[Column], rivals: Rivals) -> None:
    """Put the best value of all rivals in bold."""
    places: dict[str, list[tuple[int, int]]] = {}
    for i, (line, _) in enumerate(rows):
        for k, column in enumerate(columns):
            if name := rivals(line, column):
                places.setdefault(name, []).append((i, k))
    for name, members in places.items():
        wanted = metric(columns[members[0][1]].metric)
        marked = mark_best((rows[i][1][k] for i, k in members), name, wanted.digits, lowest=wanted.lowest)
        for (i, k), value in zip(members, marked, strict=True):
            rows[i][1][k] = value


def _place(dataset: str, jobs: Iterable[Job]) -> str:
    """ "MCC5 M1, M2: motion mode (120 recordings judged per fold)"."""
    own = {job.fold: job for job in jobs if job.dataset == dataset}
    folds = {name: job.used_fold() for name, job in sorted(own.items())}
    judged = _listed(map(str, sorted({len(fold.evaluation) for fold in folds.values()})))
    held_out = _listed(sorted({fold.held_out for fold in folds.values()}))
    return f"{dataset_name(dataset)} {_listed(folds)}: {held_out} ({judged} recordings judged per fold)"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)
