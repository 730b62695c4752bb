"""A cell of a table of costs, the conditions of its numbers, and tables with a row per method and dataset."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from dualres.bench.campaign.dataset_signals import FULL
from dualres.bench.methods.catalog import entry
from dualres.bench.paper.printed import DATASETS as PAPER_DATASETS
from dualres.bench.paper.printed import MACHINE, SCANS, THREADS, printed_cost
from dualres.bench.profile.backends import TOLERANCE
from dualres.bench.profile.measurements import COSTS, Costs, Measurement
from dualres.bench.profile.plan import EAGER, NATIVE, PREPARED, SHIPPED, WINDOW
from dualres.bench.report.captions import QUICK_COSTS, joined, sentences, variant_notice
from dualres.bench.report.names import DEVICES, dataset_name, method_name
from dualres.bench.report.tables.fill import NOT_RUN, Table, Value

FREE_OF_HARDWARE = ("native_s", "windows")  # what the paper's value should be here, too
OTHER_HARDWARE = (
    f"In brackets: the value printed in the paper, on {MACHINE}. That is other hardware: it shows what order to "
    f"expect, and does not have to be met. {SCANS}"
)
WAY_SENTENCES = {
    EAGER: "Eager, like for like: every neural method by PyTorch's own operations, without compiled or fused code.",
    SHIPPED: "Shipped: each method by its fastest path, DualRes by compiled or fused code of its own.",
}


def cost_table(
    costs: Costs,
    name: str,
    title: str,
    header: Sequence[str],
    *,
    rows: Iterable[tuple[Value, ...]],
    remarks: Sequence[str],
    labels: int = 1,
) -> Table:
    """A table that states its conditions, what its brackets mean and what is missing."""
    rows = tuple(rows)
    bracketed = any(value.paper for row in rows for value in row)
    return Table(
        name=f"{name}_{costs.name}",
        title=f"{title} ({DEVICES[costs.device]}, {costs.way}{', long record' * costs.long})",
        caption=conditions(costs),
        study="",
        labels=labels,
        header=tuple(header),
        rows=rows,
        note=sentences(*remarks, OTHER_HARDWARE if bracketed else "", missing(costs)),
        measured=costs.name,
    )


def cost_value(costs: Costs, name: str, dataset: str, method: str) -> Value:
    """One measured number; "not run" where it was not, "n/a" where there is no such thing."""
    number = costs.value(name, dataset, method)
    absent = "n/a" if (dataset, method) in costs.found else NOT_RUN
    text = absent if number is None else f"{number:,.{COSTS[name].digits}f}"
    paper = paper_text(costs, name, dataset, method)
    return Value(text, metric=name, mean=number, dataset=dataset, method=method, paper=paper)


def paper_text(costs: Costs, name: str, dataset: str, method: str) -> str | None:
    """The paper's value where ours was measured likewise: neural methods eager and on a GPU, MiniRocket as ever."""
    printed, measurement = printed_cost(name, dataset, method), costs.found.get((dataset, method))
    if printed is None or measurement is None or measurement.facts["input"]["variant"] != FULL or costs.long:
        return None
    like_for_like = not entry(method).trains or (costs.device, costs.way) == ("cuda", EAGER)
    same = like_for_like and costs.threads == THREADS and not costs.quick
    return f"{printed:,.{COSTS[name].digits}f}" if same or name in FREE_OF_HARDWARE else None


def row_name(costs: Costs, method: str) -> Value:
    """The method's name, with its device where that is not the table's."""
    apart = not entry(method).trains and costs.device != "cpu"
    return Value(method_name(method) + " (CPU)" * apart)


def conditions(*groups: Costs) -> str:
    """Machine, threads, precision, repetitions, the ways that groups differ in, and what is not as it should be."""
    costs = groups[0]
    measured = [each for group in groups for each in group.found.values()]
    machines = joined(str(m.facts["machine"]["device"]) for m in measured)
    cores = joined(str(m.facts["machine"]["cores"]) for m in measured)
    batches = joined(str(m.facts["batch"]) for m in measured)
    names = measured[0].plan.workloads
    ways = " ".join(WAY_SENTENCES[group.way] for group in groups)
    done = {each.name: [m.facts["workloads"][each.name] for m in measured] for each in names}
    repeats = (
        f"{name} {joined(str(w['repeats']) for w in each)} after {joined(str(w['warmups']) for w in each)} untimed"
        for name, each in done.items()
    )
    text = (
        f"{machines}; CPU threads: {costs.threads}, cores: {cores}; FP32 without TF32; a fresh process per method; "
        f"at most {batches} windows at once; the first support recording of the first fold. Timed repetitions: "
        f"{joined(repeats)}. {ways}"
    )
    if untrained := joined(method_name(method) for _, method in costs.found if not entry(method).trains):
        text += f" {untrained}: one way only, on the CPU, shown with both."
    if loads := [each.busy for each in measured if each.busy]:
        text += f" The machine was not idle: up to {max(loads):.1f} processes ran or waited before a measurement."
    for dataset, variant in {m.plan.dataset: m.facts["input"]["variant"] for m in measured}.items():
        if variant != FULL:
            text += f" {variant_notice(dataset, variant)}"
    return sentences(text, QUICK_COSTS if costs.quick else "")


def missing(costs: Costs) -> str:
    """What was not measured, in sentences; empty where everything was."""
    datasets = [dataset_name(name) for name in PAPER_DATASETS if name not in costs.datasets]
    methods = [method_name(m) for m in costs.methods if not any(method == m for _, method in costs.found)]
    places = [(dataset, method) for dataset in costs.datasets for method in costs.methods]
    lacking = sum(place not in costs.found for place in places)
    return sentences(
        f"Datasets not measured: {joined(datasets)}." if datasets else "",
        f"Methods not measured: {joined(methods)}." if methods else "",
        f"Of {len(places)} combinations, {lacking} are missing." if lacking else "",
    )


