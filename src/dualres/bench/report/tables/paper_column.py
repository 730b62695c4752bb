"""What every table has to say that prints the paper's numbers beside ours."""

from dataclasses import replace

from dualres.bench.datasets import catalog
from dualres.bench.report.captions import folds_notice, sentences
from dualres.bench.report.tables.model import Table


def with_folds_notice(table: Table) -> Table:
    """The table, with a caption that says whose the folds are where it prints a number of the paper."""
    datasets = {value.dataset for row in table.rows for value in row if value.of_paper}
    if not datasets:
        return table
    shown = catalog.NAMES if "" in datasets else datasets  # a number of no single dataset is over the paper's
    return replace(table, caption=sentences(table.caption, folds_notice(shown)))
