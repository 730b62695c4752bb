"""Jobs on this machine: worker processes, each of which does one job after another.

A worker gets plans through a pipe and answers with events. What befalls it (a crash, lack of memory, a signal) befalls
one job, and another worker takes its place.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import torch

from dualres.benchmark.child import Child, Sparing, failure
from dualres.benchmark.executors import Advance, Event, Failed, Finished, Lost
from dualres.benchmark.job import Job, read_job
from dualres.benchmark.work import do
from dualres.errors import DualResError
from dualres.runtime import keep_freed_memory

_SERVE = "import sys; from dualres.benchmark.local import serve; serve(*sys.argv[1:])"


class LocalExecutor:
    """Up to `jobs` worker processes; one is started when a job needs it."""

    def __init__(self, jobs: int, stores: Path, folder: Path) -> None:
        self._jobs, self._stores, self._folder = jobs, stores, folder
        self._workers: list[_Worker] = []

    @property
    def slots(self) -> int:
        return self._jobs

    def start(self, job: Job) -> None:
        self._free_worker(job.threads).begin(job)

    def wait(self, seconds: float) -> list[Event]:
        ready = wait([worker.pipe for worker in self._workers], seconds)
        return [event for w in list(self._workers) if w.pipe in ready for event in self._hear(w)]

    def close(self) -> None:
        for worker in list(self._workers):
            self._drop(worker)

    def _free_worker(self, threads: int) -> _Worker:
        """One without a job; libraries settle their number of threads when they start, so it must have been theirs."""
        free = [worker for worker in self._workers if worker.job is None]
        for worker in free:
            if worker.threads == threads:
                return worker
        if free and len(self._workers) >= self._jobs:
            self._drop(free[0])
        worker = _Worker(threads, self._stores, self._folder)
        self._workers.append(worker)
        return worker

    def _hear(self, worker: _Worker) -> list[Event]:
        events: list[Event] = []
        try:
            while worker.pipe.poll():
                event, goes_on = worker.pipe.recv()
                events.append(event)
                if not isinstance(event, Advance):
                    worker.job = None
                if not goes_on:
                    self._drop(worker)
                    break
        except (EOFError, OSError):
            if worker.job:
                events.append(Lost(worker.job.key, worker.last_words()))
            self._drop(worker)
        return events

    def _drop(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()


class _Worker(Child):
    """A running worker, seen from outside."""

    remedy = "use fewer jobs"

    def __init__(self, threads: int, stores: Path, folder: Path) -> None:
        super().__init__(_SERVE, [str(stores), str(folder)], threads)
        self.job: Job | None = None

    def begin(self, job: Job) -> None:
        self.job = job
        with suppress(OSError):  # if it is dead, waiting for it will tell
            self.pipe.send(job.plan())


def serve(descriptor: str, stores: str, folder: str) -> None:
    """What a worker process does, until the other end of its pipe is closed."""
    pipe = Connection(int(descriptor))
    plans: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, plans), daemon=True).start()
    keep_freed_memory()
    goes_on = True
    while goes_on:
        job = read_job(plans.get())
        event, goes_on = _answer(job, Path(stores), Path(folder), pipe)
        pipe.send((event, goes_on))


def _listen(pipe: Connection, plans: SimpleQueue[dict[str, Any]]) -> None:
    """Take plans in. The pipe ends when the coordinator does, however it died; no fit goes on without one."""
    try:
        while True:
            plans.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)


def _answer(job: Job, stores: Path, folder: Path, pipe: Connection) -> tuple[Event, bool]:
    """How the job ended, and whether this process is fit for another: after an unforeseen error it may not be."""
    tell = Sparing(lambda stage, done, total: pipe.send((Advance(job.key, stage, done, total), True)))
    try:
        return Finished(job.key, do(job, stores, folder, tell)), True
    except DualResError as error:
        return Failed(job.key, failure(error)), True
    except (MemoryError, torch.cuda.OutOfMemoryError) as error:
        return Lost(job.key, f"not enough memory beside the other jobs; {failure(error)}"), False
    except Exception as error:
        return Failed(job.key, failure(error)), False
