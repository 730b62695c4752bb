"""The coordinator's logic, with an executor that only pretends."""

import subprocess
import sys
from collections import deque
from itertools import groupby
from types import SimpleNamespace

import pytest

from dualres.bench.campaign import coordinator as run_module
from dualres.bench.campaign.coordinator import RETRIES, Running, run, sole_writer
from dualres.bench.campaign.executors import JobAdvance, JobFailure, JobLoss, JobSuccess, begun
from dualres.bench.campaign.ledger import Ledger, LedgerError
from dualres.bench.campaign.studies import jobs, study
from tests.bench.campaign.synthetic import synthetic_outcome

JOBS = jobs(study("pilot"), ["simulated"], seeds=[1, 2, 3], methods=["dualres"])


class Pretended:
    """An executor that answers each job with the next event its script has for it, finishing it when there is none.

    Each of its workers does one job after the other.
    """

    def __init__(self, script=None, slots=2, workers=None):
        self.slots, self.workers = slots, workers or slots
        self.script = {key: deque(events) for key, events in (script or {}).items()}
        self.started, self.flying, self.begun, self.most, self.closed = [], {}, set(), 0, False

    def start(self, job):
        assert job.key not in self.flying
        self.started.append(job)
        self.flying[job.key] = job
        self.most = max(self.most, len(self.flying))

    def wait(self, seconds):
        if new := [key for key in list(self.flying)[: self.workers] if key not in self.begun]:
            self.begun.update(new)
            return [begun(key) for key in new]
        key, job = next(iter(self.flying.items()))
        event = self.script[key].popleft() if self.script.get(key) else JobSuccess(key, synthetic_outcome(job))
        if isinstance(event, BaseException):
            raise event
        if not isinstance(event, JobAdvance):
            del self.flying[key]
            self.begun.discard(key)
        return [event]

    def close(self):
        self.closed = True


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


def test_it_does_what_is_missing_and_nothing_else(ledger):
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))
    executor = Pretended(slots=3)
    summary = run([*JOBS, JOBS[1]], ledger, executor)
    assert executor.most == 3
    assert executor.started == JOBS[1:]
    assert ledger.jobs() == {job.key: job for job in JOBS}
    assert (summary.total, summary.known, len(summary.finished), summary.left) == (6, 1, 5, 0)
    assert executor.closed
    again = Pretended()
    assert run(JOBS, ledger, again).known == 6
    assert not again.started


def test_a_failed_job_is_recorded_and_tried_again_by_the_next_run(ledger):
    bad = JOBS[2]
    summary = run(JOBS, ledger, Pretended({bad.key: [JobFailure(bad.key, "no such thing")]}))
    assert ledger.failures() == {bad.key: (bad, "no such thing")}
    assert len(ledger.keys()) == 5
    assert [(e.job, e.reason) for e in summary.failed] == [(bad, "no such thing")]
    executor = Pretended()
    run(JOBS, ledger, executor)
    assert executor.started == [bad]
    assert not ledger.failures()
    assert len(ledger.keys()) == 6


def test_a_lost_job_is_tried_again_after_the_others(ledger):
    unlucky = JOBS[0]
    executor = Pretended({unlucky.key: [JobLoss(unlucky.key, "gone")] * RETRIES})
    summary = run(JOBS, ledger, executor)
    assert executor.started.count(unlucky) == RETRIES + 1
    assert executor.started.index(JOBS[-1]) < len(executor.started) - 1
    assert not summary.failed
    assert unlucky.key in ledger.keys()  # noqa: SIM118 - not a mapping


def test_a_job_that_is_always_lost_is_given_up(ledger):
    unlucky = JOBS[0]
    executor = Pretended({unlucky.key: [JobLoss(unlucky.key, "its worker died")] * (RETRIES + 1)})
    summary = run(JOBS, ledger, executor)
    assert len(summary.finished) == 5
    _, reason = ledger.failures()[unlucky.key]
    assert reason == "tried 4 times, and the last time its worker died"


def test_an_interrupt_closes_the_executor_and_keeps_what_is_finished(ledger):
    executor = Pretended({JOBS[2].key: [KeyboardInterrupt()]})
    with pytest.raises(KeyboardInterrupt):
        run(JOBS, ledger, executor)
    assert executor.closed
    assert ledger.keys() == {job.key for job in JOBS[:2]}
    run(JOBS, ledger, Pretended())
    assert len(ledger.keys()) == 6


def test_reports_tell_stage_progress_and_the_end(ledger):
    first = JOBS[0]
    states = []
    run(JOBS, ledger, Pretended({first.key: [JobAdvance(first.key, "fit", 7, 300)]}), states.append)
    assert not states[0].running
    assert [r.stage for r in states[1].running] == ["start", "start"]
    (running,) = [r for r in states[2].running if r.job == first]
    assert (running.stage, running.done, running.total) == ("fit", 7, 300)
    assert [left for left, _ in groupby(s.so_far.left for s in states)] == [6, 5, 4, 3, 2, 1, 0]
    assert not states[-1].running
    assert states[-1].seconds_left == 0


