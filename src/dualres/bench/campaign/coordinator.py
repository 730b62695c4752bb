"""Running a campaign: a job enters the ledger the moment it is finished, so a kill costs only what was in flight."""

import fcntl
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dualres.bench.campaign.executors import START, Executor, ExecutorEvent, JobAdvance, JobFailure, JobSuccess
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.ledger import Ledger, LedgerError
from dualres.bench.campaign.times import times_in

RETRIES = 3  # of a job whose worker was lost
LONGEST_WAIT_S = 1.0  # without a report


@dataclass(frozen=True)
class JobResult:
    job: Job
    seconds: float
    reason: str | None = None  # why it failed


@dataclass(frozen=True)
class Running:
    """A job that was begun: "fit" or "judge", `done` of `total` steps; no stage yet while its worker starts."""

    job: Job
    since: float  # by time.monotonic
    stage: str = START
    stage_since: float = 0.0
    done: int = 0
    total: int = 0
    sharing: int = 1  # jobs that their worker does at once, this one included

    def rest_s(self, whole_s: float, now: float) -> float:
        """Seconds of a worker that it still takes, if it takes `whole_s` in all; but its stage goes on at the pace it
        has. Jobs done at once take an even share each."""
        by_pace = (now - self.stage_since) * (self.total - self.done) / self.done if self.done else 0.0
        return max(0.0, whole_s - (now - self.since) / self.sharing, by_pace / self.sharing)


@dataclass(frozen=True)
class RunSummary:
    """What came of a run, in the end or so far."""

    total: int  # jobs that were asked for
    known: int  # of them in the ledger before
    ended: Sequence[JobResult] = ()

    @property
    def finished(self) -> list[JobResult]:
        return [e for e in self.ended if e.reason is None]

    @property
    def failed(self) -> list[JobResult]:
        return [e for e in self.ended if e.reason is not None]

    @property
    def left(self) -> int:
        """Neither finished nor failed."""
        return self.total - self.known - len(self.ended)


@dataclass(frozen=True)
class RunState:
    so_far: RunSummary
    running: Sequence[Running]
    seconds_left: float | None  # None while that is unknown


def run(
    jobs: Iterable[Job], ledger: Ledger, executor: Executor, report: Callable[[RunState], None] | None = None
) -> RunSummary:
    """Do what is missing, then close the executor; a job that fails is recorded, and the next run tries it again."""
    try:
        with sole_writer(ledger.path):
            campaign = _Campaign(jobs, ledger, executor)
            while True:
                campaign.hand_out_jobs()
                if report:
                    report(campaign.state())
                if not campaign.goes_on:
                    return campaign.summary()
                for event in executor.wait(LONGEST_WAIT_S):
                    campaign.handle(event)
    finally:
        executor.close()


@contextmanager
def sole_writer(ledger: Path) -> Iterator[None]:
    """Keep other writers out; the system lifts the lock when this process ends, however it does."""
    path = ledger.with_name(ledger.name + ".lock")
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(path.open("a"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            remedy = "wait for that one, or work in another folder (--dir)"
            raise LedgerError(f"{ledger}: another run is writing to it; {remedy}") from None
        except OSError as error:
            raise LedgerError(f"{path}: cannot be locked ({error.strerror}); work on a local disk (--dir)") from error
        yield


class _Campaign:
    """The jobs of one run: waiting, handed to the executor and not begun, running, over."""

    def __init__(self, jobs: Iterable[Job], ledger: Ledger, executor: Executor) -> None:
        self._ledger, self._executor = ledger, executor
        wanted, there = {job.key: job for job in jobs}, ledger.keys()
        missing = [job for key, job in wanted.items() if key not in there]
        self._total, self._known = len(wanted), len(wanted) - len(missing)
        self._waiting = deque(missing)
        self._handed: dict[str, Job] = {}
        self._running: dict[str, Running] = {}
        self._ended: list[JobResult] = []
        self._losses: Counter[str] = Counter()
        self._times = times_in(ledger)
        self._estimate_waiting()

    @property
    def goes_on(self) -> bool:
        return bool(self._waiting or self._handed or self._running)

    def hand_out_jobs(self) -> None:
        while self._waiting and len(self._handed) + len(self._running) < self._executor.slots:
            job = self._waiting[0]
            self._executor.start(job)
            self._handed[job.key] = self._waiting.popleft()

    def handle(self, event: ExecutorEvent) -> None:
        if event.key in self._handed:
            self._running[event.key] = Running(self._handed.pop(event.key), time.monotonic())
            self._estimate_waiting()
        if (running := self._running.get(event.key)) is None:
            return
        if isinstance(event, JobAdvance):
            since = running.stage_since if event.stage == running.stage else time.monotonic()
            at = event.stage, since, event.done, event.total, event.sharing
            self._running[event.key] = Running(running.job, running.since, *at)
            return
        job, seconds = running.job, time.monotonic() - running.since
        if isinstance(event, JobSuccess):
            self._ledger.record(job, event.outcome)
            self._times.learn(job, float(event.outcome.facts["wall_s"]))
            self._ended.append(JobResult(job, seconds))
        elif isinstance(event, JobFailure):
            self._give_up(job, seconds, event.reason)
        elif self._losses[event.key] < RETRIES:
            self._losses[event.key] += 1
            self._waiting.append(job)  # last, as what was too much beside others may then run beside fewer
        else:
            self._give_up(job, seconds, f"tried {RETRIES + 1} times, and the last time {event.reason}")
        del self._running[event.key]
        self._estimate_waiting()

    def summary(self) -> RunSummary:
        return RunSummary(self._total, self._known, tuple(self._ended))

    def state(self) -> RunState:
        return RunState(self.summary(), tuple(self._running.values()), self._seconds_left())

    def _estimate_waiting(self) -> None:
        self._waiting_time = self._times.total((*self._handed.values(), *self._waiting))

    def _give_up(self, job: Job, seconds: float, reason: str) -> None:
        self._ledger.fail(job, reason)
        self._ended.append(JobResult(job, seconds, reason))

    def _seconds_left(self) -> float | None:
        """All that is left, shared by the workers; at least what takes longest of what is running. None if all that is
        left is jobs that should have ended by now."""
        now, waiting, running = time.monotonic(), self._waiting_time, self._running.values()
        wholes = [whole for each in running if (whole := self._times.seconds(each.job)) is not None]
        if waiting.unknown or len(wholes) < len(running):
            return None
        rests = [each.rest_s(whole, now) for each, whole in zip(running, wholes, strict=True)]
        longest = max((rest * each.sharing for each, rest in zip(running, rests, strict=True)), default=0.0)
        seconds = max((sum(rests) + waiting.seconds) / max(1, self._executor.workers), longest)
        return seconds if seconds or not self.goes_on else None
