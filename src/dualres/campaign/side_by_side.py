"""Doing jobs of several methods on one GPU: fits go on side by side, and each is judged as soon as it is over."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from dualres.campaign.job import Job
from dualres.campaign.ledger import Outcome
from dualres.campaign.together import TellOf, but_for_updates, by_recipe, learner_of, tasks_of, tell_all
from dualres.campaign.work import Gathered, forget_peak, gather, judge
from dualres.errors import DualResError
from dualres.learn.history import Task, steps_told
from dualres.machinery.progress import Progress
from dualres.machinery.side_by_side import Ended, SideBySide
from dualres.methods import method
from dualres.methods.catalogue import entry
from dualres.methods.method import Fitted
from dualres.methods.neural import FittedNeural, Learned, NeuralMethod

End = tuple[Job, Outcome | Exception]


def goes_side_by_side(job: Job) -> bool:
    """Whether it is a job of a network on a GPU, other than those of which several are one fit there."""
    if not job.device.startswith("cuda") or entry(job.method).fits_together:
        return False
    return isinstance(method(job.method, job.recipe), NeuralMethod)


def do_side_by_side(jobs: Sequence[Job], stores: Path, folder: Path, tell_of: TellOf) -> Iterator[End]:
    """Jobs with as many threads each, done as by `work.do` and given back as soon as they are over.

    An error that is meant for a user is given back with the job that it befell. Any other may be the fault of a job
    beside: it is raised, but not before all are over that it did not befall.
    """
    with threadpool_limits(jobs[0].threads):
        torch.set_num_threads(jobs[0].threads)
        forget_peak()
        unforeseen = []
        for job, end in _ends(jobs, stores, folder, tell_of):
            if isinstance(end, Exception) and not isinstance(end, DualResError):
                unforeseen.append(end)
            else:
                yield job, end
    if unforeseen:
        raise unforeseen[0]


def _ends(jobs: Sequence[Job], stores: Path, folder: Path, tell_of: TellOf) -> Iterator[End]:
    fits: SideBySide[Learned] = SideBySide(jobs[0].device)
    under_way: dict[str, _Fit] = {}
    for key, some in _sharing_a_fit(jobs).items():
        told = partial(tell_all, [tell_of(job.key, len(jobs)) for job in some])
        try:
            fit = under_way[key] = _fit_of(some, stores, folder / "cache", told)
        except Exception as error:
            yield from ((job, error) for job in some)
        else:
            for axis, task in enumerate(fit.tasks):
                fits.begin((key, axis), task.seed, partial(fit.learner.learning, task))
            fits.feed()
    for ended in fits.ended():
        key, axis = ended.name
        if key not in under_way:  # another of its axes has failed
            continue
        fit = under_way[key]
        try:
            fit.take(axis, ended)
        except Exception as error:
            yield from ((one.job, error) for one in under_way.pop(key).members)
        else:
            if fit.is_over:
                yield from _judged(under_way.pop(key), folder, tell_of, fits, len(jobs))


def _judged(fit: _Fit, folder: Path, tell_of: TellOf, others: SideBySide[Learned], together: int) -> Iterator[End]:
    """Each of the jobs that share a fit; the others' fits go on between two recordings."""

    def tell(told: Progress, stage: str, done: int, total: int, remark: str) -> None:
        told(stage, done, total, remark)
        others.feed()

    for one, fitted in fit.by_job():
        since = time.perf_counter() - fit.seconds / len(fit.members)
        try:
            yield one.job, judge(one, fitted, folder, since, partial(tell, tell_of(one.job.key, 1)), together)
        except Exception as error:
            yield one.job, error


@dataclass
class _Fit:
    """Of jobs that differ in their updates alone: one for each axis."""

    members: list[Gathered]
    learner: NeuralMethod
    tasks: list[Task]
    seconds: float  # that it has taken so far
    fitted: dict[int, list[FittedNeural]] = field(default_factory=dict)  # by axis

    def take(self, axis: int, ended: Ended[Learned]) -> None:
        self.fitted[axis] = self.learner.fitted(self.tasks[axis], ended)
        self.seconds += ended.spent.seconds

    @property
    def is_over(self) -> bool:
        return len(self.fitted) == len(self.tasks)

    def by_job(self) -> Iterator[tuple[Gathered, Fitted]]:
        found = by_recipe([self.fitted[axis] for axis in range(len(self.tasks))])
        for one in self.members:
            yield one, found[one.job.recipe]


def _fit_of(jobs: Sequence[Job], stores: Path, cache: Path, tell: Progress) -> _Fit:
    begin = time.perf_counter()
    learner, stages = learner_of(jobs)
    members = [gather(job, stores, cache) for job in jobs]
    tasks = tasks_of(members[0], stages, steps_told(tell, "fit", len(members[0].support.axes)))
    return _Fit(members, learner, tasks, time.perf_counter() - begin)


def _sharing_a_fit(jobs: Sequence[Job]) -> dict[str, list[Job]]:
    """Jobs that differ in their updates alone, the longest first: nothing is left then that others wait for."""
    found: dict[str, list[Job]] = defaultdict(list)
    for job in sorted(jobs, key=_nominal_ms, reverse=True):
        found[but_for_updates(job).key].append(job)
    return found


def _nominal_ms(job: Job) -> float:
    """Of its fit, for each class."""
    updates = job.recipe.updates if job.recipe else 1
    return updates * job.budget.recordings * job.budget.windows * entry(job.method).nominal_ms[0]