DIGITS = 12  # of a hash, enough to tell files apart
CellPlace = tuple[str, str]  # dataset and method
CostCells = dict[str, Value]  # by column


def tails(costs: Costs) -> Table:
    names = {f"{each}_p95_ms": each.capitalize() for each in (WINDOW, PREPARED, NATIVE)}
    remark = "One window; a whole record."
    return _quantities(costs, "costs_tails", "95th percentiles of latencies, ms", names, remark=remark)


def memory(costs: Costs) -> Table:
    names = {"rss_mib": "RSS", "rss_rise_mib": "RSS rise"}
    remark = (
        "Resident memory of the whole process during a native record, looked at every 10 ms in an untimed pass, and "
        "its rise above what was there when the model was loaded and had not been called."
    )
    if costs.device == "cuda":
        names = {"allocated_mib": "Allocated", "reserved_mib": "Reserved", "cuda_rise_mib": "Allocated rise", **names}
        remark += (
            " On the GPU during one window: bytes that tensors held, that were reserved for them, and that were held "
            "beside the model."
        )
    return _quantities(costs, "costs_memory", "Memory, MiB", names, remark=remark)


def storage(costs: Costs) -> Table:
    """Files and tensors, and where the model came from."""

    def cells(_: CellPlace, measurement: Measurement) -> CostCells:
        model = measurement.facts["model"]
        origin = "of the ledger" if model["from_ledger"] else "fitted to be measured"
        recipe = model["plan"]["recipe"]
        words = {
            "File": f"{model['file_bytes']:,}",
            **{kind.capitalize(): f"{model['bytes'][kind]:,}" for kind in ("encoder", "head", "buffers")},
            "Model": f"{origin}; updates: {recipe['updates']}" if recipe else origin,
            "SHA-256": model["sha256"][:DIGITS],
        }
        return {column: Value(text) for column, text in words.items()}

    remark = (
        "Head: parameters whose shape depends on the number of classes. Buffers: what is stored but not trained; of "
        "MiniRocket, all but its ridge classifier. What inference costs does not depend on the number of updates."
    )
    return _list(costs, "costs_storage", "Model files, bytes", cells, remark=remark)


def checks(costs: Costs) -> Table:
    """Whether all ways to the scores agree."""

    def cells(_: CellPlace, measurement: Measurement) -> CostCells:
        agreement, source = measurement.facts["agreement"], measurement.facts["input"]
        ledger, shipped = agreement["ledger"], agreement.get("shipped")
        other_way = {"Eager, shipped": Value("one way" if shipped is None else f"{shipped['difference']:.1e}")}
        return {
            "Window, record": Value(f"{agreement['window_to_prepared']:.1e}"),
            "Native, prepared": Value(f"{agreement['native_to_prepared']:.1e}"),
            "Here, ledger": Value("not of it" if ledger is None else f"{ledger['difference']:.1e}"),
            **(other_way if costs.way == EAGER else {}),
            "Same class": Value("yes" if measurement.agrees else "no"),
            "Recording": Value(source["recording"]),
            "SHA-256": Value(source["sha256"][:DIGITS]),
        }

    remark = (
        "One window alone and in its record; a record resampled anew and beforehand; mean scores of the first judged "
        "recording here and in the ledger, where the model is of it. MiniRocket's scores are decision values."
    )
    if costs.way == EAGER:
        remark += f" The native record by both ways in one process; beyond {TOLERANCE:.0e} the next column says no."
    return _list(costs, "costs_checks", "Largest difference between scores of the same windows", cells, remark=remark)


def long_records(costs: Costs) -> Table:
    """Throughput over a thousand windows and more."""
    names = {"prepared_ms": "Prepared ms", "native_ms": "Native ms", "rss_mib": "RSS MiB"}

    def cells(place: CellPlace, measurement: Measurement) -> CostCells:
        source = measurement.facts["input"]
        rate = 1000 * source["windows"] / measurement.median_ms(PREPARED)
        return {
            "Windows": Value(f"{source['windows']:,}"),
            "Native s": Value(f"{source['native_s']:,.1f}"),
            "Cycles": Value(f"{source['cycles']:.2f}"),
            "Windows/s": Value(f"{rate:,.1f}"),
            **{title: cost_value(costs, name, *place) for name, title in names.items()},
        }

    remark = (
        "Cycles: how often the recording was played to be long enough, 1 for once. Windows/s: of the prepared record."
    )
    return _list(costs, "costs_record", "Latency of a long record, medians", cells, remark=remark)


def _quantities(costs: Costs, name: str, title: str, names: dict[str, str], *, remark: str) -> Table:
    """A column per quantity; the paper prints none of these for all methods."""

    def cells(place: CellPlace, _: Measurement) -> CostCells:
        return {title: replace(cost_value(costs, each, *place), paper=None) for each, title in names.items()}

    return _list(costs, name, title, cells, remark=remark)


def _list(
    costs: Costs, name: str, title: str, cells: Callable[[CellPlace, Measurement], CostCells], *, remark: str
) -> Table:
    """A row for every method on every dataset that was measured."""
    places = [(dataset, method) for dataset in costs.datasets for method in costs.methods]
    found = {place: cells(place, costs.found[place]) for place in places if place in costs.found}
    rows = [
        (Value(dataset_name(dataset)), row_name(costs, method), *row.values())
        for (dataset, method), row in found.items()
    ]
    header = ("Dataset", "Method", *next(iter(found.values())))
    return cost_table(costs, name, title, header, rows=rows, remarks=[remark], labels=2)
