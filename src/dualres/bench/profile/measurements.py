"""Measurements as files, whole or not there at all; groups to be compared, and the numbers that tables take of them."""

import json
import math
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dualres.bench.datasets import catalog
from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import entry, names
from dualres.bench.profile.backends import TOLERANCE
from dualres.bench.profile.plan import EAGER, NATIVE, PREPARED, WINDOW, Plan, kind_words, plan, read_plan
from dualres.errors import DualResError
from dualres.utils.files import write_whole
from dualres.utils.json_text import json_value
from dualres.utils.special_files import unusual

FORMAT = "dualres-profile/1"
FOLDER = "profile"  # beside the ledger
MIB = 2**20

NUMBER, COUNT = (int, float), (int,)
TEXT, TRUTH = (str,), (bool,)
ABSENT = (type(None),)

Kinds = tuple[type, ...]
Shape = Kinds | Mapping[str, Any]  # what may stand there; or fields and the shape of each, others beside them

WORKLOAD: Shape = {
    "warmups": COUNT,
    "repeats": COUNT,
    "seconds": (list,),
    "memory": dict.fromkeys(
        ("rss_peak", "rss_rise", "cuda_allocated", "cuda_reserved", "cuda_rise"), (*COUNT, *ABSENT)
    ),
}
FACTS: dict[str, Shape] = {
    "workloads": (dict,),
    "input": dict.fromkeys(("recording", "sha256", "variant"), TEXT)
    | {"native_s": NUMBER, "windows": COUNT, "cycles": NUMBER},
    "model": {
        "from_ledger": TRUTH,
        "key": TEXT,
        "plan": {"recipe": (dict, *ABSENT)},
        "sha256": TEXT,
        "file_bytes": COUNT,
        "bytes": {"encoder": COUNT, "head": COUNT, "buffers": COUNT},
    },
    "agreement": dict.fromkeys(("window_to_prepared", "native_to_prepared"), NUMBER)
    | {"same_label": TRUTH, "ledger": (dict, *ABSENT)},
    "batch": COUNT,
    "precision": (dict,),
    "versions": {"source": TEXT},
    "machine": {"device": TEXT, "cpu": TEXT, "cores": (*COUNT, *ABSENT), "load_before": (list, *ABSENT)},
}


class MeasurementError(DualResError):
    """A file of a measurement that cannot be used."""


@dataclass(frozen=True)
class Measurement:
    """What a plan gave; see measure.py for its facts."""

    plan: Plan
    facts: dict[str, Any]

    def median_ms(self, workload: str) -> float:
        return 1000 * statistics.median(self.seconds(workload))

    def p95_ms(self, workload: str) -> float:
        """Interpolated between repetitions."""
        return 1000 * float(np.percentile(self.seconds(workload), 95))

    def seconds(self, workload: str) -> list[float]:
        """Of every timed repetition."""
        return list(self.facts["workloads"][workload]["seconds"])

    def memory_mib(self, workload: str, kind: str) -> float | None:
        """See `Memory` in measure.py for the kinds; None where it could not be measured."""
        found = self.facts["workloads"][workload]["memory"][kind]
        return None if found is None else found / MIB

    @property
    def agrees(self) -> bool:
        """Whether all workloads, and the ledger and the shipped way if they were asked, name the same class.

        The shipped way's scores of each window are within `TOLERANCE` of the eager way's, too.
        """
        agreement = self.facts["agreement"]
        others = [agreement[name] for name in ("ledger", "shipped") if agreement.get(name)]
        near = "shipped" not in agreement or agreement["shipped"]["difference"] <= TOLERANCE
        return bool(near and all(each["same_label"] for each in (agreement, *others)))

    @property
    def busy(self) -> float | None:
        """The load before it began, where others must have used its cores too: processes, mean of the last minute."""
        machine = self.facts["machine"]
        load, *_ = machine["load_before"] or [0.0]
        return load if machine["cores"] is not None and load > machine["cores"] else None

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "plan": self.plan.as_data(), **self.facts}


def keep(measurement: Measurement, folder: Path) -> Path:
    """Write a measurement in place of an earlier one of the same plan; gives the file."""
    path = place(measurement.plan, folder)
    write_whole(path, (json.dumps(measurement.as_json(), indent=1) + "\n").encode())
    return path


def place(plan: Plan, folder: Path) -> Path:
    return folder / f"{plan.name}.json"


def kept(folder: Path) -> dict[Plan, Measurement]:
    """All intact measurements in a folder by plan, in the order of their files' names."""
    return {each.plan: each for each in _read_all(folder) if isinstance(each, Measurement)}


