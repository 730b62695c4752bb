"""Worker processes on this machine, with small real jobs on the rig."""

import os
import time
from dataclasses import replace

import pytest

from dualres.bench.campaign import process_executor as local
from dualres.bench.campaign.executors import (
    FITS_TOGETHER,
    JOBS_ON_A_GPU,
    JobAdvance,
    JobFailure,
    JobLoss,
    JobSuccess,
    begun,
)
from dualres.bench.campaign.process_executor import LocalExecutor, _run_all
from dualres.bench.campaign.run_job import run_job
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.campaign.workers import PAUSE_S, failure
from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.learn.fold import Budget

PLANNED = jobs(study("optimisation"), ["simulated"], methods=["itransformer"])[0]
SMALL = replace(PLANNED, budget=Budget(1, 1), recipe=Recipe(updates=2), most_judged=2)
ENDLESS = replace(SMALL, recipe=Recipe(updates=100_000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def executor(folder):
    executor = LocalExecutor(1, folder / "stores", folder)
    yield executor
    executor.close()


def pid_of(executor):
    (worker,) = executor._workers
    return worker._process.pid


def events_of(executor, job):
    """All events of one job, to its end."""
    executor.start(job)
    events = []
    deadline = time.monotonic() + 60
    while not events or isinstance(events[-1], JobAdvance):
        assert time.monotonic() < deadline
        events += executor.wait(1.0)
    assert {event.key for event in events} == {job.key}
    return events


def last_event(executor, job):
    return events_of(executor, job)[-1]


def test_a_worker_finds_what_the_process_itself_finds(executor, folder, tmp_path):
    *progress, end = events_of(executor, SMALL)
    assert isinstance(end, JobSuccess)
    assert progress[0] == begun(SMALL.key)
    assert {event.stage for event in progress[1:]} == {"fit", "judge"}
    here = run_job(SMALL, folder / "stores", tmp_path)
    for part in ("classes", "recordings", "truth", "windows", "scores", "history"):
        assert getattr(end.outcome, part) == getattr(here, part)
    for fact in ("support", "inputs", "labelled_s"):
        assert end.outcome.facts[fact] == here.facts[fact]
    assert end.outcome.facts["machine"]["threads"] == 1
    assert (folder / "models" / f"{SMALL.key}.safetensors").exists()


def test_a_mistake_of_the_user_fails_with_its_own_sentence_and_the_worker_goes_on(executor):
    before = pid_of(executor)
    event = last_event(executor, replace(SMALL, method="nonsense"))
    assert isinstance(event, JobFailure)
    assert event.reason.startswith("method 'nonsense' is not known; there are dualres")
    assert pid_of(executor) == before


def test_a_worker_is_out_of_reach_of_the_keyboard(executor):
    assert os.getsid(pid_of(executor)) != os.getsid(0)


def test_an_unforeseen_error_fails_with_kind_and_place_and_a_new_worker_comes(executor):
    event = last_event(executor, replace(SMALL, device="nonsense"))
    assert isinstance(event, JobFailure)
    assert event.reason.startswith("RuntimeError: ")
    assert "(bench/methods/neural.py, line " in event.reason
    assert not executor._workers


@pytest.mark.subprocess
def test_a_killed_worker_loses_its_job_and_is_replaced(executor):
    executor.start(ENDLESS)
    assert executor.wait(60) == [begun(ENDLESS.key)]
    events = executor.wait(60)
    assert events[0].stage == "fit"
    begin = time.monotonic()
    while time.monotonic() < begin + 1:
        events += executor.wait(0.1)
    assert 2 <= len(events) <= 3 + (time.monotonic() - begin) / PAUSE_S
    first = pid_of(executor)
    os.kill(first, 9)
    (lost,) = [event for event in executor.wait(60) if not isinstance(event, JobAdvance)]
    assert lost.key == ENDLESS.key
    assert isinstance(lost, JobLoss)
    assert "ended by SIGKILL" in lost.reason
    executor.start(ENDLESS)
    second = pid_of(executor)
    assert second != first
    executor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)


@pytest.mark.subprocess
def test_a_job_is_begun_when_a_worker_takes_it(folder):
    executor = LocalExecutor(1, folder / "stores", folder, together=2)
    other = replace(SMALL, seed=42)
    for job in (SMALL, other):
        executor.start(job)
    events, deadline = [], time.monotonic() + 60
    while len([event for event in events if isinstance(event, JobSuccess)]) < 2:
        assert time.monotonic() < deadline
        events += executor.wait(1.0)
    executor.close()
    first = [event.key for event in events].index(other.key)
    assert {event.key for event in events[:first]} == {SMALL.key}
    assert isinstance(events[first - 1], JobSuccess)
    assert events[first] == begun(other.key)


def test_a_worker_that_cannot_start_says_why(folder, monkeypatch):
    monkeypatch.setattr("dualres.bench.campaign.process_executor._SERVE", "raise ImportError('no torch here')")
    executor = LocalExecutor(1, folder, folder)
    event = last_event(executor, SMALL)
    assert event == JobLoss(SMALL.key, "its worker process ended with status 1: ImportError: no torch here")
    executor.close()


def test_the_number_of_threads_belongs_to_a_worker(folder, monkeypatch):
    answer = "import sys, os; sys.exit('threads ' + os.environ['OMP_NUM_THREADS'])"
    monkeypatch.setattr("dualres.bench.campaign.process_executor._SERVE", answer)
    executor = LocalExecutor(1, folder, folder)
    for threads in (1, 3):
        event = last_event(executor, replace(SMALL, threads=threads))
        assert event.reason.endswith(f"status 1: threads {threads}")
    executor.close()


def test_a_job_for_which_memory_is_too_short_may_be_tried_again(folder, monkeypatch):
    def greedy(*_):
        raise MemoryError("1 TiB")

    monkeypatch.setattr("dualres.bench.campaign.process_executor.run_job", greedy)
    ((event, goes_on),) = _run_all([SMALL], folder, folder, None)
    assert isinstance(event, JobLoss)
    assert event.reason.startswith("not enough memory beside the other jobs; MemoryError: 1 TiB")
    assert not goes_on


def test_a_failure_is_one_line():
    assert failure(ConfigError("this\nwill  not do")) == "this will not do"
    assert failure(KeyError("x")) == "KeyError: 'x'"


@pytest.mark.parametrize(
    ("jobs", "threads", "device", "workers"),
    [(None, 4, "cpu", 4), (3, 4, "cpu", 3), (None, 32, "cpu", 1), (None, 1, "cuda", JOBS_ON_A_GPU)],
)
def test_cores_decide_how_many_workers_there_are_and_a_gpu_takes_few(
    tmp_path, monkeypatch, jobs, threads, device, workers
):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: range(16))
    executor = local.local_executor(tmp_path, tmp_path, jobs=jobs, threads=threads, device=device)
    assert (executor.workers, executor.slots) == (workers, workers * FITS_TOGETHER)
