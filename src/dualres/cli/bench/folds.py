"""What other commands take of the benchmark: its frozen folds, prepared datasets and fitted comparators."""

from pathlib import Path
from typing import TYPE_CHECKING

from dualres.cli.bench.choice import parsed_budgets, prepared
from dualres.cli.console import progress
from dualres.errors import ConfigError

if TYPE_CHECKING:
    from dualres.audit import Split
    from dualres.judge.model import Model
    from dualres.learn.trained.tune_plan import GroupedSupport


def frozen_split(fold: str, held_out: str | None) -> "Split":
    """A fold as the audit takes a split; `held_out` is a claim other than the fold's own."""
    from dualres.audit import Split
    from dualres.bench.datasets.folds import load_fold

    frozen = load_fold(fold)
    return Split(tuple(sorted(frozen.supporting())), frozen.evaluation, held_out or frozen.held_out)


def limitations(dataset: str) -> tuple[str, ...]:
    """What is true of a release itself and no split can mend; nothing of a dataset that is not known."""
    from dualres.bench.datasets import catalog

    return catalog.release(dataset).limitations if dataset in catalog.names() else ()


def tuned_by_fold(fold: str, budget: str, stores: Path, cache: Path, *, resampler: str) -> "GroupedSupport":
    """What `dualres tune --fold` holds out in turn."""
    from dualres.bench.campaign.dataset_signals import grouped_support
    from dualres.bench.datasets.folds import load_fold

    sizes = parsed_budgets([budget])
    if sizes is None or len(sizes) != 1:
        raise ConfigError(f"--budget {budget}: one budget is needed, such as 3x4")
    prepared([load_fold(fold).dataset], stores)
    with progress("Nothing was written.") as report:
        return grouped_support(fold, sizes[0], stores, cache, resampler=resampler, progress=report)


def load_comparator(path: Path) -> "Model":
    from dualres.bench.methods.model_file import load

    return load(path)