def damaged(folder: Path) -> list[MeasurementError]:
    """What is wrong with the others, to be told."""
    return [each for each in _read_all(folder) if isinstance(each, MeasurementError)]


def read(path: Path) -> Measurement:
    try:
        if reason := unusual(path):
            raise ValueError(f"it {reason}")
        content = json_value(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}, which this version reads")
        plan = read_plan(content.get("plan"))
        if path.stem != plan.name:
            raise ValueError(f"it is the one of {plan.name}")
        facts = {name: content[name] for name in FACTS if name in content}
        check_facts(facts, tuple(each.name for each in plan.workloads))
        if (plan.way == EAGER) != ("shipped" in facts["agreement"]):
            raise ValueError("an eager measurement, and no other, is compared with the shipped way")
    except (OSError, ValueError, OverflowError) as error:
        remedy = "`dualres profile` measures it anew, or remove it"
        raise MeasurementError(f"{path}: not a measurement ({error}); {remedy}") from error
    return Measurement(plan, facts)


def _read_all(folder: Path) -> Iterator[Measurement | MeasurementError]:
    for path in sorted(folder.glob("*.json")):
        try:
            yield read(path)
        except MeasurementError as error:
            yield error


def check_facts(facts: Mapping[str, Any], workloads: tuple[str, ...]) -> None:
    """A ValueError that names the field for anything that is missing or not what it should be."""
    _check(facts, FACTS, "it")
    _check(facts["workloads"], dict.fromkeys(workloads, WORKLOAD), "workloads")
    for name in workloads:
        seconds = facts["workloads"][name]["seconds"]
        if not seconds:
            raise ValueError(f"workloads.{name}.seconds is empty")
        for each in seconds:
            _check(each, NUMBER, f"workloads.{name}.seconds")
            if each <= 0:
                raise ValueError(f"workloads.{name}.seconds holds {each}")
    for each in facts["machine"]["load_before"] or ():
        _check(each, NUMBER, "machine.load_before")
    if facts["model"]["plan"]["recipe"] is not None:
        _check(facts["model"]["plan"]["recipe"], {"updates": COUNT}, "model.plan.recipe")
    agreement = facts["agreement"]
    for name in ("ledger", "shipped"):
        if name in agreement and (name, agreement[name]) != ("ledger", None):
            _check(agreement[name], {"difference": NUMBER, "same_label": TRUTH}, f"agreement.{name}")


def _check(value: object, shape: Shape, where: str) -> None:
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            raise ValueError(f"{where} has no fields")
        for name, inner in shape.items():
            if name not in value:
                raise ValueError(f"{where} has no {name}")
            _check(value[name], inner, name if where == "it" else f"{where}.{name}")
    elif type(value) not in shape or (isinstance(value, (int, float)) and not math.isfinite(value)):
        raise ValueError(f"{where} is {str(value)[:40]!r}")


class CostQuantity(NamedTuple):
    of: Callable[[Measurement], float | None]  # None where there is no such thing
    digits: int = 2


_WORKLOADS = (WINDOW, PREPARED, NATIVE)
COSTS = {  # by the names they have in the CSV file
    **{f"{workload}_ms": CostQuantity(methodcaller("median_ms", workload)) for workload in _WORKLOADS},
    **{f"{workload}_p95_ms": CostQuantity(methodcaller("p95_ms", workload)) for workload in _WORKLOADS},
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

    def only(self, datasets: Collection[str], methods: Collection[str]) -> "Costs":
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
        quick = all(p.quick for p in known if _kind(p) == kind)
        found = _group(known, kind, quick)
        joined = any(other != kind and other[1:3] == kind[1:3] for other in kinds)
        if any(entry(method).trains for _, method in found) or not joined:
            groups.append(Costs(*kind, quick, found))
    return groups


def _kind(plan: Plan) -> tuple[str, int, bool, str]:
    return plan.device, plan.threads, plan.long, plan.way


def _group(
    known: Mapping[Plan, Measurement], kind: tuple[str, int, bool, str], quick: bool
) -> dict[tuple[str, str], Measurement]:
    """Those of methods that run on a CPU in every group are taken for the datasets that the group is about."""
    device, threads, long, way = kind
    places = product(catalog.names(), names())
    wanted = (plan(d, m, device, threads, way=way, long=long, quick=quick) for d, m in places)
    found = {(each.dataset, each.method): known[each] for each in wanted if each in known}
    about = {dataset for dataset, method in found if entry(method).trains}
    return {place: each for place, each in found.items() if not about or place[0] in about}
