"""The tables of the published study: scores on the recordings at hand, every method with the seeds it was run with."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dualres.bench.campaign.studies import CONTROLS_ON, RIG, folds_of
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import CONTROL_NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.paper import scores as paper
from dualres.bench.paper.protocol import CONTROLLED, FINALISTS, SEEDS
from dualres.bench.report.captions import MINIROCKET_COUNTED, SHARED_FITS, counted, seeds_in_words, span
from dualres.bench.report.compare import paired_differences
from dualres.bench.report.names import DEVICES, dataset_name, dataset_title, method_name
from dualres.bench.report.registry import makes_table, register_table
from dualres.bench.report.results import FinishedJob, Results
from dualres.bench.report.tables.differences import EXPLAINED, paired_value, value_with_spread
from dualres.bench.report.tables.fill import (
    NOT_PLANNED,
    NOT_RUN,
    Column,
    Rivals,
    Sheet,
    Table,
    TableLine,
    Value,
    by_column,
    method_line,
    metric,
)
from dualres.bench.report.tables.scores import MEANS, fold_columns
from dualres.learn.fold import Budget

FIRST = SEEDS[:1]
OWN_SEEDS = "Methods have different seeds; see their column."
EXCERPTS = "In results/ the recordings at 2 hp are excerpts of at most 4 s, the paper's are whole: not comparable."


def _published_on(dataset: str, name: str) -> Callable[[Callable[[Results], Table]], Callable[[Results], Table]]:
    """Decorates the maker of a table that there is where the dataset has any result."""

    def register(make: Callable[[Results], Table]) -> Callable[[Results], Table]:
        register_table(name, lambda results: make(results) if results.where(dataset=dataset) else None)
        return make

    return register


@_published_on("phm2009", "published_phm2009")
def phm2009(results: Results) -> Table:
    return _beside_paper(results, _by_method(results, "phm2009", OWN_SEEDS), "phm2009", FIRST, by_fold=True)


@_published_on("cwru", "published_cwru")
def cwru(results: Results) -> Table:
    table = _by_method(results, "cwru", EXCERPTS if "cwru" in results.variants() else "", best=by_column)
    return _beside_paper(results, table, "cwru", SEEDS)


@_published_on("cwru", "published_cwru_seeds")
def cwru_seeds(results: Results) -> Table:
    """The methods that the paper prints by fold, at one seed."""
    return _by_seed(results, "cwru", FINALISTS, EXCERPTS if "cwru" in results.variants() else "")


@_published_on(RIG, "published_rig")
def rig(results: Results) -> Table:
    return _by_method(results, RIG, best=by_column, seeds=FIRST)


@_published_on("phm2009", "published_phm2009_seeds")
def phm2009_seeds(results: Results) -> Table:
    return _by_seed(results, "phm2009", (*CONTROLLED, "minirocket", "mambasl"))


@_published_on("phm2009", "published_phm2009_budgets")
def phm2009_budgets(results: Results) -> Table:
    return _by_budget(
        results,
        "phm2009",
        FINALISTS,
        seeds=FIRST,
        best=lambda line, column: line.labels[0] if column.title == "Mean macro-F1" else "",
        best_per="budget, of the mean macro-F1",
        remark="1 x 3 and 3 x 1 label the same duration, of one recording and of three.",
    )


@_published_on(RIG, "published_rig_budgets")
def rig_budgets(results: Results) -> Table:
    return _by_budget(results, RIG, ("dualres", "minirocket"), remark=OWN_SEEDS)


@makes_table("published_collapse")
def collapse(results: Results) -> Table:
    """Does a method still tell classes apart, or name the same one all the time?"""
    lines = []
    for dataset in results.datasets():
        label = f"{dataset_name(dataset)}, {len(load_fold(folds_of(dataset)[0]).classes)} classes"
        found = [_line(results, dataset, method) for method in results.planned_methods(dataset)]
        lines += [replace(line, labels=(label, *line.labels)) for line in found]
    return Sheet(results).table(
        "published_collapse",
        "How many classes are ever named",
        lines,
        [
            Column("Classes named", "classes_named"),
            Column("Most frequent verdict (%)", "top_share"),
            Column("Last training loss", "last_loss"),
        ],
        labels=("Dataset", "Method"),
        remark="Classes that are the verdict on at least one judged recording, and the share of recordings that were "
        "given the most frequent verdict; 1.0 and 100.0 would be the same verdict for all. The loss is the mean "
        "cross-entropy over the support before the last update, in nats; MiniRocket has none.",
    )


def _line(results: Results, dataset: str, method: str, budget: Budget | None = None) -> TableLine:
    """A method at the dataset's main budget, or another, with all seeds that the study plans for it."""
    return method_line(results, dataset=dataset, method=method, budget=budget or results.main_budget(dataset))


