"""What a study plans: the rows and columns that its tables have, run or not."""

from __future__ import annotations

from collections.abc import Iterable

from dualres.benchmark.protocol import Budget
from dualres.benchmark.results import Results
from dualres.benchmark.studies import DATASETS
from dualres.benchmark.tables.sheet import labelled_s
from dualres.methods import CONTROL_NAMES, NAMES


def methods(results: Results, dataset: str | None = None, among: Iterable[str] = (*NAMES, *CONTROL_NAMES)) -> list[str]:
    """Those planned on a dataset, in the paper's order."""
    planned = {job.method for job in results.planned.values() if dataset in (None, job.dataset)}
    return [name for name in among if name in planned]


def datasets(results: Results) -> list[str]:
    planned = {job.dataset for job in results.planned.values()}
    return [name for name in DATASETS if name in planned]


def budgets(results: Results, dataset: str) -> dict[Budget, float]:
    """With their unique labelled seconds per class."""
    return {job.budget: labelled_s(job) for job in results.planned.values() if job.dataset == dataset}