def test_time_left_is_shared_by_the_workers_and_follows_finished_jobs(ledger):
    states = []
    run(JOBS, ledger, Pretended(slots=4, workers=2), states.append)
    # Each outcome says that its job took 15 s; after one of six, five are left for two workers.
    after_one = next(s for s in states if s.so_far.left == 5)
    assert after_one.seconds_left == pytest.approx(5 * 15 / 2, abs=1)
    assert states[-2].seconds_left == pytest.approx(15, abs=1)


def test_a_job_slower_than_expected_is_judged_by_its_pace():
    running = Running(JOBS[0], since=0.0, stage="fit", stage_since=10.0, done=6, total=30)
    assert running.rest_s(whole_s=100.0, now=16.0) == 84.0
    assert running.rest_s(whole_s=12.0, now=16.0) == 24.0  # a second for each of 24 updates
    assert Running(JOBS[0], since=0.0).rest_s(12.0, 16.0) == 0.0
    shared = Running(JOBS[0], since=0.0, stage="fit", stage_since=4.0, done=6, total=30, sharing=4)
    assert shared.rest_s(whole_s=100.0, now=16.0) == 96.0
    assert shared.rest_s(whole_s=12.0, now=16.0) == 12.0  # two seconds for each of 24 updates, and four share them


@pytest.fixture
def clock(monkeypatch):
    """The coordinator's, set by hand."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(run_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_a_job_that_waits_in_the_executor_is_not_running(ledger, clock):
    class Slow(Pretended):
        def wait(self, seconds):
            clock.now += 15
            return super().wait(seconds)

    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))  # took 15 s
    states = []
    summary = run(JOBS, ledger, Slow(slots=4, workers=1), states.append)
    assert max(len(s.running) for s in states) == 1
    assert [ended.seconds for ended in summary.ended] == [15] * 5
    assert states[1].seconds_left == 5 * 15


def test_what_is_left_of_jobs_done_at_once_is_counted_once(ledger, clock):
    ledger.record(JOBS[0], synthetic_outcome(JOBS[0]))  # took 15 s
    some = JOBS[1:]

    class AtOnce(Pretended):
        steps = iter([(0, "start", 0), (0, "fit", 10), (37.5, "fit", 155), (5, "judge", 1)])

        def wait(self, seconds):
            passed, stage, done = next(self.steps, (0, "", 0))
            clock.now += passed
            if not stage:
                return [JobSuccess(job.key, synthetic_outcome(job)) for job in some]
            sharing = 1 if stage == "judge" else 5
            return [JobAdvance(job.key, stage, done, 300, sharing) for job in some]

    states = []
    run(some, ledger, AtOnce(slots=5, workers=1), states.append)
    begun_, _, half = states[1:4]
    assert begun_.seconds_left == 5 * 15
    assert half.seconds_left == pytest.approx(5 * 15 / 2, rel=0.02)


def test_the_longest_that_is_done_at_once_is_waited_for(ledger, clock):
    first = JOBS[0]
    ledger.record(JOBS[1], synthetic_outcome(JOBS[1]))
    script = {first.key: [JobAdvance(first.key, "fit", 10, 300, 5)]}
    states = []
    run([first], ledger, Pretended(script, slots=5, workers=4), states.append)
    assert states[2].seconds_left == 5 * 15


def test_time_left_is_unknown_on_a_gpu_until_a_job_is_done(ledger):
    on_gpu = jobs(study("pilot"), ["simulated"], methods=["dualres"], device="cuda")
    states = []
    run(on_gpu, ledger, Pretended(slots=1), states.append)
    assert [s.seconds_left is None for s in states] == [s.so_far.left == 2 for s in states]


def test_an_event_of_a_job_that_is_not_in_flight_is_ignored(ledger):
    stray = JOBS[5]
    executor = Pretended({JOBS[0].key: [JobAdvance(stray.key, "fit", 1, 2)]})
    assert len(run(JOBS[:2], ledger, executor).finished) == 2


def test_a_second_coordinator_is_refused_until_the_first_is_gone(ledger):
    hold = (
        "import fcntl, sys, time\n"
        "with open(sys.argv[1] + '.lock', 'a') as lock:\n"
        "    fcntl.flock(lock, fcntl.LOCK_EX); print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", hold, ledger.path], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout.readline() == "held\n"
        executor = Pretended()
        with pytest.raises(LedgerError, match="another run is writing to it"):
            run(JOBS, ledger, executor)
        assert executor.closed
        assert not executor.started
        first.kill()
    with sole_writer(ledger.path):
        pass
