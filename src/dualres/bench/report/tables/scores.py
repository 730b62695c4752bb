"""The tables of scores, study by study."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.studies import STUDIES, folds_of
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.paper.protocol import BY_FOLD_BUDGETS, CONTROLLED, FINALISTS, PRIMARY_BUDGET
from dualres.bench.report.captions import MINIROCKET_COUNTED, SHARED_FITS, sentences
from dualres.bench.report.names import dataset_name, dataset_title, method_name
from dualres.bench.report.registry import makes_table, register_table
from dualres.bench.report.results import Results
from dualres.bench.report.tables.fill import (
    OWN_COSTS,
    SHARED,
    Column,
    Rivals,
    Sheet,
    Table,
    TableLine,
    by_column,
    by_row,
)

SHARED_HOST = "The paper's times and memory are of a shared host, which is other hardware."
SCORES = {"macro_f1": "macro-F1", "accuracy": "accuracy"}
MEANS = (Column("Mean macro-F1", "macro_f1"), Column("Mean accuracy", "accuracy"))


def one_seed(results: Results) -> Sheet:
    """For tables that show a single seed: the first of the study's."""
    return Sheet(results, results.seeds[:1])


def fold_columns(dataset: str) -> list[Column]:
    """The macro-F1 of every fold."""
    return [Column(f"{fold} macro-F1", "macro_f1", {"fold": fold}) for fold in folds_of(dataset)]


def over_datasets(results: Results, metric: str, methods: Sequence[str]) -> Table:
    """One row per dataset and one column per method, for studies with one budget per dataset."""
    study = results.study.name
    return Sheet(results).table(
        f"{study}_{metric}",
        f"{study.capitalize()}: {SCORES[metric]} (%)",
        [TableLine((dataset_name(name),), {"dataset": name}) for name in results.planned_datasets()],
        _method_columns(results.planned_methods(among=methods), metric),
        labels=("Dataset",),
        best=by_row,
        best_per="dataset",
    )


def gearbox(results: Results, dataset: str, metric: str) -> Table:
    budgets = results.budgets(dataset)
    return _by_method(
        results,
        dataset,
        f"gearbox_{metric}",
        f": {SCORES[metric]} (%) by labelled seconds per class",
        columns=[Column(f"{s:.3f}", metric, {"budget": b}) for b, s in budgets.items()],
        remark=f"Recordings x windows: {', '.join(f'{b.recordings} x {b.windows}' for b in budgets)}.",
    )


for _metric in SCORES:
    register_table(f"bearing_{_metric}", partial(over_datasets, metric=_metric, methods=FINALISTS))
    register_table(f"broad_{_metric}", partial(over_datasets, metric=_metric, methods=NAMES))
    register_table(f"gearbox_{_metric}", partial(gearbox, metric=_metric))
register_table("ablation_macro_f1", partial(over_datasets, metric="macro_f1", methods=CONTROLLED))


@makes_table("bearing_by_fold")
def bearing_by_fold(results: Results) -> Table:
    return one_seed(results).table(
        "bearing_by_fold",
        "Bearing by fold: macro-F1 (%)",
        [
            TableLine((dataset_name(name), method_name(method)), {"dataset": name, "method": method})
            for name in results.planned_datasets()
            for method in results.planned_methods(name)
        ],
        [*(Column(f"Fold {i + 1}", "macro_f1", fold=i) for i in (0, 1)), Column("Mean", "macro_f1")],
        labels=("Dataset", "Method"),
        best=lambda line, column: line.labels[0] if column.title == "Mean" else "",
        best_per="dataset, of the means",
    )


@makes_table("bearing_hust_itransformer")
def hust_by_seed(results: Results) -> Table | None:
    """A fourth method's seeds on the dataset where it is among the best; None where it was not run."""
    fields = {"dataset": "hust", "method": "itransformer"}
    if not results.where(**fields):
        return None
    return Sheet(results).table(
        "bearing_hust_itransformer",
        "iTransformer on HUST by seed",
        [*(TableLine((str(seed),), fields, (seed,)) for seed in results.seeds), TableLine(("all",), fields)],
        [Column(f"{words[0].upper()}{words[1:]} (%)", metric) for metric, words in SCORES.items()],
        labels=("Seed",),
    )


@makes_table("gearbox_by_fold")
def gearbox_by_fold(results: Results, dataset: str) -> Table:
    columns = [
        Column(f"{budget.recordings} rec., {fold}", "macro_f1", {"budget": budget, "fold": fold})
        for budget in BY_FOLD_BUDGETS
        for fold in folds_of(dataset)
    ]
    return _by_method(results, dataset, "gearbox_by_fold", " by fold: macro-F1 (%)", columns=columns)


@makes_table("fit_costs")
def fit_costs(results: Results, dataset: str) -> Table:
    titles = {"registered": "Registered", "active": "Active", "file_mib": "File MiB"}
    titles |= {"fit_s": "Fit s", "peak_mib": "Train MiB"}
    found = [entry.outcome.facts["machine"] for entry in results.where(dataset=dataset, budget=PRIMARY_BUDGET)]
    machines = "; ".join(sorted({f"{m['device']}, CPU threads: {m['threads']}" for m in found}))
    table = _by_method(
        results,
        dataset,
        "fit_costs",
        ": what a fit costs",
        columns=[Column(title, metric, {"budget": PRIMARY_BUDGET}) for metric, title in titles.items()],
        # Times and memory are of several machines and devices; only what a method is, is compared.
        best=lambda line, column: (
            column.title if entry(str(line.fields["method"])).trains and column.metric not in OWN_COSTS else ""
        ),
        best_per="column, of the neural methods and but for times and memory, which are of several machines",
        remark="Parameters held, and those that received a gradient; mean fit time of both folds; most GPU memory "
        f"allocated while training, n/a on a CPU. {SHARED_FITS} {MINIROCKET_COUNTED} "
        f"Measured on {machines or 'no machine yet'}.",
    )
    beside = any(value.paper for row in table.rows for value in row)
    return replace(table, note=sentences(table.note, SHARED_HOST if beside else ""))


