"""What the methods of the paper weigh, for eight classes."""

from __future__ import annotations

from dataclasses import dataclass

from dualres.paper.rows import rows

CLASSES = 8


@dataclass(frozen=True)
class Weight:
    registered: int  # parameters
    active: int  # parameters that receive a gradient
    file_mib: float


# Registered and active parameters, MiB of the file.
_TABLE = rows("""
    dualres          40_048     40_048   0.164
    mambasl          15_592     15_592   4.065
    minirocket       79_976     79_976   0.802
    tscmamba      2_502_466  2_502_466   9.555
    medformer     2_560_904  2_560_904  12.301
    moderntcn       595_112    595_112   2.308
    patchtst         99_208     99_208   4.392
    itransformer  1_066_024  1_066_024   4.079
    crossformer     189_576     66_440   4.782
""")
WEIGHTS = {
    name: Weight(int(registered), int(active), file_mib) for name, (registered, active, file_mib) in _TABLE.items()
}
