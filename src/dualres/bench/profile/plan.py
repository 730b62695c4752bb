"""What is measured: a method on a dataset's recording, and how often each workload is repeated."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from dualres.bench.datasets import catalog
from dualres.bench.methods.catalog import entry, names
from dualres.bench.paper.printed import THREADS
from dualres.errors import ConfigError

LONG_WINDOWS, LONG_S = 1024, 60.0  # a long record has at least these windows and seconds

DEVICES = ("cpu", "cuda")
EAGER, SHIPPED = WAYS = ("eager", "shipped")  # see backends.py
WINDOW, PREPARED, NATIVE = "window", "prepared", "native"


@dataclass(frozen=True)
class Workload:
    """One thing that is done again and again: untimed at first, then timed, then watched for its memory."""

    name: str
    warmups: int
    repeats: int
    passes: int  # in which memory is watched; a single window is over before it was looked at


STANDARD = (Workload(WINDOW, 20, 120, 120), Workload(PREPARED, 2, 10, 1), Workload(NATIVE, 2, 10, 1))
QUICK = (Workload(WINDOW, 2, 5, 5), Workload(PREPARED, 1, 2, 1), Workload(NATIVE, 1, 2, 1))
LONG = (Workload(PREPARED, 1, 3, 1), Workload(NATIVE, 1, 3, 1))
LONG_QUICK = (Workload(PREPARED, 0, 1, 1), Workload(NATIVE, 0, 1, 1))


@dataclass(frozen=True)
class Plan:
    """One measurement, done in a process of its own."""

    dataset: str
    method: str
    device: str = "cpu"  # the kind, one of DEVICES
    threads: int = THREADS
    long: bool = False  # a record of at least LONG_WINDOWS windows, and no single window
    quick: bool = False  # a few repetitions, to see that everything runs
    way: str = SHIPPED  # one of WAYS

    @property
    def name(self) -> str:
        """Fit for a file name, and different for different plans."""
        words = [self.dataset, self.method.replace("/", "."), self.device, str(self.threads)]
        return "-".join([*words, *kind_words(self.way, self.long, self.quick)])

    @property
    def title(self) -> str:
        return " ".join([self.dataset, self.method, self.device, *kind_words(self.way, self.long, self.quick)])

    @property
    def workloads(self) -> tuple[Workload, ...]:
        if self.long:
            return LONG_QUICK if self.quick else LONG
        return QUICK if self.quick else STANDARD

    def as_data(self) -> dict[str, Any]:
        """As a file has it: without its way where that is the shipped one, the only one there was at first."""
        fields = asdict(self)
        return fields if self.way != SHIPPED else {name: fields[name] for name in fields if name != "way"}


def kind_words(way: str, long: bool, quick: bool) -> list[str]:
    """What a name says of a measurement that is not the usual one: shipped, of one record, with all repetitions."""
    return [EAGER] * (way == EAGER) + ["long"] * long + ["quick"] * quick


def read_plan(fields: object) -> Plan:
    kinds = dict.fromkeys(("dataset", "method", "device"), str) | {"threads": int, "long": bool, "quick": bool}
    if not isinstance(fields, dict) or {n: type(v) for n, v in fields.items()} not in (kinds, kinds | {"way": str}):
        raise ConfigError(f"a plan that cannot be understood: {str(fields)[:200]}")
    known = {"dataset": catalog.names(), "method": names(), "device": DEVICES, "way": WAYS}
    fields = {"way": SHIPPED, **fields}
    if any(fields[name] not in values for name, values in known.items()) or fields["threads"] < 1:
        raise ConfigError(f"a plan of something that does not exist: {str(fields)[:200]}")
    return Plan(**fields)


def plan(
    dataset: str, method: str, device: str, threads: int, *, way: str = SHIPPED, long: bool = False, quick: bool = False
) -> Plan:
    """A method's plan; one that does not train runs on the CPU, and in one way, whatever the others do."""
    known = entry(method)
    return Plan(dataset, method, known.device(device), threads, long, quick, way if known.trains else SHIPPED)


def plan_all(
    datasets: Sequence[str],
    methods: Sequence[str],
    device: str,
    threads: int,
    *,
    ways: Sequence[str] = (SHIPPED,),
    **size: bool,
) -> list[Plan]:
    """Every method on every dataset, its ways one after the other; `size` is `long`, `quick` or both."""
    asked = product(datasets, methods, ways)
    return list(dict.fromkeys(plan(d, m, device, threads, way=way, **size) for d, m, way in asked))
