"""What a recipe can be chosen by, where the recordings come from a fold."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE, ModelConfig
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support, learned_from
from dualres.learn.trained.tune_plan import GroupedSupport
from dualres.utils.progress import Progress, quiet


def of_fold(
    name: str, budget: Budget, stores: Path, cache: Path, resampler: str = POLYPHASE, progress: Progress = quiet
) -> GroupedSupport:
    """A fold's support, in which the recordings at the same place of every class's list are held out together.

    They share an operating condition. The fold's evaluation recordings cannot be opened from here.
    """
    fold = replace(load_fold(name), evaluation=())
    source = DatasetSignals(fold.dataset, stores, cache, resampler, only=fold.supporting())
    names, recordings = [one for _, one in learned_from(fold, budget)], []
    for done, one in enumerate(names, start=1):
        recordings += source.at_rate([one])
        progress("Read", done, len(names), "")
    support = gather_support(fold, recordings, budget, ModelConfig())
    place = {one: i for members in fold.support.values() for i, one in enumerate(members)}
    groups = np.array([place[one] for one, _ in support.origins])
    return GroupedSupport(support, groups, fold.classes, "operating condition of the source")