@makes_table("replication")
def replication(results: Results, dataset: str) -> Table:
    return Sheet(results).table(
        f"replication_{dataset}",
        f"{dataset_title(dataset)}, replicated: macro-F1 (%)",
        [TableLine((f"{s:.3f}",), {"dataset": dataset, "budget": b}) for b, s in results.budgets(dataset).items()],
        _method_columns(results.planned_methods(dataset)),
        labels=("Seconds/class",),
        best=by_row,
    )


@makes_table("allocation")
def allocation(results: Results, dataset: str) -> Table:
    """Without bold print until all of it was run: a best of a row would stand beside a better one of no rival."""
    whole = not {job.key for job in results.planned.values() if job.dataset == dataset} - {
        e.key for e in results.entries
    }
    return one_seed(results).table(
        f"allocation_{dataset}",
        f"{dataset_title(dataset)}, the same seconds differently spent: macro-F1 (%)",
        [
            TableLine((str(budget.recordings), str(budget.windows)), {"dataset": dataset, "budget": budget})
            for budget in results.budgets(dataset)
        ],
        _method_columns(results.planned_methods(dataset)),
        labels=("Recordings/class", "Windows/recording"),
        best=by_row if whole else None,
    )


@makes_table("pilot")
def pilot(results: Results, dataset: str) -> Table:
    return _by_method(results, dataset, "pilot", ", pilot (%)", columns=[*fold_columns(dataset), *MEANS])


@makes_table("pilot_recall")
def pilot_recall(results: Results, dataset: str) -> Table:
    columns = [Column(label, f"recall:{label}") for label in load_fold(folds_of(dataset)[0]).classes]
    title = ", pilot: recall (%) by class"
    return _by_method(results, dataset, "pilot_recall", title, columns=columns, best_per="class")


@makes_table("optimisation")
def optimisation(results: Results, dataset: str) -> Table:
    """Where the training loss got, beside what came of it."""
    updates = max(job.recipe.updates for job in results.planned.values() if job.recipe)
    moments = (1, updates // 4, updates // 2, updates)
    return _by_method(
        results,
        dataset,
        "optimisation",
        ": training loss (nats) and held-out macro-F1 (%)",
        columns=[*(Column(f"Loss at {n}", f"loss@{n}") for n in moments), Column("Macro-F1", "macro_f1")],
        best=lambda line, column: column.title if column.metric == "macro_f1" else "",
        best_per="column, of the macro-F1",
        remark="The loss is the mean cross-entropy over the support before the update of that number.",
    )


def every_seed(results: Results) -> list[Table]:
    """All seeds there are, where more were run than this study, or another one with the same jobs, asks for."""
    further = [e.job for e in results.entries if e.job.seed not in results.seeds and not _asked_for(e.job)]
    if not further:
        return []
    seeds = sorted({job.seed for job in further} | set(results.seeds))
    study = results.study.name
    lines = [
        TableLine((dataset_name(name), seconds, fold), {"dataset": name, "budget": budget, **only})
        for name in results.datasets()
        for budget, seconds in results.exposures(name).items()
        if any((job.dataset, job.budget) == (name, budget) for job in further)
        for fold, only in {"both": {}, **{fold: {"fold": fold} for fold in folds_of(name)}}.items()
    ]
    table = Sheet(results, seeds).table(
        f"{study}_every_seed",
        f"{study.capitalize()}, every seed that was run: macro-F1 (%)",
        lines,
        _method_columns(results.planned_methods()),
        labels=("Dataset", "Seconds/class", "Fold"),
        best=by_row,
        best_per="row, of those that have all seeds",
        remark=SHARED if any(" x " in line.labels[1] for line in lines) else "",
    )
    return [table]


def _asked_for(job: Job) -> bool:
    return any(
        job.dataset in part.datasets
        and job.method in part.methods
        and job.budget in part.budgets
        and job.seed in part.seeds
        and (job.judged, job.support_step) == (part.judged, part.support_step)
        and (job.recipe is None or job.recipe in {replace(part.recipe, updates=n) for n in part.updates})
        for study in STUDIES.values()
        for part in study.parts
    )


def _method_columns(methods: Sequence[str], metric: str = "macro_f1") -> list[Column]:
    return [Column(method_name(method), metric, {"method": method}) for method in methods]


def _by_method(
    results: Results,
    dataset: str,
    name: str,
    title: str,
    *,
    columns: Sequence[Column],
    best: Rivals = by_column,
    best_per: str = "",
    remark: str = "",
) -> Table:
    """A dataset's table with a row per method, of one seed."""
    return one_seed(results).table(
        f"{name}_{dataset}",
        dataset_title(dataset) + title,
        [TableLine((method_name(m),), {"dataset": dataset, "method": m}) for m in results.planned_methods(dataset)],
        columns,
        labels=("Method",),
        best=best,
        best_per=best_per,
        remark=remark,
    )
