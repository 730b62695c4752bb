"""Jobs on this machine: worker processes, each of which does one job after another.

A worker gets plans through a pipe and answers with events. What befalls it (a crash, lack of memory, a signal) befalls
one job, and another worker takes its place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from queue import SimpleQueue
from signal import Signals
from typing import Any

import torch

from dualres.benchmark.executors import Advance, Event, Failed, Finished, Lost
from dualres.benchmark.job import Job, read_job
from dualres.benchmark.work import do
from dualres.errors import DualResError
from dualres.runtime import keep_freed_memory

PAUSE_S = 0.25  # between two reports of progress
END_S = 5.0  # for a worker whose pipe is closed to be gone
PACKAGE = Path(__file__).parents[1]

_SERVE = "import sys; from dualres.benchmark.local import serve; serve(*sys.argv[1:])"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


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


class _Worker:
    """A running worker, seen from outside."""

    def __init__(self, threads: int, stores: Path, folder: Path) -> None:
        self.threads = threads
        self.job: Job | None = None
        self.pipe, other_end = Pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        descriptor = other_end.fileno()
        # Modules are found where this one was found, and never in the working directory (-P).
        search = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        settings = dict.fromkeys(_THREADS, str(threads)) | {"PYTHONPATH": os.pathsep.join(search)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE, str(descriptor), str(stores), str(folder)],
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=os.environ | settings,
            start_new_session=True,  # an interrupt from the keyboard is for the coordinator
        )
        other_end.close()

    def begin(self, job: Job) -> None:
        self.job = job
        with suppress(OSError):  # if it is dead, waiting for it will tell
            self.pipe.send(job.plan())

    def last_words(self) -> str:
        """Why the process is gone."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        status = self._process.returncode
        if status is not None and status < 0:
            return f"its worker process was ended by {Signals(-status).name}; if memory is short, use fewer jobs"
        self._errors.seek(0)
        printed = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"its worker process ended with status {status}{': ' + printed[-1] if printed else ''}"

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self.pipe.close()
        self._errors.close()


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
    try:
        return Finished(job.key, do(job, stores, folder, _Messenger(job.key, pipe))), True
    except DualResError as error:
        return Failed(job.key, failure(error)), True
    except (MemoryError, torch.cuda.OutOfMemoryError) as error:
        return Lost(job.key, f"not enough memory beside the other jobs; {failure(error)}"), False
    except Exception as error:
        return Failed(job.key, failure(error)), False


class _Messenger:
    """Reports progress, but not every step of it."""

    def __init__(self, key: str, pipe: Connection) -> None:
        self._key, self._pipe = key, pipe
        self._stage, self._sent = "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._sent >= PAUSE_S:
            self._stage, self._sent = stage, now
            self._pipe.send((Advance(self._key, stage, done, total), True))


def failure(error: BaseException) -> str:
    """Why a job failed, in one line: an error meant for the user as it is, any other with its kind and place."""
    text = " ".join(str(error).split())
    if isinstance(error, DualResError):
        return text
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(PACKAGE)]
    place = f" ({Path(frames[-1].filename).relative_to(PACKAGE)}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}"
