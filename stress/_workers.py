"""Tries in processes of their own: a file that crashes or hangs its reader costs one process and is a failure."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory

FAILED = "failed"
PATIENCE = 4  # a try is ended when it takes so many times what it may take
LONGEST_PROBLEM = 300  # letters of an exception

Attempt = Callable[[int], str | tuple[str, Mapping[str, float]]]  # the try of a seed


@dataclass(frozen=True)
class Attack:
    """One row of the table. `prepared` gets an empty folder and gives what does the try of a seed.

    A try returns how it ended, in a word or two, and raises where something is wrong. It may add numbers by their
    names, of which the largest are kept. Every process prepares anew.
    """

    name: str
    title: str  # what is tried, for readers
    prepared: Callable[[Path], AbstractContextManager[Attempt]]
    libraries: tuple[str, ...] = ()  # without these it is skipped
    longest_s: float = 60.0
    most_mb: float = float("inf")  # of the process
    each: int = 1  # what a seed counts for, such as the kills of a storm
    programs: tuple[str, ...] = ()  # without these it is skipped, too

    @property
    def missing(self) -> list[str]:
        libraries = [library for library in self.libraries if not find_spec(library)]
        return libraries + [program for program in self.programs if not shutil.which(program)]


@dataclass(frozen=True)
class Tried:
    seed: int
    how: str
    seconds: float
    peak_mb: float
    problem: str = ""
    most: Mapping[str, float] = field(default_factory=dict)


def done(attack: Attack, seeds: Iterable[int], workers: int, end: float) -> Iterator[Tried]:
    """The tries of these seeds, in the order in which they end; none begins after `end`, a time.monotonic()."""
    waiting = deque(seeds)
    with scratch() as folder, contextlib.ExitStack() as stack:
        staff = [started(attack, folder, stack) for _ in range(min(workers, len(waiting)))]
        while staff:
            wait([worker.pipe for worker in staff], timeout=1.0)
            for worker in list(staff):
                if worker.busy():
                    worker.end_if_late(PATIENCE * attack.longest_s)
                    continue
                answer = worker.answer()
                more = waiting and time.monotonic() < end
                if more and worker.alive:
                    worker.give(waiting.popleft())
                else:
                    staff.remove(worker)
                    worker.dismiss()
                    if more:
                        staff.append(started(attack, folder, stack))
                if answer:
                    yield answer


@dataclass
class Worker:
    attack: Attack
    process: BaseProcess
    pipe: Connection
    seed: int | None = None  # None: still preparing
    since: float = 0.0
    alive: bool = True

    def busy(self) -> bool:
        return not self.pipe.poll() and self.process.is_alive()

    def answer(self) -> Tried | None:
        """How its try ended, or its life; None when it has prepared."""
        try:
            answer: Tried | None = self.pipe.recv() if self.pipe.poll() else self._death()
        except (EOFError, ConnectionResetError):
            answer = self._death()
        return answer

    def give(self, seed: int) -> None:
        self.seed, self.since = seed, time.monotonic()
        with contextlib.suppress(OSError):  # it died just now, and the next answer says so
            self.pipe.send(seed)

    def dismiss(self) -> None:
        self.pipe.close()  # which it takes as the end
        self.process.join()

    def end_if_late(self, seconds: float) -> None:
        if self.seed is not None and time.monotonic() - self.since > seconds:
            self.end()

    def end(self) -> None:
        """With all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()  # one that has only just begun leads no group yet

    def _death(self) -> Tried:
        self.alive = False
        self.process.join()
        if self.seed is None:
            sys.exit(f"{self.attack.name}: a process ended before its first try")
        took = time.monotonic() - self.since
        problem = f"the process ended with {self.process.exitcode} after {took:.1f} s"
        return Tried(self.seed, FAILED, took, 0.0, problem)


def started(attack: Attack, folder: Path, stack: contextlib.ExitStack) -> Worker:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers are the threads
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=work, args=(attack, folder, its))
    process.start()
    its.close()
    worker = Worker(attack, process, ours)
    stack.callback(process.join)
    stack.callback(worker.end)  # before the join; does nothing where it has ended
    return worker


def work(attack: Attack, folder: Path, pipe: Connection) -> None:
    """A worker's life: the seeds that come through the pipe, until it closes."""
    os.setpgid(0, 0)  # Ctrl-C is the parent's business, and what this starts ends with it
    with TemporaryDirectory(dir=folder) as own, attack.prepared(Path(own)) as attempt, contextlib.suppress(OSError):
        pipe.send(None)
        with contextlib.suppress(EOFError):
            while True:
                pipe.send(tried(attack, attempt, pipe.recv()))


def scratch() -> TemporaryDirectory[str]:
    """A folder in memory where there is one: thousands of small files are not worth a disk."""
    memory = Path("/dev/shm")
    return TemporaryDirectory(prefix="dualres-stress-", dir=memory if os.access(memory, os.W_OK) else None)


def tried(attack: Attack, attempt: Attempt, seed: int) -> Tried:
    before, began = peak_mb(), time.perf_counter()
    most: Mapping[str, float] = {}
    try:
        ended, problem = attempt(seed), ""
        how, most = ended if isinstance(ended, tuple) else (ended, most)
    except Exception as error:
        how, problem = FAILED, repr(error)[:LONGEST_PROBLEM]
    took, peak = time.perf_counter() - began, peak_mb()
    if took > attack.longest_s:
        how, problem = FAILED, problem or f"took {took:.1f} s"
    if peak > max(attack.most_mb, before):
        how, problem = FAILED, problem or f"took {peak:.0f} MB"
    return Tried(seed, how, took, peak, problem, most)


def peak_mb() -> float:
    """Most memory that this process or one of its children has held."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    try:  # getrusage would tell the parent's, if that was more when it started this process
        own = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
    except (OSError, IndexError):
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(own, children) / 1024
