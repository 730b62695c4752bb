"""Jobs on this machine: worker processes, each of which does one job after another, or several of one shape together.

A worker gets plans through a pipe and answers with events. What befalls it (a crash, lack of memory, a signal) befalls
what it is doing, and another worker takes its place.
"""

import os
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path

import torch

from dualres.bench.campaign import executors
from dualres.bench.campaign.batched_jobs import batch_key, run_batch
from dualres.bench.campaign.executors import Executor, ExecutorEvent, JobAdvance, JobFailure, JobLoss, JobSuccess, begun
from dualres.bench.campaign.job import Job, read_job
from dualres.bench.campaign.ledger import Outcome
from dualres.bench.campaign.run_job import run_job
from dualres.bench.campaign.workers import Child, Sparing, failure, inbox
from dualres.errors import DualResError
from dualres.plugins import load_plugins
from dualres.utils.malloc import keep_freed_memory

_SERVE = "import sys; from dualres.bench.campaign.process_executor import serve; serve(*sys.argv[1:])"


def local_executor(stores: Path, folder: Path, *, jobs: int | None, threads: int, device: str) -> Executor:
    """By default as many processes as this machine's cores allow, on a GPU a few at most."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    by_cores = max(1, cores // threads)
    most = by_cores if device == "cpu" else min(by_cores, executors.JOBS_ON_A_GPU)
    return LocalExecutor(jobs or most, stores, folder, executors.FITS_TOGETHER)


class _Worker(Child):
    remedy = "use fewer jobs"

    def __init__(self, threads: int, stores: Path, folder: Path) -> None:
        super().__init__(_SERVE, [str(stores), str(folder)], threads)
        self.jobs: list[str] = []  # keys

    def begin(self, jobs: Sequence[Job]) -> None:
        self.jobs = [job.key for job in jobs]
        with suppress(OSError):  # if it is dead, waiting for it will tell
            self.pipe.send([job.plan() for job in jobs])


class LocalExecutor:
    """Up to `jobs` worker processes, each with up to `together` jobs of one shape; one is started when it is needed."""

    def __init__(self, jobs: int, stores: Path, folder: Path, together: int = 1) -> None:
        self.slots, self.workers = jobs * together, jobs
        self._stores, self._folder, self._together = stores, folder, together
        self._workers: list[_Worker] = []
        self._waiting: list[Job] = []
        self._begun: list[ExecutorEvent] = []  # not told yet
        self._lost: set[str] = set()  # keys of jobs that were lost here

    def start(self, job: Job) -> None:
        self._waiting.append(job)
        if self._together == 1:  # otherwise others of its shape may follow
            self._hand_out()

    def wait(self, seconds: float) -> list[ExecutorEvent]:
        self._hand_out()
        told, self._begun = self._begun, []
        ready = wait([worker.pipe for worker in self._workers], 0 if told else seconds)
        heard = [event for w in list(self._workers) if w.pipe in ready for event in self._hear(w)]
        self._lost |= {event.key for event in heard if isinstance(event, JobLoss)}
        return [*told, *heard]

    def _hand_out(self) -> None:
        while self._waiting and sum(bool(worker.jobs) for worker in self._workers) < self.workers:
            common = self._shape(self._waiting[0])
            some = [job for job in self._waiting if self._shape(job) == common][: self._together]
            self._waiting = [job for job in self._waiting if job not in some]
            self._free_worker(some[0].threads).begin(some)
            self._begun += [begun(job.key, len(some)) for job in some]

    def _shape(self, job: Job) -> Hashable:
        """A job that was lost is done alone afterwards: if it ends its worker, it drags no other along."""
        return job.key if job.key in self._lost else batch_key(job)

    def close(self) -> None:
        for worker in list(self._workers):
            self._drop(worker)

    def _free_worker(self, threads: int) -> _Worker:
        """One without a job; libraries settle their number of threads when they start, so it must have been theirs."""
        free = [worker for worker in self._workers if not worker.jobs]
        if fit := [worker for worker in free if worker.threads == threads]:
            return fit[0]
        if free and len(self._workers) >= self.workers:
            self._drop(free[0])
        worker = _Worker(threads, self._stores, self._folder)
        self._workers.append(worker)
        return worker

    def _hear(self, worker: _Worker) -> list[ExecutorEvent]:
        events: list[ExecutorEvent] = []
        try:
            while worker.pipe.poll():
                event, goes_on = worker.pipe.recv()
                events.append(event)
                if not isinstance(event, JobAdvance):
                    worker.jobs.remove(event.key)
                if not goes_on:
                    reason = "its worker process ended with another job"
                    break
            else:
                return events
        except (EOFError, OSError):
            reason = worker.last_words() if worker.jobs else ""
        self._drop(worker)
        return [*events, *(JobLoss(key, reason) for key in worker.jobs)]

    def _drop(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()


def serve(descriptor: str, stores: str, folder: str) -> None:
    """What a worker process does, until the other end of its pipe is closed."""
    pipe = Connection(int(descriptor))
    plans = inbox(pipe)
    keep_freed_memory()
    load_plugins()
    goes_on = True
    while goes_on:
        jobs = [read_job(plan) for plan in plans.get()]
        for event, goes_on in _run_all(jobs, Path(stores), Path(folder), pipe):
            pipe.send((event, goes_on))


def _run_all(jobs: Sequence[Job], stores: Path, folder: Path, pipe: Connection) -> Iterator[tuple[ExecutorEvent, bool]]:
    """How each job ended, and whether this process is fit for more; if it is not, there are no answers for the rest."""

    @cache
    def tell(key: str, sharing: int) -> Sparing:
        return Sparing(lambda stage, done, total, _: pipe.send((JobAdvance(key, stage, done, total, sharing), True)))

    if len(jobs) == 1:
        (job,) = jobs
        try:
            yield _event(job.key, run_job(job, stores, folder, tell(job.key, 1)))
        except Exception as error:
            yield _event(job.key, error)
        return
    left = [job.key for job in jobs]
    try:
        for job, end in run_batch(jobs, stores, folder, tell):
            left.remove(job.key)
            event, goes_on = _event(job.key, end)
            yield event, goes_on
            if not goes_on:
                return
    except Exception as error:
        unharmed = isinstance(error, DualResError)
        for key in left:
            yield JobLoss(key, f"together with other jobs it failed; {failure(error)}"), unharmed or key != left[-1]


def _event(key: str, end: Outcome | Exception) -> tuple[ExecutorEvent, bool]:
    """How a job ended, and whether this process is fit for another: after an unforeseen error it may not be."""
    if isinstance(end, Outcome):
        return JobSuccess(key, end), True
    if isinstance(end, MemoryError | torch.cuda.OutOfMemoryError):
        return JobLoss(key, f"not enough memory beside the other jobs; {failure(end)}"), False
    return JobFailure(key, failure(end)), isinstance(end, DualResError)
