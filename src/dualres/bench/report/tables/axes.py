"""What a study plans: the rows and columns that its tables have, run or not."""

from collections import Counter
from collections.abc import Iterable

from dualres.bench.datasets import catalog
from dualres.bench.methods.catalog import names
from dualres.bench.report.results import Results, labelled_s
from dualres.learn.fold import Budget

SHARED = "Where several budgets have the same seconds, recordings x windows tell them apart."


def methods(results: Results, dataset: str | None = None, among: Iterable[str] | None = None) -> list[str]:
    """Those planned on a dataset, in the paper's order."""
    planned = {job.method for job in results.planned.values() if dataset in (None, job.dataset)}
    return [name for name in among or names() if name in planned]


def datasets(results: Results) -> list[str]:
    planned = {job.dataset for job in results.planned.values()}
    return [name for name in catalog.names() if name in planned]


def budgets(results: Results, dataset: str) -> dict[Budget, float]:
    """With their unique labelled seconds per class."""
    return {job.budget: labelled_s(job) for job in results.planned.values() if job.dataset == dataset}


def exposures(results: Results, dataset: str) -> dict[Budget, str]:
    """Of every budget its labelled seconds per class in words, by which a table can tell it from the others."""
    seconds = {budget: f"{each:.3f}" for budget, each in budgets(results, dataset).items()}
    shared = {text for text, count in Counter(seconds.values()).items() if count > 1}
    return {b: f"{text} ({b.recordings} x {b.windows})" if text in shared else text for b, text in seconds.items()}
