"""Tables of the published study that set two runs side by side: full model and control, CPU and GPU."""

import statistics
from dataclasses import replace

from dualres.bench.campaign.studies import CONTROLS_ON
from dualres.bench.methods import CONTROL_NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.report.captions import MINIROCKET_COUNTED, counted
from dualres.bench.report.compare import paired_differences
from dualres.bench.report.names import DEVICES, dataset_name, method_name
from dualres.bench.report.registry import makes_table
from dualres.bench.report.results import FinishedJob, Results
from dualres.bench.report.tables.differences import EXPLAINED, paired_value, value_with_spread
from dualres.bench.report.tables.fill import Sheet
from dualres.bench.report.tables.metrics import metric
from dualres.bench.report.tables.model import NOT_PLANNED, NOT_RUN, Table, Value

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
        if control not in found:
            rows.append((Value(method_name(control)), Value(NOT_RUN), Value(NOT_RUN)))
            continue
        each = found[control]
        below = sum(round(value, DIGITS) < 0 for value in each.by_seed.values())
        rows.append(
            (
                Value(method_name(control)),
                value_with_spread(each),
                replace(
                    paired_value(each.pairs, "macro_f1:seeds_below", below), text=f"{below} of {len(each.by_seed)}"
                ),
            )
        )
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
    on_cpu, on_gpu = (results.on_device(kind) for kind in results.kinds)
    pairs = _same_plans(on_cpu, on_gpu)
    if not pairs:
        return None
    sheet, rows = Sheet(results), []
    for (dataset, method), group in pairs.items():
        sheet.shows(entry.job for pair in group for entry in pair)
        gaps = [abs(one.f1 - other.f1) for one, other in group]
        mean = paired_value(group, "macro_f1:mean_gap", statistics.fmean(gaps))
        rows.append(
            (
                Value(dataset_name(dataset)),
                Value(method_name(method)),
                replace(mean, text=f"{mean.text} ({counted(len(group), 'pair')})"),
                paired_value(group, "macro_f1:largest_gap", max(gaps)),
            )
        )
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
        "from raw windows in memory to the trained method, mean over folds and seeds and SD over seeds. Jobs ran side "
        "by side on the same machine, and where fits were done together on a GPU, each has an even share: these are no "
        f"measurements of speed. Done on: {'; '.join(sorted(machines))}.",
    )
