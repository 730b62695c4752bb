"""The paper's tables as they lie in tables/; what its methods weigh, and what inference cost on its machine.

A table is a remark, a line of column names, and a line per row. Latencies are in ms, memory is in MiB.
"""

from dataclasses import dataclass
from importlib import resources

from dualres.bench.paper.protocol import BEARINGS

PrintedRow = dict[str, float]  # by column


def printed_table(name: str) -> dict[str, PrintedRow]:
    """The numbers of a table by the names of their row and column; where a dash stands, there is none."""
    text = resources.files(__package__).joinpath("tables", f"{name}.txt").read_text(encoding="utf-8")
    (_, *columns), *rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {
        row: {column: float(cell) for column, cell in zip(columns, cells, strict=True) if cell != "-"}
        for row, *cells in rows
    }


CLASSES = 8  # that the methods tell apart
MINIROCKET_FEATURES, MINIROCKET_COEFFICIENTS = 9_996, 79_976  # in a footnote; the latter are no neural parameters


@dataclass(frozen=True)
class Weight:
    registered: int | None  # parameters; None where the paper counts none
    active: int | None  # parameters that receive a gradient, likewise
    file_mib: float


def _count(row: PrintedRow, column: str) -> int | None:
    return int(row[column]) if column in row else None


WEIGHTS = {
    method: Weight(_count(row, "registered"), _count(row, "active"), row["file_mib"])
    for method, row in printed_table("weights").items()
}


MACHINE = "one RTX A4000; MiniRocket on four CPU threads"
SCANS = (
    "The paper's methods ran in PyTorch, too, but its state-space methods, DualRes among them, did their scans by the "
    "CUDA kernel of mamba_ssm."
)
THREADS = 4
BATCH = 4  # windows at once, at most
DATASETS = (*BEARINGS, "mcc5")

_TABLES = {
    **{metric: printed_table(metric) for metric in ("window_ms", "native_ms", "allocated_mib")},
    **{metric: {"dualres": row} for metric, row in printed_table("workloads").items()},
}


def printed_cost(metric: str, dataset: str, method: str) -> float | None:
    """The paper's own value, None where it prints none."""
    return _TABLES.get(metric, {}).get(method, {}).get(dataset)
