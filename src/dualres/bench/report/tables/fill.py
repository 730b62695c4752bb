"""Tables as data, and filling one from the results of a study, under conditions that it states."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

import numpy as np

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Outcome
from dualres.bench.campaign.studies import folds_of
from dualres.bench.datasets import catalog
from dualres.bench.paper import scores as paper
from dualres.bench.profile.measurements import MIB
from dualres.bench.report.adapted_scores import f1_together, unlabelled_s
from dualres.bench.report.captions import conditions, folds_notice, quick_notice, sentences, variant_notice
from dualres.bench.report.names import method_name
from dualres.bench.report.results import Cell, Results, has, labelled_s, percent_accuracy, percent_f1
from dualres.errors import ConfigError

NOT_RUN = "not run"
NOT_PLANNED = "\N{EN DASH}"
FITTED_TOGETHER, OWN_COSTS = "shared", ("fit_s", "peak_mib")  # what fits done together have no numbers of
# When a cell is in bold print: never; as the highest or lowest of its rivals; if its interval leaves zero out; if it
# says yes.
Emphasis = Literal["", "highest", "lowest", "interval", "yes"]


@dataclass(frozen=True)
class Value:
    """One cell: words, or a number with the jobs it was made of.

    A number is, per seed, the mean over that seed's jobs, and then the mean over the seeds that have all of theirs.
    """

    text: str  # "48.55", "44.26 ± 7.38 (n=3)", "not run", "1 of 2 jobs", or words
    bold: bool = False
    emphasis: Emphasis = ""  # why it would be bold; verification decides anew whether it should be
    rivals: str = ""  # those it competes with in its table, by a name for all of them
    paper: str | None = None  # the paper's own value, to stand beside ours
    quoted: bool = False  # whether the text is the paper's own value
    metric: str = ""  # as `metric` takes it; empty for words
    mean: float | None = None
    sd: float | None = None  # sample SD over seeds
    n: int = 0  # seeds; of a difference, pairs
    low: float | None = None  # of a bootstrap interval
    high: float | None = None
    labelled_s: float | None = None  # unique labelled seconds per class
    dataset: str = ""
    method: str = ""  # empty where it is over several
    budget: str = ""  # recordings x windows
    folds: tuple[str, ...] = ()
    jobs: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # seed -> keys of the jobs planned for it
    minus: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # of a difference: what is subtracted

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(self.jobs)

    @property
    def of_paper(self) -> bool:
        """Whether the cell shows a number, or a word, of the paper."""
        return self.quoted or self.paper is not None

    @property
    def complete(self) -> bool:
        """Whether all planned jobs are behind it."""
        return self.mean is not None and (self.n == len(self.jobs) or bool(self.minus))

    @property
    def shown(self) -> str:
        """Our value, and the paper's in brackets beside it."""
        return self.text if self.paper is None else f"{self.text} [{self.paper}]"


@dataclass(frozen=True)
class Table:
    name: str  # fit for a file name
    title: str
    caption: str  # folds, held-out unit, seeds, exposure, updates, and whether it is a quick run
    study: str  # empty for a reference table
    labels: int  # the number of leading columns that name the row
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""  # what bold print and brackets mean
    measured: str = ""  # the group of measurements its numbers are of, as "cuda_4"; empty where they are of jobs

    def with_columns(self, columns: Mapping[str, Sequence[Value]]) -> Self:
        """The table with further columns by their titles, a value per row each."""
        more = zip(*columns.values(), strict=True)
        rows = tuple((*row, *values) for row, values in zip(self.rows, more, strict=True))
        return replace(self, header=(*self.header, *columns), rows=rows)


def mark_best(values: Iterable[Value], rivals: str, digits: int, *, lowest: bool = False) -> list[Value]:
    """The same values as rivals of that name, in bold all that look best among two or more complete ones."""
    emphasis: Emphasis = "lowest" if lowest else "highest"
    values = [replace(v, emphasis=emphasis, rivals=rivals) for v in values]
    shown = [round(v.mean, digits) for v in values if v.complete and v.mean is not None]
    if len(shown) < 2:
        return values
    best = min(shown) if lowest else max(shown)
    return [replace(v, bold=v.complete and v.mean is not None and round(v.mean, digits) == best) for v in values]


@dataclass(frozen=True)
class Metric:
    name: str
    of: Callable[[Outcome], float]  # NaN where there is no such thing
    digits: int = 2
    lowest: bool = False  # whether less is better


