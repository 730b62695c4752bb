"""The tables of what inference costs, from the measurements beside the ledger."""

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.paper.printed import DATASETS as PAPER_DATASETS
from dualres.bench.paper.printed import printed_cost
from dualres.bench.profile.measurements import COSTS, FOLDER, Costs, all_costs
from dualres.bench.profile.plan import SHIPPED, WAYS
from dualres.bench.report.names import DEVICES, dataset_name
from dualres.bench.report.tables.cost_lists import (
    checks,
    conditions,
    cost_table,
    cost_value,
    long_records,
    memory,
    paper_text,
    row_name,
    storage,
    tails,
)
from dualres.bench.report.tables.fill import BEST, NOT_RUN, Table, Value, mark_best, with_folds_notice

REFERENCE = "dualres"
_RAW = "The window is raw, and its normalisation counts; the paper times a normalised one."

# Of each quantity the end of its table's name, its title, and a remark.
_MATRICES = {
    "window_ms": (
        "window",
        "Latency of one window, median ms",
        f"From a window in host memory to its scores there, with all that a method does in between. {_RAW}",
    ),
    "prepared_ms": (
        "prepared",
        "Latency of a prepared record, median ms",
        "All windows of the record, which lies in host memory at 64 kHz. Records differ between datasets.",
    ),
    "native_ms": (
        "native",
        "Latency of a native record, median ms",
        "From the channel in host memory: resampling and all windows. Records differ between datasets.",
    ),
    "allocated_mib": (
        "allocated",
        "GPU memory allocated for one window, peak MiB",
        "Most bytes that tensors held, the model's among them; neither the GPU's context nor its driver.",
    ),
}


def cost_tables(directory: Path) -> list[Table]:
    """All tables that the measurements in `directory`/profile fill; `directory` is the ledger's."""
    groups = all_costs(directory / FOLDER)
    tables = [table for costs in groups for table in _tables(costs)] + [ways(*pair) for pair in _both_ways(groups)]
    return [with_folds_notice(table) for table in tables]


def _tables(costs: Costs) -> list[Table]:
    if costs.long:
        return [long_records(costs), checks(costs)]
    names = [name for name in _MATRICES if name != "allocated_mib" or costs.device == "cuda"]
    matrices = [partial(matrix, name=name) for name in names]
    makers: list[Callable[[Costs], Table]] = [*matrices, summary, workloads, tails, memory, storage, checks]
    return [table for table in (make(costs) for make in makers) if table.rows]


def matrix(costs: Costs, name: str) -> Table:
    """Methods by datasets."""
    end, title, remark = _MATRICES[name]
    columns = {dataset_name(dataset): _column(costs, name, dataset) for dataset in costs.datasets}
    remarks = [BEST.format("dataset, of the neural methods"), remark]
    return cost_table(costs, f"costs_{end}", title, ("Method", *columns), rows=_rows(costs, columns), remarks=remarks)


def ways(eager: Costs, shipped: Costs) -> Table:
    """The latency of a window by both ways, beside each other."""
    columns = {
        f"{dataset_name(dataset)}, {costs.way}": _column(costs, "window_ms", dataset)
        for dataset in eager.datasets
        for costs in (eager, shipped)
    }
    title, remark = _MATRICES["window_ms"][1:]
    remarks = [BEST.format("dataset and way, of the neural methods"), remark]
    table = cost_table(eager, "", title, ("Method", *columns), rows=_rows(eager, columns), remarks=remarks)
    return replace(
        table,
        name=f"costs_ways_{shipped.name}",
        title=f"{title} ({DEVICES[eager.device]}, both ways)",
        caption=conditions(eager, shipped),
        measured=f"{eager.name} {shipped.name}",
    )


def _rows(costs: Costs, columns: Mapping[str, list[Value]]) -> list[tuple[Value, ...]]:
    """A row per method, behind its name."""
    names = [row_name(costs, method) for method in costs.methods]
    return list(zip(names, *columns.values(), strict=True))


def _both_ways(groups: list[Costs]) -> Iterator[tuple[Costs, Costs]]:
    """Eager and shipped groups that differ in nothing else: the paper's methods on the datasets that both have."""
    for eager, shipped in product(groups, groups):
        alike = (eager.way, shipped.way) == WAYS and replace(eager, way=SHIPPED).name == shipped.name
        shared = [dataset for dataset in eager.datasets if dataset in shipped.datasets]
        if alike and shared and not eager.long:
            yield eager.only(shared, NAMES), shipped.only(shared, NAMES)


