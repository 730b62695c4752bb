"""Tables of paired differences between methods, and of ranks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dualres.bench.report.captions import counted, sentences
from dualres.bench.report.compare import REFERENCE, PairedDifference, Ranks, critical_difference, paired_differences
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.results import FinishedJob, Results, labelled_s
from dualres.bench.report.tables.fill import NOT_RUN, SHARED, Sheet, Table, Value
from dualres.learn.fold import Budget

EXPLAINED = (
    "Mean of the differences within pairs of equal fold and seed, with the 95 % interval of a hierarchical bootstrap: "
    "folds are resampled, then recordings of each class within a fold, the same for both methods and for all seeds of "
    "the fold, then seeds. Bold: the interval leaves zero out. Few folds and seeds make such an interval too narrow "
    "rather than too wide: it knows of no others than these."
)


def difference_tables(results: Results) -> list[Table]:
    """DualRes minus every other method, and what there is to say on ranks.

    One table for all datasets, or one for each where every dataset has several budgets.
    """
    found = {(d.dataset, d.budget, d.other): difference_value(d) for d in paired_differences(results)}
    if not found:
        return []
    datasets = results.datasets()
    several = any(len(results.budgets(dataset)) > 1 for dataset in datasets)
    ranks = critical_difference(results)
    groups = {f"_{dataset}": (dataset,) for dataset in datasets} if several else {"": datasets}
    ranked, remark = ([_rank_table(results, ranks)], "") if isinstance(ranks, Ranks) else ([], ranks)
    return [*(_difference_table(results, found, groups[end], suffix=end, remark=remark) for end in groups), *ranked]


def _difference_table(
    results: Results,
    found: Mapping[tuple[str, Budget, str], Value],
    datasets: Sequence[str],
    *,
    suffix: str,
    remark: str,
) -> Table:
    study = results.study.name
    sheet = Sheet(results, sorted({seed for value in found.values() for seed in value.seeds}))
    rows = []
    for dataset in datasets:
        for budget, seconds in results.exposures(dataset).items():
            for other in results.planned_methods(dataset):
                fields = {"dataset": dataset, "budget": budget}
                if other == REFERENCE or not sheet.jobs({**fields, "method": other}, sheet.seeds):
                    continue  # not planned with this budget
                sheet.jobs({**fields, "method": REFERENCE}, sheet.seeds)  # for the caption
                value = found.get((dataset, budget, other), Value(NOT_RUN))
                rows.append((Value(dataset_name(dataset)), Value(seconds), Value(method_name(other)), value))
    shared = SHARED if any(" x " in row[1].text for row in rows) else ""
    return sheet.made(
        f"{study}_differences{suffix}",
        f"{study.capitalize()}: macro-F1 of DualRes minus that of another method, percentage points",
        ("Dataset", "Seconds/class", "Other method", "Difference and 95 % interval"),
        rows,
        labels=3,
        note=sentences(EXPLAINED, shared, remark),
    )


def difference_value(difference: PairedDifference) -> Value:
    """The mean over the pairs with its interval; the SD over seeds goes with it, unseen."""
    pairs = counted(len(difference.pairs), "pair")
    return replace(
        paired_value(difference.pairs, "macro_f1", difference.mean),
        text=f"{difference.mean:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}] ({pairs})",
        bold=difference.decided,
        emphasis="interval",
        sd=difference.sd,
        low=difference.low,
        high=difference.high,
    )


def value_with_spread(difference: PairedDifference) -> Value:
    """The same with the SD over seeds in sight."""
    value, spread = difference_value(difference), "" if difference.sd is None else f" ± {difference.sd:.2f}"
    return replace(value, text=f"{value.mean:+.2f}{spread} [{value.low:+.2f}, {value.high:+.2f}]")


def paired_value(pairs: Sequence[tuple[FinishedJob, FinishedJob]], metric: str, mean: float, digits: int = 2) -> Value:
    """A number made of pairs of jobs of one dataset, the first of which are of one method, each minus the second."""
    jobs = [one.job for one, _ in pairs]
    budgets = {job.budget for job in jobs}
    alike = len(budgets) == 1
    return Value(
        text=f"{mean:.{digits}f}",
        metric=metric,
        mean=mean,
        n=len(pairs),
        labelled_s=labelled_s(jobs[0]) if alike else None,
        dataset=jobs[0].dataset,
        method=jobs[0].method,
        budget=str(jobs[0].budget) if alike else "",
        folds=tuple(sorted({job.fold for job in jobs})),
        jobs=_by_seed(one for one, _ in pairs),
        minus=_by_seed(other for _, other in pairs),
    )


def _by_seed(entries: Iterable[FinishedJob]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for entry in entries:
        found[entry.job.seed] = (*found.get(entry.job.seed, ()), entry.key)
    return found


def _rank_table(results: Results, ranks: Ranks) -> Table:
    names = ", ".join(map(dataset_name, ranks.datasets))
    order = sorted(zip(ranks.average_ranks, ranks.methods, strict=True))
    sheet, study = Sheet(results), results.study.name
    for dataset in ranks.datasets:
        sheet.jobs({"dataset": dataset}, sheet.seeds)
    return sheet.made(
        f"{study}_ranks",
        f"{study.capitalize()}: mean rank by macro-F1 over {len(ranks.datasets)} datasets",
        ("Method", "Mean rank"),
        [(Value(method_name(method)), Value(f"{rank:.2f}")) for rank, method in order],
        labels=1,
        note=f"1 is the best. n = {len(ranks.datasets)} datasets: {names}. Friedman's test: {ranks.statistic:.2f}, "
        f"p = {ranks.p:.3f}. Mean ranks that are less than {ranks.critical_difference:.2f} apart (Nemenyi, 5 %) are "
        "not shown to differ.",
    )
