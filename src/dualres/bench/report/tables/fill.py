"""Filling a table from the results of a study, and saying under which conditions its numbers came about."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.studies import folds_of
from dualres.bench.paper import scores as paper
from dualres.bench.report.captions import conditions, quick_notice, sentences, variant_notice
from dualres.bench.report.names import method_name
from dualres.bench.report.results import Cell, Results, has, labelled_s
from dualres.bench.report.tables.metrics import Metric, metric
from dualres.bench.report.tables.model import NOT_PLANNED, NOT_RUN, Table, Value, mark_best

BEST = "Bold: best complete value per {}."
BRACKETS = "In brackets: the value printed in the paper."
SHARED = "Where several budgets have the same seconds, recordings x windows tell them apart."
OVER_SEEDS = "Over several seeds: mean and sample SD of the seeds' values, each the mean of its folds."


@dataclass(frozen=True)
class TableLine:
    """A row: its names, and what its numbers have in common."""

    labels: tuple[str, ...]
    fields: Mapping[str, object]
    seeds: tuple[int, ...] | None = None  # where they are not the table's


def method_line(results: Results, *more: str, **fields: object) -> TableLine:
    """A row of one method, with the seeds that the study plans for it; `more` names the row further."""
    return TableLine((method_name(str(fields["method"])), *more), fields, results.planned_seeds(**fields))


@dataclass(frozen=True)
class Column:
    title: str
    metric: str
    fields: Mapping[str, object] = field(default_factory=dict)
    fold: int | None = None  # the first or second fold of the row's dataset; None for both

    def of(self, line: TableLine) -> dict[str, object]:
        """What all jobs behind the cell in that line have in common."""
        fields = {**line.fields, **self.fields}
        if self.fold is not None:
            fields["fold"] = folds_of(str(fields["dataset"]))[self.fold]
        return fields


Rivals = Callable[[TableLine, Column], str]  # names those that a value competes with for bold print; empty: with none


def by_row(line: TableLine, column: Column) -> str:
    return " / ".join(line.labels)


def by_column(line: TableLine, column: Column) -> str:
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
            text="n/a" if undefined else _text(cell, len(seeds), wanted.digits),
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
        other_recipe = one.recipe is not None and not one.recipe.plain
        if self.results.quick or one.judged == "validation" or not value.method or other_recipe:
            return value
        fold = str(fields["fold"]) if "fold" in fields else None
        key = paper.Key(one.dataset, one.method, one.budget, seeds, wanted.name, fold)
        return replace(value, paper=paper.printed_text(key, wanted.digits))

    def jobs(self, fields: Mapping[str, object], seeds: Sequence[int]) -> dict[int, list[Job]]:
        """The jobs of a cell by seed, run or not; seeds need not be the study's. Empty where nothing is planned."""
        planned = self.results.planned.values()
        alike = [job for job in planned if has(job, fields)]
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
        lines: Iterable[TableLine],
        columns: Sequence[Column],
        *,
        labels: Sequence[str],
        best: Rivals | None = None,
        best_per: str = "",
        remark: str = "",
    ) -> Table:
        """Fill every line and column; `best` says what is compared with what, and `best_per` says it in words.

        Of rows and columns it need not be said.
        """
        rows = [(line, [self.value(metric(c.metric), c.of(line), line.seeds) for c in columns]) for line in lines]
        if best:
            _mark(rows, columns, best)
        bracketed = any(value.paper for _, values in rows for value in values)
        several = any(len(value.seeds) > 1 for _, values in rows for value in values)
        best_per = best_per or ("row" if best is by_row else "column")
        said = {BEST.format(best_per): best, BRACKETS: bracketed, OVER_SEEDS: several, remark: remark}
        return self.made(
            name,
            title,
            (*labels, *(c.title for c in columns)),
            [(*map(Value, line.labels), *values) for line, values in rows],
            labels=len(labels),
            note=" ".join(sentence for sentence, true in said.items() if true),
        )

    def made(
        self, name: str, title: str, header: Iterable[str], rows: Iterable[Iterable[Value]], *, labels: int, note: str
    ) -> Table:
        """A table of these rows, under the conditions of everything asked so far."""
        caption, study = self.conditions(), self.results.study.name
        return Table(name, title, caption, study, labels, tuple(header), tuple(map(tuple, rows)), note)

    def conditions(self) -> str:
        """Folds, held-out unit, seeds, exposure and updates of everything asked so far, in words."""
        jobs = list(self._jobs)
        stated = conditions(jobs, self._ran(jobs))
        shown = {place.dataset for place in stated.places}
        validated = any(place.validation for place in stated.places)
        return sentences(
            stated.in_table,
            *(variant_notice(*each) for each in self.results.variants().items() if each[0] in shown),
            "Judged on held-back support recordings; no evaluation recording was opened." if validated else "",
            quick_notice(self.results.quick, "table"),
        )

    def _ran(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Without those of methods that have no result on their dataset: nobody knows what they will run on."""
        ran = {(entry.job.dataset, entry.job.method) for entry in self.results.entries}
        return [job for job in jobs if (job.dataset, job.method) in ran] or jobs


def _text(cell: Cell, planned: int, digits: int) -> str:
    """Mean and SD, and of how many seeds where several are planned."""
    if cell.mean is None:
        return NOT_RUN
    spread = "" if cell.sd is None else f" ± {cell.sd:.{digits}f}"
    return f"{cell.mean:,.{digits}f}{spread}" + (f" (n={len(cell.values)})" if planned > 1 else "")


def _mark(rows: list[tuple[TableLine, list[Value]]], columns: Sequence[Column], rivals: Rivals) -> None:
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