def summary(costs: Costs) -> Table:
    """Over datasets: the median of their medians, their range, and the most memory; no rows for a single one."""
    datasets, on_gpu = _summed_up(costs), costs.device == "cuda"
    most = "allocated_mib" if on_gpu else "rss_mib"
    what = "Largest GPU MiB of one window" if on_gpu else "Largest RSS MiB of a native record"
    columns = {
        "Median (range), ms": _lowest(
            costs, "window_ms", "median", [_over_datasets(costs, "window_ms", m) for m in costs.methods]
        ),
        what: _lowest(costs, most, "largest", [_over_datasets(costs, most, m, largest=True) for m in costs.methods]),
    }
    return cost_table(
        costs,
        "costs_summary",
        "Latency of one window over datasets",
        ("Method", *columns),
        rows=_rows(costs, columns) if len(datasets) > 1 else [],
        remarks=[
            BEST.format("column, of the neural methods"),
            f"Median and range of the medians of {len(datasets)} datasets: {', '.join(map(dataset_name, datasets))}.",
            _RAW,
        ],
    )


def workloads(costs: Costs) -> Table:
    """What was measured on, and the tails of DualRes; no rows where DualRes was not measured."""
    titles = {"native_s": "Native s", "windows": "Windows", "window_p95_ms": "Window p95 ms"}
    titles |= {"native_p95_ms": "Native record p95 ms", "rss_mib": "RSS MiB"}
    rows = [
        (Value(dataset_name(dataset)), *(cost_value(costs, name, dataset, REFERENCE) for name in titles))
        for dataset in costs.datasets
        if (dataset, REFERENCE) in costs.found
    ]
    return cost_table(
        costs,
        "costs_workloads",
        "Measured recordings, and the tails of DualRes",
        ("Dataset", *titles.values()),
        rows=rows,
        remarks=[
            "95th percentiles (p95) describe these repetitions; more of them would have longer tails.",
            "RSS: most resident memory of the whole process during a native record, looked at every 10 ms.",
        ],
    )


def _column(costs: Costs, name: str, dataset: str) -> list[Value]:
    """A quantity of every method on one dataset; rivals are those measured in the same way."""
    return _lowest(costs, name, f"{dataset} {costs.way}", [cost_value(costs, name, dataset, m) for m in costs.methods])


def _lowest(costs: Costs, name: str, rivals: str, values: list[Value]) -> list[Value]:
    """The lowest of the neural methods in bold; MiniRocket is another kind of thing, on a CPU."""
    neural = [i for i, method in enumerate(costs.methods) if entry(method).trains]
    marked = mark_best([values[i] for i in neural], rivals, COSTS[name].digits, lowest=True)
    for i, value in zip(neural, marked, strict=True):
        values[i] = value
    return values


def _over_datasets(costs: Costs, name: str, method: str, *, largest: bool = False) -> Value:
    """Median and range over the datasets, or the largest, with the paper's of the same; words stand for fewer."""
    datasets = _summed_up(costs)
    values = [costs.value(name, dataset, method) for dataset in datasets]
    found = [each for each in values if each is not None]
    if len(found) < len(values):
        done = sum((dataset, method) in costs.found for dataset in datasets)
        words = NOT_RUN if not done else f"{done} of {len(values)} datasets" if done < len(values) else "n/a"
        return Value(words, metric=name, method=method)
    printed = [printed_cost(name, dataset, method) for dataset in PAPER_DATASETS]
    alike = all(paper_text(costs, name, dataset, method) for dataset in PAPER_DATASETS)
    theirs = [each for each in printed if each is not None] if alike else []
    text, paper = (None if not each else f"{max(each):,.2f}" if largest else _span(each) for each in (found, theirs))
    value = Value(text or "", metric=name, mean=max(found), method=method, paper=paper)
    return value if largest else replace(value, mean=statistics.median(found), low=min(found), high=max(found))


def _summed_up(costs: Costs) -> list[str]:
    """The paper's datasets, if several of them were measured, and otherwise all."""
    of_paper = [dataset for dataset in costs.datasets if dataset in PAPER_DATASETS]
    return of_paper if len(of_paper) > 1 else costs.datasets


def _span(values: list[float]) -> str:
    return f"{statistics.median(values):,.2f} ({min(values):,.2f}\N{EN DASH}{max(values):,.2f})"
