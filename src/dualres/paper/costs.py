"""What inference cost on the paper's machine, an RTX A4000 and four CPU threads: other hardware than any here.

Latencies are medians in ms, memory is in MiB; datasets in the order of DATASETS.
"""

from __future__ import annotations

from dualres.paper.protocol import BEARINGS
from dualres.paper.rows import rows

MACHINE = "one RTX A4000; MiniRocket on four CPU threads"
THREADS = 4
DATASETS = (*BEARINGS, "mcc5")

_WINDOW_MS = rows("""
    dualres        1.56   1.61   1.60   1.96   1.99   2.63   1.75
    mambasl        1.56   1.92   1.64   1.53   1.94   1.65   2.00
    minirocket    55.90  54.52  54.61  54.20  54.03  54.48  60.21
    tscmamba      23.63  22.48  22.88  23.31  22.33  22.42  26.08
    medformer     11.35  11.19  11.14  13.03  13.23  13.97  11.89
    moderntcn      1.76   1.84   3.23   2.15   2.00   2.95   2.06
    patchtst       1.73   1.77   1.89   1.99   2.01   1.82   1.68
    itransformer   1.33   1.23   1.37   2.22   1.24   1.28   1.40
    crossformer    1.64   1.77   2.26   1.84   2.16   1.75   1.69
""")

_NATIVE_MS = rows("""
    dualres         8.22   21.70  146.51   24.44   12.34   41.44   196.65
    mambasl        12.92   29.05  152.33   39.19   14.95   51.25   283.85
    minirocket    255.27  474.24  556.55  581.61  125.75  584.36  4049.40
    tscmamba      329.44  505.36  658.93  762.50  164.65  771.09  5361.47
    medformer      50.61   89.81  226.66  173.33   36.95  153.72  1069.51
    moderntcn      14.27   23.46  155.97   26.18   13.32   40.25   232.70
    patchtst        7.45   26.07  153.04   28.38   14.23   47.61   220.23
    itransformer    6.05   19.53  150.25   28.26   18.54   35.40   184.22
    crossformer    10.12   21.35  146.97   30.07   14.46   36.99   210.69
""")

# Peak allocated by tensors on the GPU, one window.
_ALLOCATED_MIB = rows("""
    dualres       11.46  11.46  11.46  11.46  11.46  11.46  11.46
    mambasl       40.94  40.94  40.94  40.94  40.94  40.94  40.94
    tscmamba      28.38  28.38  28.38  28.38  28.38  28.38  28.38
    medformer     26.35  26.57  26.79  26.35  27.23  26.79  27.45
    moderntcn     10.67  10.92  11.17  10.67  11.67  11.17  11.92
    patchtst      13.90  13.90  13.90  13.90  13.91  13.90  13.92
    itransformer  13.45  13.45  13.45  13.45  13.45  13.45  13.45
    crossformer   14.17  14.18  14.18  14.17  14.19  14.18  14.19
""")

# DualRes: native s, windows, p95 of a window and of a native record in ms, resident memory in MiB.
_WORKLOADS = rows("""
    native_s         4.00   10.11  120.00   10.00   10.00   10.00    60.00
    windows            14      23      23      35       7      35      233
    window_p95_ms    2.10    2.12    2.76    2.38    2.86    3.16     2.69
    native_p95_ms    9.80   26.01  153.05   36.10   13.92   49.19   232.98
    rss_mib        853.55  868.90  989.84  880.24  871.34  911.23  1012.18
""")

_TABLES = {
    "window_ms": _WINDOW_MS,
    "native_ms": _NATIVE_MS,
    "allocated_mib": _ALLOCATED_MIB,
    **{metric: {"dualres": row} for metric, row in _WORKLOADS.items()},
}


def printed_cost(metric: str, dataset: str, method: str) -> float | None:
    """The paper's own value, None where it prints none."""
    row = _TABLES.get(metric, {}).get(method)
    return None if row is None or dataset not in DATASETS else row[DATASETS.index(dataset)]
