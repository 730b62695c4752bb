"""Do a report's costs agree with the measurements that lie beside the ledger? Computed again from every repetition."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dualres.bench.datasets import catalog
from dualres.bench.methods.catalog import entry, names
from dualres.bench.paper.printed import DATASETS as PAPER_DATASETS
from dualres.bench.profile.backends import TOLERANCE
from dualres.bench.profile.measurements import MIB
from dualres.bench.profile.plan import EAGER
from dualres.bench.verify.numbers import check_text, close, number, said
from dualres.errors import ConfigError

# quantity: workload and kind of memory
_MEMORY = {
    "allocated": ("window", "cuda_allocated"),
    "reserved": ("window", "cuda_reserved"),
    "cuda_rise": ("window", "cuda_rise"),
    "rss": ("native", "rss_peak"),
    "rss_rise": ("native", "rss_rise"),
}


def check_cost(record: Mapping[str, str], folder: Path, group: str) -> Iterator[str]:
    """What is wrong with one number of a table of costs; `folder` holds the measurements, those of `group` count.

    `group` names two, separated by a blank, where a table has columns of both ways.
    """
    eager = record["column"].endswith(f", {EAGER}")
    group = next((each for each in group.split() if (EAGER in each.split("_")) == eager), group)
    paths = _files(record, folder, group)
    values = [None if path is None else _value(record["metric"], path) for path in paths]
    known = [value for value in values if value is not None]
    mean: float | None = None
    if known and len(known) == len(values):  # over several datasets, latencies are summed up by their median
        mean = _quantile(known, 0.5) if record["metric"] == "window_ms" else max(known)
    if not close(mean, number(record["mean"])):
        yield f"mean is {record['mean'] or 'not given'}, the measurements give {said(mean)}"
    yield from check_text(record, mean)
    for path in filter(None, paths):
        shipped = json.loads(path.read_text(encoding="utf-8"))["agreement"].get("shipped")
        if shipped and not (shipped["same_label"] and shipped["difference"] <= TOLERANCE):
            off = f"{shipped['difference']:.1e} off those of the shipped way"  # its times are of something else
            yield f"{path.name} was measured with scores that are {off}"


def _files(record: Mapping[str, str], folder: Path, group: str) -> list[Path | None]:
    """The measurement of the record's dataset, or of all in the table where it names none; None for a missing one."""
    if record["dataset"] not in ("", *catalog.names()) or record["method"] not in names():
        raise ConfigError(f"there is no such dataset or method: {record['dataset']}, {record['method']}")
    device, _, end = group.replace("_", "-").partition("-")
    method = entry(record["method"])
    own, own_end = method.device(device), end if method.trains else end.replace(f"-{EAGER}", "")
    datasets = {record["dataset"]} if record["dataset"] else _summed_up(folder, device, end)
    paths = (folder / f"{name}-{record['method'].replace('/', '.')}-{own}-{own_end}.json" for name in sorted(datasets))
    return [path if path.is_file() else None for path in paths]


def _summed_up(folder: Path, device: str, end: str) -> set[str]:
    """The paper's datasets, if several were measured, and otherwise all that have methods that train, or just all."""
    found = [path.name for path in folder.glob(f"*-{device}-{end}.json")]
    untrained = [name for name in names() if not entry(name).trains]
    about = {name.partition("-")[0] for name in found if not any(f"-{method}-" in name for method in untrained)}
    measured = about or {name.partition("-")[0] for name in found}
    of_paper = measured & set(PAPER_DATASETS)
    return of_paper if len(of_paper) > 1 else measured


def _value(metric: str, path: Path) -> float | None:
    """A quantity of one measurement, from its repetitions."""
    stored: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    name, _, unit = metric.rpartition("_")
    if unit == "ms":
        seconds = stored["workloads"][name.removesuffix("_p95")]["seconds"]
        return 1000 * _quantile(seconds, 0.95 if name.endswith("_p95") else 0.5)
    if name in _MEMORY:
        workload, kind = _MEMORY[name]
        held = stored["workloads"][workload]["memory"][kind]
        return None if held is None else held / MIB
    return float(stored["input"][metric])


def _quantile(values: list[float], share: float) -> float:
    """Between the two nearest of the sorted values, in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
