"""Measurements that may be compared with each other, and the numbers that tables and figures take from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product
from operator import methodcaller
from pathlib import Path

from dualres.bench.datasets import catalog
from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import entry, names
from dualres.bench.profile.measurements import Measurement, kept
from dualres.bench.profile.plan import NATIVE, PREPARED, WINDOW, Plan, kind_words, plan


@dataclass(frozen=True)
class CostQuantity:
    """A quantity."""

    of: Callable[[Measurement], float | None]  # None where there is no such thing
    digits: int = 2


COSTS = {  # by the names they have in the CSV file
    **{f"{workload}_ms": CostQuantity(methodcaller("median_ms", workload)) for workload in (WINDOW, PREPARED, NATIVE)},
    **{f"{workload}_p95_ms": CostQuantity(methodcaller("p95_ms", workload)) for workload in (WINDOW, PREPARED, NATIVE)},
    "allocated_mib": CostQuantity(methodcaller("memory_mib", WINDOW, "cuda_allocated")),
    "reserved_mib": CostQuantity(methodcaller("memory_mib", WINDOW, "cuda_reserved")),
    "cuda_rise_mib": CostQuantity(methodcaller("memory_mib", WINDOW, "cuda_rise")),
    "rss_mib": CostQuantity(methodcaller("memory_mib", NATIVE, "rss_peak")),
    "rss_rise_mib": CostQuantity(methodcaller("memory_mib", NATIVE, "rss_rise")),
    "native_s": CostQuantity(lambda measurement: measurement.facts["input"]["native_s"]),
    "windows": CostQuantity(lambda measurement: measurement.facts["input"]["windows"], 0),
}


@dataclass(frozen=True)
class Costs:
    """All measurements with one kind of device, number of threads, length of record, way and number of repetitions."""

    device: str
    threads: int
    long: bool
    way: str
    quick: bool
    found: Mapping[tuple[str, str], Measurement]  # by dataset and method

    @property
    def name(self) -> str:
        """Fit for a file name: "cuda_4_eager_quick"; the shipped way is not named."""
        return "_".join([self.device, str(self.threads), *kind_words(self.way, self.long, self.quick)])

    @property
    def datasets(self) -> list[str]:
        return [name for name in catalog.names() if any(dataset == name for dataset, _ in self.found)]

    @property
    def methods(self) -> list[str]:
        """The nine, measured or not, and all others that were measured."""
        measured = {method for _, method in self.found}
        return [name for name in names() if name in NAMES or name in measured]

    def only(self, datasets: Collection[str], methods: Collection[str]) -> Costs:
        """Those of these datasets and methods."""
        found = {(d, m): each for (d, m), each in self.found.items() if d in datasets and m in methods}
        return replace(self, found=found)

    def value(self, cost: str, dataset: str, method: str) -> float | None:
        """None where it was not measured, or does not exist."""
        measurement = self.found.get((dataset, method))
        return None if measurement is None else COSTS[cost].of(measurement)


def all_costs(folder: Path) -> list[Costs]:
    """What a folder's measurements can fill tables with; a quick measurement counts where there is no other like it.

    Those of a method with one device and one way, if nothing else was measured there, are shown with another group.
    """
    known = kept(folder)
    kinds = sorted({_kind(p) for p in known})
    groups = []
    for kind in kinds:
        device, threads, long, way = kind
        quick = all(p.quick for p in known if _kind(p) == kind)
        found = _group(known, device, threads, long, way, quick)
        joined = any(other != kind and other[1:3] == kind[1:3] for other in kinds)
        if any(entry(method).trains for _, method in found) or not joined:
            groups.append(Costs(device, threads, long, way, quick, found))
    return groups


def _kind(plan: Plan) -> tuple[str, int, bool, str]:
    return plan.device, plan.threads, plan.long, plan.way


def _group(
    known: Mapping[Plan, Measurement], device: str, threads: int, long: bool, way: str, quick: bool
) -> dict[tuple[str, str], Measurement]:
    """Those of methods that run on a CPU in every group are taken for the datasets that the group is about."""
    places = product(catalog.names(), names())
    wanted = (plan(d, m, device, threads, way=way, long=long, quick=quick) for d, m in places)
    found = {(each.dataset, each.method): known[each] for each in wanted if each in known}
    about = {dataset for dataset, method in found if entry(method).trains}
    return {place: each for place, each in found.items() if not about or place[0] in about}