def _by_method(
    results: Results,
    dataset: str,
    remark: str = "",
    *,
    best: Rivals | None = None,
    seeds: tuple[int, ...] | None = None,
) -> Table:
    """Both folds and their means at the main budget; with the seeds planned for each method, or with those given."""
    lines = [_line(results, dataset, method) for method in results.planned_methods(dataset)]
    lines = [replace(line, seeds=seeds) for line in lines] if seeds else lines
    table = _scores(results, dataset, lines, ("Method",), best=best, remark=remark)
    done = [results.where(dataset=dataset, method=line.fields["method"]) for line in lines]
    devices = [Value(DEVICES[entries[0].job.device] if entries else NOT_RUN) for entries in done]
    return table.with_columns({"Seeds": _seeds(lines), "Device": devices})


def _by_seed(results: Results, dataset: str, methods: Sequence[str], remark: str = "") -> Table:
    """Plain values: no mean hides a seed, and the paper's stand beside those of its seed."""
    found = [_line(results, dataset, method) for method in results.planned_methods(dataset, methods)]
    lines = [replace(one, labels=(*one.labels, str(s)), seeds=(s,)) for one in found for s in one.seeds or ()]
    title = ", every seed: scores (%)"
    return _scores(results, dataset, lines, ("Method", "Seed"), end="_seeds", title=title, remark=remark)


def _by_budget(
    results: Results, dataset: str, methods: Sequence[str], *, seeds: tuple[int, ...] | None = None, **told: Any
) -> Table:
    """Methods at several budgets, the fewest labelled seconds first; without `seeds` each with its own."""
    budgets = sorted(results.budgets(dataset).items(), key=lambda pair: (pair[1], pair[0].recordings))
    lines = [
        replace(line, labels=(f"{b.recordings} x {b.windows}", f"{s:.3f}", *line.labels), seeds=seeds or line.seeds)
        for b, s in budgets
        for line in (_line(results, dataset, m, b) for m in results.planned_methods(dataset, methods))
        if line.seeds
    ]
    labels, title = ("Recordings x windows", "Seconds/class", "Method"), ": scores (%) by label budget"
    table = _scores(results, dataset, lines, labels, end="_budgets", title=title, **told)
    return table if seeds else table.with_columns({"Seeds": _seeds(lines)})


def _scores(
    results: Results,
    dataset: str,
    lines: Sequence[TableLine],
    labels: Sequence[str],
    *,
    end: str = "",
    title: str = ": scores (%)",
    **told: Any,
) -> Table:
    """Both folds and their means, a row per line; `told` is what else `Sheet.table` takes."""
    name = f"published_{'rig' if dataset == RIG else dataset}{end}"
    columns = [*fold_columns(dataset), *MEANS]
    return Sheet(results).table(name, dataset_title(dataset) + title, lines, columns, labels=labels, **told)


def _seeds(lines: Sequence[TableLine]) -> list[Value]:
    return [Value(span(line.seeds or ())) for line in lines]


def _beside_paper(
    results: Results, table: Table, dataset: str, seeds: tuple[int, ...], *, by_fold: bool = False
) -> Table:
    """The paper's scores in columns of their own, since its seeds are others; none beside a quick run."""
    if results.quick:
        return table
    budget, methods = results.main_budget(dataset), results.planned_methods(dataset)
    count = f"seed {seeds[0]}" if len(seeds) == 1 else f"{len(seeds)} seeds"

    def printed(method: str, column: Column) -> Value:
        fold = str(column.fields["fold"]) if column.fields else None
        found = paper.printed_text(paper.Key(dataset, method, budget, seeds, column.metric, fold))
        return Value(NOT_PLANNED) if found is None else Value(found, quoted=True, dataset=dataset)

    shown = [column for column in [*fold_columns(dataset), *MEANS] if by_fold or not column.fields]
    titles = [f"Paper {column.title.replace('Mean', 'mean')} ({count})" for column in shown]
    columns = [[printed(method, column) for method in methods] for column in shown]
    table = table.with_columns(dict(zip(titles, columns, strict=True)))
    return replace(table, note=f"{table.note} Paper: what is printed there, of {seeds_in_words(seeds)}.")


DIGITS = 9  # beyond which a difference of scores is rounding


