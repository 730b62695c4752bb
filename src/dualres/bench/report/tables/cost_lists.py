"""Tables of costs with a row for every method on every dataset that was measured."""

from collections.abc import Callable
from dataclasses import replace

from dualres.bench.profile.backends import TOLERANCE
from dualres.bench.profile.costs import Costs
from dualres.bench.profile.measurements import Measurement
from dualres.bench.profile.plan import EAGER, NATIVE, PREPARED, WINDOW
from dualres.bench.report.names import dataset_name
from dualres.bench.report.tables.cost_cells import cost_table, cost_value, row_name
from dualres.bench.report.tables.model import Table, Value

DIGITS = 12  # of a hash, enough to tell files apart

CellPlace = tuple[str, str]  # dataset and method
CostCells = dict[str, Value]  # by column


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

    def cells(_: CellPlace, measurement: Measurement) -> CostCells:
        model = measurement.facts["model"]
        words = {
            "File": f"{model['file_bytes']:,}",
            **{kind.capitalize(): f"{model['bytes'][kind]:,}" for kind in ("encoder", "head", "buffers")},
            "Model": _origin(measurement),
            "SHA-256": model["sha256"][:DIGITS],
        }
        return {column: Value(text) for column, text in words.items()}

    remark = (
        "Head: parameters whose shape depends on the number of classes. Buffers: what is stored but not trained; of "
        "MiniRocket, all but its ridge classifier. What inference costs does not depend on the number of updates."
    )
    return _list(costs, "costs_storage", "Model files, bytes", cells, remark)


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
    return _list(costs, "costs_checks", "Largest difference between scores of the same windows", cells, remark)


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
    return _list(costs, "costs_record", "Latency of a long record, medians", cells, remark)


def _quantities(costs: Costs, name: str, title: str, names: dict[str, str], remark: str) -> Table:
    """A column per quantity; the paper prints none of these for all methods."""

    def cells(place: CellPlace, _: Measurement) -> CostCells:
        return {title: replace(cost_value(costs, each, *place), paper=None) for each, title in names.items()}

    return _list(costs, name, title, cells, remark)


def _list(
    costs: Costs, name: str, title: str, cells: Callable[[CellPlace, Measurement], CostCells], remark: str
) -> Table:
    """A row for every method on every dataset that was measured."""
    places = [(dataset, method) for dataset in costs.datasets for method in costs.methods]
    found = {place: cells(place, costs.found[place]) for place in places if place in costs.found}
    rows = [
        (Value(dataset_name(dataset)), row_name(costs, method), *row.values())
        for (dataset, method), row in found.items()
    ]
    header = ("Dataset", "Method", *next(iter(found.values())))
    return cost_table(costs, name, title, header, rows, remark, labels=2)


def _origin(measurement: Measurement) -> str:
    model = measurement.facts["model"]
    recipe = model["plan"]["recipe"]
    origin = "of the ledger" if model["from_ledger"] else "fitted to be measured"
    return f"{origin}; updates: {recipe['updates']}" if recipe else origin
