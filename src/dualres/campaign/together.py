"""Doing jobs of one shape together: on a GPU their fits are one."""

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from dualres.campaign.job import Job
from dualres.campaign.ledger import Outcome
from dualres.campaign.work import Gathered, forget_peak, gather, judge
from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.learn.batches import check_support
from dualres.learn.history import steps_told
from dualres.machinery.progress import Progress
from dualres.methods import method
from dualres.methods.catalogue import entry
from dualres.methods.dualres import DualResMethod

TellOf = Callable[[str, int], Progress]  # by the key of a job, and how many share a stage with it
_Member = tuple[Gathered, float]  # a job that can be fitted with others, and the seconds that it took alone so far


def shape(job: Job) -> Hashable:
    """What jobs that are done together have in common; a job that is done alone has nothing in common with any."""
    if job.device == "cpu" or not entry(job.method).fits_together:
        return job.key
    return job.dataset, job.budget, job.method, job.recipe, job.threads, job.device


def do_together(
    jobs: Sequence[Job], stores: Path, folder: Path, tell_of: TellOf
) -> Iterator[tuple[Job, Outcome | Exception]]:
    """Jobs of one shape, each done as by `work.do` and given back as soon as it is over, or with what it failed of.

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
                gathered = gather(job, stores, folder / "cache")
                classes, support = len(gathered.fold.classes), gathered.support
                # What cannot be learned from is found here, where it is one job's alone.
                check_support(support.windows, support.labels, classes, ModelConfig().window)
            except Exception as error:
                yield job, error
            else:
                groups[classes, len(support.windows)].append((gathered, time.perf_counter() - begin))
        for kind in list(groups):
            yield from _fit_and_judge(groups.pop(kind), folder, tell_of)


def _fit_and_judge(members: list[_Member], folder: Path, tell_of: TellOf) -> Iterator[tuple[Job, Outcome | Exception]]:
    """Members with as many classes and windows each; they are taken from the list and let go of one by one."""
    jobs = [gathered.job for gathered, _ in members]
    supports = [gathered.support for gathered, _ in members]
    each = [tell_of(job.key, len(jobs)) for job in jobs]
    begin, shared = time.perf_counter(), method(jobs[0].method, jobs[0].recipe)
    if not isinstance(shared, DualResMethod):
        raise ConfigError(f"method {jobs[0].method!r} fits one support at a time; do its jobs one by one")
    fits = shared.fit_together(
        [support.windows for support in supports],
        [support.labels for support in supports],
        len(members[0][0].fold.classes),
        seeds=[job.seed for job in jobs],
        device=jobs[0].device,
        progress=steps_told(partial(_tell_all, each), "fit"),
    )
    share_s = (time.perf_counter() - begin) / len(jobs)
    supports.clear()
    for job in jobs:
        (gathered, alone_s), fitted = members.pop(0), fits.pop(0)
        since = time.perf_counter() - alone_s - share_s
        try:
            yield job, judge(gathered, fitted, folder, since, tell_of(job.key, 1), together=len(jobs))
        except Exception as error:
            yield job, error


def _tell_all(each: Sequence[Progress], stage: str, done: int, total: int, remark: str) -> None:
    for tell in each:
        tell(stage, done, total, remark)
