"""What the methods of the paper weigh."""

from dataclasses import dataclass

from dualres.paper.printed import printed_table

CLASSES = 8  # that the methods tell apart


@dataclass(frozen=True)
class Weight:
    registered: int  # parameters
    active: int  # parameters that receive a gradient
    file_mib: float


WEIGHTS = {
    method: Weight(int(row["registered"]), int(row["active"]), row["file_mib"])
    for method, row in printed_table("weights").items()
}
