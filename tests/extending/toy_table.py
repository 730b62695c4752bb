"""A table from outside: the share of recordings that each method of a study names right."""

from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.results import Results
from dualres.bench.report.tables import Table, register_table
from dualres.bench.report.tables.fill import Column, Sheet, TableLine, by_column


def named_right(results: Results, dataset: str) -> Table:
    """A row per method; the best is in bold, and the table says so by what it passes as `best`."""
    return Sheet(results).table(
        f"toy_named_right_{dataset}",
        f"{dataset_name(dataset)}: recordings named right (%)",
        [TableLine((method_name(m),), {"dataset": dataset, "method": m}) for m in results.planned_methods(dataset)],
        [Column("Accuracy", "accuracy")],
        labels=("Method",),
        best=by_column,
        best_per="column",
    )


register_table("toy_named_right", named_right)
