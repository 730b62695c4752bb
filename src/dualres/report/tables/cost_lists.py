"""Tables of costs with a row for every method on every dataset that was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dualres.profile.costs import Costs
from dualres.profile.measurements import Measurement
from dualres.profile.plan import NATIVE, PREPARED, WINDOW
from dualres.report.names import dataset_name
from dualres.report.tables.cost_cells import cost_table, cost_value, row_name
from dualres.report.tables.model import Table, Value

DIGITS = 12  # of a hash, enough to tell files apart


def tails(costs: Costs) -> Table:
    names = {f"{each}_p95_ms": each.capitalize() for each in (WINDOW, PREPARED, NATIVE)}
    return _quantities(costs, "costs_tails", "95th percentiles of latencies, ms", names, "One window; a whole record.")


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
    return _quantities(costs, "costs_memory", "Memory, MiB", names, remark)


def storage(costs: Costs) -> Table:
    """Files and tensors, and where the model came from."""

    def cells(measurement: Measurement) -> tuple[str, ...]:
        model = measurement.facts["model"]
        kinds = [f"{model['bytes'][kind]:,}" for kind in ("encoder", "head", "buffers")]
        return f"{model['file_bytes']:,}", *kinds, _origin(measurement), model["sha256"][:DIGITS]

    return _words(
        costs,
        "costs_storage",
        "Model files, bytes",
        ("File", "Encoder", "Head", "Buffers", "Model", "SHA-256"),
        cells,
        "Head: parameters whose shape depends on the number of classes. Buffers: what is stored but not trained; of "
        "MiniRocket, all but its ridge classifier. What inference costs does not depend on the number of updates.",
    )


def checks(costs: Costs) -> Table:
    """Whether all ways to the scores agree."""

    def cells(measurement: Measurement) -> tuple[str, ...]:
        agreement, source = measurement.facts["agreement"], measurement.facts["input"]
        ledger = agreement["ledger"]
        return (
            f"{agreement['window_to_prepared']:.1e}",
            f"{agreement['native_to_prepared']:.1e}",
            "not of it" if ledger is None else f"{ledger['difference']:.1e}",
            "yes" if measurement.agrees else "no",
            source["recording"],
            source["sha256"][:DIGITS],
        )

    return _words(
        costs,
        "costs_checks",
        "Largest difference between scores of the same windows",
        ("Window, record", "Native, prepared", "Here, ledger", "Same class", "Recording", "SHA-256"),
        cells,
        "One window alone and in its record; a record resampled anew and beforehand; mean scores of the first judged "
        "recording here and in the ledger, where the model is of it. MiniRocket's scores are decision values.",
    )


def long_records(costs: Costs) -> Table:
    """Throughput over a thousand windows and more."""
    names = {"prepared_ms": "Prepared ms", "native_ms": "Native ms", "rss_mib": "RSS MiB"}
    rows = []
    for dataset, method, measurement in _measured(costs):
        source = measurement.facts["input"]
        rate = 1000 * source["windows"] / measurement.median_ms(PREPARED)
        words = (f"{source['windows']:,}", f"{source['native_s']:,.1f}", f"{source['cycles']:.2f}", f"{rate:,.1f}")
        numbers = (cost_value(costs, name, dataset, method) for name in names)
        rows.append((Value(dataset_name(dataset)), row_name(costs, method), *map(Value, words), *numbers))
    return cost_table(
        costs,
        "costs_record",
        "Latency of a long record, medians",
        ("Dataset", "Method", "Windows", "Native s", "Cycles", "Windows/s", *names.values()),
        rows,
        "Cycles: how often the recording was played to be long enough, 1 for once. Windows/s: of the prepared record.",
        labels=2,
    )


def _quantities(costs: Costs, name: str, title: str, names: dict[str, str], remark: str) -> Table:
    """A column per quantity; the paper prints none of these for all methods."""
    rows = [
        (
            Value(dataset_name(dataset)),
            row_name(costs, method),
            *(replace(cost_value(costs, each, dataset, method), paper=None) for each in names),
        )
        for dataset, method, _ in _measured(costs)
    ]
    return cost_table(costs, name, title, ("Dataset", "Method", *names.values()), rows, remark, labels=2)


def _words(
    costs: Costs,
    name: str,
    title: str,
    header: tuple[str, ...],
    cells: Callable[[Measurement], tuple[str, ...]],
    remark: str,
) -> Table:
    """Cells that are written as they are."""
    rows = [
        (Value(dataset_name(dataset)), row_name(costs, method), *map(Value, cells(measurement)))
        for dataset, method, measurement in _measured(costs)
    ]
    return cost_table(costs, name, title, ("Dataset", "Method", *header), rows, remark, labels=2)


def _measured(costs: Costs) -> list[tuple[str, str, Measurement]]:
    places = [(dataset, method) for dataset in costs.datasets for method in costs.methods]
    return [(*place, costs.found[place]) for place in places if place in costs.found]


def _origin(measurement: Measurement) -> str:
    model = measurement.facts["model"]
    recipe = model["plan"]["recipe"]
    origin = "of the ledger" if model["from_ledger"] else "fitted to be measured"
    return f"{origin}; updates: {recipe['updates']}" if recipe else origin
