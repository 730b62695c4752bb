"""What inference cost on the paper's machine, an RTX A4000 and four CPU threads: other hardware than any here.

Latencies are in ms, memory is in MiB.
"""

from dualres.bench.paper.printed import printed_table
from dualres.bench.paper.protocol import BEARINGS

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
