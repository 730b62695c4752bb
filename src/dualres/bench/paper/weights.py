"""What the methods of the paper weigh."""

from dataclasses import dataclass

from dualres.bench.paper.printed import PrintedRow, printed_table

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
