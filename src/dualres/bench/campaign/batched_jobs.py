"""Jobs of one batch done together: those that differ in their number of updates share a fit, others a GPU."""

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Outcome
from dualres.bench.campaign.run_job import JobInputs, forget_peak, gather_inputs, judge_fitted
from dualres.bench.methods import method
from dualres.bench.methods.axes import joined
from dualres.bench.methods.catalog import entry
from dualres.bench.methods.method import FittedMethod
from dualres.bench.methods.neural import NeuralMethod
from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.learn.support import check_support
from dualres.learn.trained.fit import fits_together
from dualres.learn.trained.task import Task
from dualres.utils.progress import Progress, renamed

TellOf = Callable[[str, int], Progress]  # by the key of a job, and how many share a stage with it
_Member = tuple[JobInputs, float]  # a job that can be fitted with others, and the seconds that it took alone so far


def batch_key(job: Job) -> Hashable:
    """What jobs of one batch have in common; a job that is done alone has nothing in common with any."""
    # Whether fits like its are one on that device, and tell of their updates together.
    if fits_together(ModelConfig(), job.device, job.recipe) and entry(job.method).fits_together:
        return job.dataset, job.budget, job.method, _without_updates(job).recipe, job.threads, job.device
    return _without_updates(job).key


def _without_updates(job: Job) -> Job:
    """The same for jobs whose fits are one: a fit begins as every longer one does, if no plugin augments."""
    return replace(job, recipe=replace(job.recipe, updates=1)) if job.recipe and not job.recipe.more else job


def run_batch(
    jobs: Sequence[Job], stores: Path, folder: Path, tell_of: TellOf
) -> Iterator[tuple[Job, Outcome | Exception]]:
    """Jobs of one shape, each done as by `run_job` and given back as soon as it is over, or with what it failed of.

    An error of a fit that several share is raised: whose fault it is cannot be told. The time of a fit is shared out
    evenly among its jobs.
    """
    with threadpool_limits(jobs[0].threads):
        torch.set_num_threads(jobs[0].threads)
        forget_peak()
        groups: dict[tuple[int, int], list[_Member]] = defaultdict(list)
        for job in jobs:
            begin = time.perf_counter()
            try:
                gathered = gather_inputs(job, stores, folder / "cache")
                classes, support = len(gathered.fold.classes), gathered.support
                # What cannot be learned from is found here, where it is one job's alone.
                for windows in support.axes:
                    check_support(windows, support.labels, classes, ModelConfig().window)
            except Exception as error:
                yield job, error
            else:
                groups[classes, len(support.windows)].append((gathered, time.perf_counter() - begin))
        for kind in list(groups):
            yield from _run_group(groups.pop(kind), folder, tell_of)


def _run_group(members: list[_Member], folder: Path, tell_of: TellOf) -> Iterator[tuple[Job, Outcome | Exception]]:
    """Members with as many classes and windows each; they are taken from the list and let go of one by one."""
    jobs = [gathered.job for gathered, _ in members]
    each = [tell_of(job.key, len(jobs)) for job in jobs]

    def tell_all(stage: str, done: int, total: int, remark: str) -> None:
        for one in each:
            one(stage, done, total, remark)

    begin, fits = time.perf_counter(), _fit([gathered for gathered, _ in members], tell_all)
    share_s = (time.perf_counter() - begin) / len(jobs)
    for job in jobs:
        (gathered, alone_s), fitted = members.pop(0), fits.pop(job.key)
        since = time.perf_counter() - alone_s - share_s
        tell = tell_of(job.key, 1)
        try:
            yield job, judge_fitted(gathered, fitted, folder, begin=since, progress=tell, together=len(jobs))
        except Exception as error:
            yield job, error


def _fit(gathered: Sequence[JobInputs], tell: Progress) -> dict[str, FittedMethod]:
    """What each job's fit gave, by its key; jobs that are the same but for their updates share one."""
    by_updates = {one.job.recipe.updates: one.job.recipe for one in gathered if one.job.recipe}
    *stages, last = sorted(by_updates) or [0]
    learner = method(gathered[0].job.method, by_updates.get(last))
    if not isinstance(learner, NeuralMethod):
        raise ConfigError(f"method {learner.name!r} makes no updates; do its jobs one by one")
    one_of = {_without_updates(one.job).key: one for one in gathered}
    progress = renamed(tell, "fit")
    tasks = [
        Task(windows, one.support.labels, len(one.fold.classes), one.job.seed, one.job.device, progress, tuple(stages))
        for one in one_of.values()
        for windows in one.support.axes
    ]
    learned = iter(learner.learn_together(tasks))
    fits = {}
    for key, one in one_of.items():
        by_stage = zip(*(next(learned) for _ in one.support.axes), strict=True)  # of each, the fits of all axes
        fits[key] = {each[0].method.recipe: joined(each) for each in by_stage}
    return {one.job.key: fits[_without_updates(one.job).key][one.job.recipe] for one in gathered}
