"""Doing jobs of one shape together: on a GPU their fits are one."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from dualres.benchmark.job import Job
from dualres.benchmark.ledger import Outcome
from dualres.benchmark.protocol import Support
from dualres.benchmark.sources import Source
from dualres.benchmark.work import gathered, judge
from dualres.datasets.folds import Fold
from dualres.errors import ConfigError, DualResError
from dualres.fit import Step
from dualres.methods import method
from dualres.methods.dualres import DualResMethod

Progress = Callable[[str, str, int, int], None]  # key of a job, stage, done, in all


def shape(job: Job) -> Hashable:
    """What jobs that are done together have in common; a job that is done alone has nothing in common with any."""
    if job.device == "cpu" or job.method.partition("/")[0] != "dualres":
        return job.key
    return job.dataset, job.budget, job.method, job.recipe, job.threads, job.device


def do_together(
    jobs: Sequence[Job], stores: Path, folder: Path, progress: Progress
) -> Iterator[tuple[Job, Outcome | DualResError]]:
    """Jobs of one shape, each done as by `work.do` and given back as soon as it is over, or with what it failed of.

    What they took together, up to the end of their fit, is shared out evenly among them.
    """
    with threadpool_limits(jobs[0].threads):
        torch.set_num_threads(jobs[0].threads)
        begin = time.perf_counter()
        gathering: dict[tuple[int, int], list[tuple[Job, Fold, Source, Support]]] = defaultdict(list)
        for job in jobs:
            try:
                fold = job.used_fold()
                source = Source(job.dataset, stores, folder / "cache", job.resampler)
                support = gathered(job, fold, source)
            except DualResError as error:
                yield job, error
            else:
                gathering[len(fold.classes), len(support.windows)].append((job, fold, source, support))
        for (classes, _), members in gathering.items():
            fits = _method(members[0][0]).fit_together(
                [support.windows for *_, support in members],
                [support.labels for *_, support in members],
                classes,
                seeds=[job.seed for job, *_ in members],
                device=members[0][0].device,
                progress=partial(_tell_all, progress, [job.key for job, *_ in members]),
            )
            share_s = (time.perf_counter() - begin) / len(members)
            for (job, fold, source, support), fitted in zip(members, fits, strict=True):
                since = time.perf_counter() - share_s
                try:
                    yield job, judge(job, fold, source, support, fitted, folder, since, partial(progress, job.key))
                except DualResError as error:
                    yield job, error
            begin = time.perf_counter()


def _tell_all(progress: Progress, keys: Sequence[str], step: Step, total: int) -> None:
    for key in keys:
        progress(key, "fit", step.update, total)


def _method(job: Job) -> DualResMethod:
    found = method(job.method, job.recipe)
    if not isinstance(found, DualResMethod):
        raise ConfigError(f"method {job.method!r} fits one support at a time; do its jobs one by one")
    return found