def metric(name: str) -> Metric:
    """By name; "recall:CLASS", "together:DATASET" and "loss@UPDATE" carry what they are of."""
    kind, _, detail = name.replace("@", ":").partition(":")
    if kind == "recall":
        return Metric(name, lambda outcome: 100 * float(outcome.recall[outcome.classes.index(detail)]))
    if kind == "together":
        return Metric(name, lambda outcome: f1_together(outcome, detail))
    if kind == "loss":
        return Metric(name, lambda outcome: outcome.history[int(detail) - 1].loss, 4, lowest=True)
    if name not in _METRICS:
        raise ConfigError(f"there is no metric {name!r}; there are {', '.join(_METRICS)}, recall:CLASS and loss@UPDATE")
    return _METRICS[name]


def log_loss(outcome: Outcome) -> float:
    """Mean over the recordings of -log(probability given to the true class), in nats."""
    given = np.asarray(outcome.scores)[np.arange(len(outcome.truth)), list(outcome.truth)]
    return float(-np.log(np.maximum(given, np.finfo(np.float64).eps)).mean())  # zero would cost infinitely much


def _cost(field: str, unit: float = 1) -> Callable[[Outcome], float]:
    def of(outcome: Outcome) -> float:
        value = outcome.facts["cost"][field]
        return math.nan if value is None else value / unit

    return of


def _own_cost(field: str, unit: float = 1) -> Callable[[Outcome], float]:
    """What a fit took by itself. Of fits done together the ledger has even shares, which no fit ever took."""
    cost = _cost(field, unit)
    return lambda outcome: math.nan if fits_shared(outcome) else cost(outcome)


def fits_shared(outcome: Outcome) -> bool:
    return int(outcome.facts.get("fitted_together", 1)) > 1


_METRICS = {
    m.name: m
    for m in (
        Metric("macro_f1", percent_f1),
        Metric("accuracy", percent_accuracy),
        Metric("unlabelled_s", unlabelled_s, 0),
        Metric("log_loss", log_loss, 4, lowest=True),
        Metric("classes_named", lambda outcome: float(np.count_nonzero(outcome.confusion.sum(0))), 1),
        Metric("top_share", lambda outcome: 100 * float(outcome.confusion.sum(0).max()) / len(outcome.truth), 1),
        Metric("last_loss", lambda outcome: outcome.history[-1].loss if outcome.history else math.nan, 4, lowest=True),
        Metric("registered", _cost("registered"), 0, lowest=True),
        Metric("active", _cost("active"), 0, lowest=True),
        Metric("file_mib", _cost("file_bytes", MIB), 3, lowest=True),
        Metric("fit_s", _own_cost("fit_s"), 1, lowest=True),
        Metric("peak_mib", _own_cost("peak_bytes", MIB), 1, lowest=True),
    )
}


def with_folds_notice(table: Table) -> Table:
    """The table, with a caption that says whose the folds are where it prints a number of the paper."""
    datasets = {value.dataset for row in table.rows for value in row if value.of_paper}
    if not datasets:
        return table
    shown = catalog.NAMES if "" in datasets else datasets  # a number of no single dataset is over the paper's
    return replace(table, caption=sentences(table.caption, folds_notice(shown)))


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
        if not (jobs := self.jobs(fields, seeds)):
            return Value(NOT_PLANNED)
        cell = self.results.cell(wanted.of, seeds, **fields)
        a_seeds = jobs[seeds[0]]
        one, methods = a_seeds[0], {job.method for job in a_seeds}
        undefined = cell.mean is not None and math.isnan(cell.mean)
        value = Value(
            text=_why_none(wanted, cell) if undefined else _text(cell, len(seeds), wanted.digits),
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
        """Fill every line and column; `best` says what is compared with what, and `best_per`, if need be, in words."""
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
        # Nobody knows what methods without a result on their dataset will run on.
        ran = {(entry.job.dataset, entry.job.method) for entry in self.results.entries}
        stated = conditions(jobs, [job for job in jobs if (job.dataset, job.method) in ran] or jobs)
        shown = {place.dataset for place in stated.places}
        validated = any(place.validation for place in stated.places)
        return sentences(
            stated.in_table,
            *(variant_notice(*each) for each in self.results.variants().items() if each[0] in shown),
            "Judged on held-back support recordings; no evaluation recording was opened." if validated else "",
            quick_notice(self.results.quick, "table"),
        )


def _why_none(wanted: Metric, cell: Cell) -> str:
    """What stands in place of a number that finished jobs do not have."""
    shared = wanted.name in OWN_COSTS and any(fits_shared(entry.outcome) for entry in cell.entries)
    return FITTED_TOGETHER if shared else "n/a"


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