@makes_table("published_controls")
def controls(results: Results) -> Table | None:
    """What each component is worth, and in how many seeds it is worth nothing; None where none of them was run."""
    if not results.where(dataset=CONTROLS_ON):
        return None
    budget = results.main_budget(CONTROLS_ON)
    differences = paired_differences(results, others=CONTROL_NAMES)
    found = {each.other: each for each in differences if (each.dataset, each.budget) == (CONTROLS_ON, budget)}
    sheet, rows = Sheet(results), []
    for control in results.planned_methods(CONTROLS_ON, CONTROL_NAMES):
        sheet.jobs({"dataset": CONTROLS_ON, "budget": budget, "method": control}, results.seeds)
        sheet.jobs({"dataset": CONTROLS_ON, "budget": budget, "method": "dualres"}, results.seeds)
        values = [Value(NOT_RUN), Value(NOT_RUN)]
        if each := found.get(control):
            below = sum(round(value, DIGITS) < 0 for value in each.by_seed.values())
            seeds = paired_value(each.pairs, "macro_f1:seeds_below", below)
            values = [value_with_spread(each), replace(seeds, text=f"{below} of {len(each.by_seed)}")]
        rows.append((Value(method_name(control)), *values))
    return sheet.made(
        "published_controls",
        f"{dataset_name(CONTROLS_ON)}: macro-F1 of DualRes minus that of a control, percentage points",
        ("Control", "Difference ± SD over seeds, and 95 % interval", "Seeds in which the control is better"),
        rows,
        labels=1,
        note=f"The SD is that of the seeds' differences, each the mean of its folds. {EXPLAINED}",
    )


@makes_table("published_devices")
def devices(results: Results) -> Table | None:
    """How far the scores of the same plan are apart on a CPU and on a GPU; None where nothing was run on both."""
    if len(results.kinds) < 2:
        return None
    pairs = _same_plans(*(results.on_device(kind) for kind in results.kinds))
    if not pairs:
        return None
    sheet, rows = Sheet(results), []
    for (dataset, method), group in pairs.items():
        sheet.shows(entry.job for pair in group for entry in pair)
        gaps = [abs(one.f1 - other.f1) for one, other in group]
        mean = paired_value(group, "macro_f1:mean_gap", statistics.fmean(gaps))
        mean = replace(mean, text=f"{mean.text} ({counted(len(group), 'pair')})")
        largest = paired_value(group, "macro_f1:largest_gap", max(gaps))
        rows.append((Value(dataset_name(dataset)), Value(method_name(method)), mean, largest))
    return sheet.made(
        "published_devices",
        "The same plan on a CPU and on a GPU: absolute difference of macro-F1, percentage points",
        ("Dataset", "Method", "Mean", "Largest"),
        rows,
        labels=2,
        note="A pair has the same fold, budget and seed; each of the two is a fit of its own.",
    )


def _same_plans(on_cpu: Results, on_gpu: Results) -> dict[tuple[str, str], list[tuple[FinishedJob, FinishedJob]]]:
    """Pairs by dataset and method, of all that was run on both; MiniRocket never is."""
    gpu_plans = {replace(entry.job, device="cpu"): entry for entry in on_gpu.entries if entry.job.device == "cuda"}
    return {
        (dataset, method): pairs
        for dataset in on_cpu.datasets()
        for method in on_cpu.planned_methods(dataset)
        if (
            pairs := [(e, gpu_plans[e.job]) for e in on_cpu.where(dataset=dataset, method=method) if e.job in gpu_plans]
        )
    }


@makes_table("published_fit_costs")
def fit_costs(results: Results) -> Table:
    """How long a fit took, on every device it was done on, and how many parameters it has."""
    sheets = {kind: Sheet(results.on_device(kind)) for kind in results.kinds}
    sheet, rows, machines = Sheet(results), [], set()
    for dataset in results.datasets():
        for method in results.planned_methods(dataset):
            fields = {"dataset": dataset, "method": method, "budget": results.main_budget(dataset)}
            seeds = results.planned_seeds(**fields)
            sizes = [sheet.value(metric(name), fields, seeds[:1]) for name in ("registered", "active")]
            times = []
            for kind, own in sheets.items():
                done = [e for e in own.results.where(**fields) if e.job.device == kind]
                planned_here = kind == "cpu" or entry(method).trains
                times.append(own.value(metric("fit_s"), fields, seeds) if planned_here else Value(NOT_PLANNED))
                sheet.shows(entry.job for entry in done)
                machines |= {str(entry.outcome.facts["machine"]["device"]) for entry in done}
            rows.append((Value(dataset_name(dataset)), Value(method_name(method)), *sizes, *times))
    return sheet.made(
        "published_fit_costs",
        "What a fit costs: parameters and seconds",
        ("Dataset", "Method", "Registered", "Active", *(f"Fit s, {DEVICES[kind]}" for kind in results.kinds)),
        rows,
        labels=2,
        note=f"Parameters held, and those that received a gradient. {MINIROCKET_COUNTED} Seconds "
        "from raw windows in memory to the trained method, mean over folds and seeds and SD over seeds. "
        f"{SHARED_FITS} Done on: {'; '.join(sorted(machines))}.",
    )
