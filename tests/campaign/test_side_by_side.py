"""Jobs of several methods with their fits side by side, here and by a worker: each ends as if it were alone."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.numpy import load_file

from dualres.campaign import local, side_by_side
from dualres.campaign.executors import Advance, Failed, Finished, Lost
from dualres.campaign.job import Job
from dualres.campaign.local import LocalExecutor, _answers
from dualres.campaign.side_by_side import do_side_by_side, goes_side_by_side
from dualres.campaign.work import do
from dualres.config import Recipe
from dualres.datasets.budget import Budget
from dualres.datasets.folds import load_fold
from dualres.errors import ConfigError
from dualres.machinery.progress import quiet
from dualres.machinery.side_by_side import SideBySide
from dualres.methods.neural import NeuralMethod

JOB = Job("simulated", "S1", load_fold("S1").hash, Budget(1, 1), "itransformer", Recipe(3), 41, most_judged=2)
OTHER_FOLD = replace(JOB, fold="S2", fold_hash=load_fold("S2").hash)
JOBS = (JOB, replace(JOB, method="crossformer"), replace(JOB, method="patchtst", seed=42), OTHER_FOLD)
SHORTER = replace(JOB, recipe=Recipe(2))
BROKEN = replace(JOB, fold_hash="0" * 64)
STORES = Path("stores")
PATIENCE_S = 60

# A worker that takes jobs on a CPU for jobs on a GPU.
SERVE = """
import sys
from dualres.campaign import local
local.goes_side_by_side = lambda job: True
local.serve(*sys.argv[1:])
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    return folder, {job.key: do(job, STORES, folder) for job in (*JOBS, SHORTER)}


def same(outcome, expected):
    return all(
        getattr(outcome, part) == getattr(expected, part) for part in ("recordings", "truth", "scores", "history")
    )


def deaf(key, sharing):
    return quiet


def answers(folder, *jobs):
    """What a worker answers, by key, in order."""
    silent = SimpleNamespace(send=lambda message: None)
    return {event.key: (event, goes_on) for event, goes_on in _answers(jobs, STORES, folder, silent)}


def test_each_job_ends_as_if_alone_and_one_that_cannot_be_done_hinders_no_other(alone, tmp_path):
    told, (folder, expected) = [], alone
    wanted = (*JOBS, BROKEN, SHORTER)
    ends = dict(do_side_by_side(wanted, STORES, tmp_path, lambda *of: lambda *stage: told.append((*of, *stage))))
    assert ends.keys() == set(wanted)
    assert isinstance(ends.pop(BROKEN), ConfigError)
    for job, end in ends.items():
        assert same(end, expected[job.key])
        assert len(end.history) == job.recipe.updates
        file = f"models/{job.key}.safetensors"
        arrays, others = load_file(tmp_path / file), load_file(folder / file)
        assert {name: a.tobytes() for name, a in arrays.items()} == {name: a.tobytes() for name, a in others.items()}
        assert end.facts["fitted_together"] == len(wanted)
        assert end.facts["wall_s"] > end.facts["judge_s"] > 0
        assert {(of, stage) for key, of, stage, *_ in told if key == job.key} == {(len(wanted), "fit"), (1, "judge")}


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_each_job_ends_as_if_alone(tmp_path):
    jobs = [replace(job, device="cuda") for job in (*JOBS, replace(JOB, method="medformer"), SHORTER)]
    ends = dict(do_side_by_side(jobs, STORES, tmp_path, deaf))
    for job in jobs:
        assert same(ends[job], do(job, STORES, tmp_path / "alone"))


def test_jobs_that_differ_in_their_updates_share_one_fit(tmp_path, monkeypatch):
    fits, learning = [], NeuralMethod.learning
    monkeypatch.setattr(NeuralMethod, "learning", lambda *given: fits.append(given) or learning(*given))
    ends = dict(do_side_by_side([JOB, SHORTER], STORES, tmp_path, deaf))
    assert [len(ends[job].history) for job in (JOB, SHORTER)] == [3, 2]
    assert len(fits) == 1


def test_the_longest_begin_first_and_fits_go_on_while_others_are_judged(tmp_path, monkeypatch):
    begun, fed, judging = [], [], []
    begin, feed, judge = SideBySide.begin, SideBySide.feed, side_by_side.judge
    monkeypatch.setattr(SideBySide, "begin", lambda *given: begun.append(given[1][0]) or begin(*given))
    monkeypatch.setattr(SideBySide, "feed", lambda self: fed.append(bool(judging)) or feed(self))

    def judged(*given):
        judging.append(given)
        outcome = judge(*given)
        judging.clear()
        return outcome

    monkeypatch.setattr(side_by_side, "judge", judged)
    longer = replace(JOB, method="crossformer", recipe=Recipe(30))
    assert len(list(do_side_by_side([JOB, longer], STORES, tmp_path, deaf))) == 2
    keys = {side_by_side.but_for_updates(job).key: job for job in (JOB, longer)}
    assert [keys[key] for key in begun] == [longer, JOB]
    assert sum(fed) == 2 * 2  # after each of the two recordings of both


@pytest.mark.parametrize("part", ["gather", "judge"])
@pytest.mark.parametrize("error", [OSError(28, "No space left"), torch.cuda.OutOfMemoryError("8 GiB")])
def test_an_unforeseen_error_is_told_when_the_others_are_over(alone, tmp_path, monkeypatch, part, error):
    sound = getattr(side_by_side, part)

    def spoiled(first, *rest, **settings):
        if getattr(first, "job", first).seed == 42:
            raise error
        return sound(first, *rest, **settings)

    monkeypatch.setattr(side_by_side, part, spoiled)
    monkeypatch.setattr(local, "goes_side_by_side", lambda job: True)
    ends = answers(tmp_path, JOBS[2], *JOBS[:2])
    assert list(ends)[-1] == JOBS[2].key
    event, goes_on = ends.pop(JOBS[2].key)
    assert isinstance(event, Lost)
    assert event.reason.startswith("together with other jobs it failed; ")
    assert not goes_on
    for key, (event, goes_on) in ends.items():
        assert isinstance(event, Finished)
        assert same(event.outcome, alone[1][key])
        assert goes_on


def test_what_a_fit_fails_of_befalls_its_jobs_alone(alone, tmp_path, monkeypatch):
    learning = NeuralMethod.learning

    def spoiled(self, task):
        if task.seed == 42:
            yield None
            raise ConfigError("odd")
        return (yield from learning(self, task))

    monkeypatch.setattr(NeuralMethod, "learning", spoiled)
    monkeypatch.setattr(local, "goes_side_by_side", lambda job: True)
    ends = answers(tmp_path, *JOBS[:3])
    assert ends.pop(JOBS[2].key) == (Failed(JOBS[2].key, "odd"), True)
    for key, (event, goes_on) in ends.items():
        assert isinstance(event, Finished)
        assert same(event.outcome, alone[1][key])
        assert goes_on


def test_networks_on_a_gpu_go_side_by_side_but_for_those_that_are_one_fit():
    on_gpu = replace(JOB, device="cuda")
    assert goes_side_by_side(on_gpu)
    assert goes_side_by_side(replace(on_gpu, method="medformer", budget=Budget(2, 4)))
    assert not goes_side_by_side(JOB)
    assert not goes_side_by_side(replace(on_gpu, method="dualres"))
    assert not goes_side_by_side(replace(on_gpu, method="minirocket", recipe=None, device="cpu"))


class Idle:
    """A worker that has jobs and does none."""

    def __init__(self, threads, stores, folder):
        self.threads, self.jobs, self.shape = threads, [], None

    def begin(self, jobs, shape):
        self.jobs, self.shape = jobs, shape


@pytest.fixture
def handed(monkeypatch):
    """What an executor hands to its workers, by their number."""
    monkeypatch.setattr(local, "_Worker", Idle)

    def hand_out(executor, jobs):
        executor._waiting += jobs
        executor._hand_out()
        return [worker.jobs for worker in executor._workers]

    return hand_out


def test_one_worker_has_all_networks_and_what_needs_no_gpu_does_not_wait(handed, tmp_path):
    on_gpu = [replace(job, device="cuda") for job in JOBS]
    on_cpu = [replace(JOB, method="minirocket", recipe=None, seed=seed) for seed in (41, 42)]
    executor = LocalExecutor(4, STORES, tmp_path, together=3, side_by_side=True)
    workers = handed(executor, [*on_gpu, *on_cpu])
    assert workers == [on_gpu[:3], on_cpu[:1], on_cpu[1:]]
    assert executor._waiting == on_gpu[3:]
    executor._workers[0].jobs = []
    assert handed(executor, [])[0] == on_gpu[3:]


def test_a_job_that_was_lost_goes_beside_no_other(handed, tmp_path):
    on_gpu = [replace(job, device="cuda") for job in JOBS]
    executor = LocalExecutor(4, STORES, tmp_path, together=16, side_by_side=True)
    executor._lost.add(on_gpu[1].key)
    assert handed(executor, on_gpu) == [[on_gpu[0], *on_gpu[2:]], [on_gpu[1]]]


def test_without_it_each_has_a_worker(handed, tmp_path):
    on_gpu = [replace(job, device="cuda") for job in JOBS]
    executor = LocalExecutor(3, STORES, tmp_path, together=16)
    assert handed(executor, on_gpu) == [[job] for job in on_gpu[:3]]


def test_a_worker_does_them_side_by_side_and_reports_each(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(local, "_SERVE", SERVE)
    monkeypatch.setattr(local, "goes_side_by_side", lambda job: True)
    executor = LocalExecutor(2, STORES, tmp_path, together=16, side_by_side=True)
    for job in (*JOBS, BROKEN):
        executor.start(job)
    ends, deadline = {}, time.monotonic() + PATIENCE_S
    while len(ends) < len(JOBS) + 1:
        assert time.monotonic() < deadline, "the jobs do not end"
        ends |= {event.key: event for event in executor.wait(1) if not isinstance(event, Advance)}
    assert len(executor._workers) == 1
    executor.close()
    assert isinstance(ends.pop(BROKEN.key), Failed)
    for key, event in ends.items():
        assert isinstance(event, Finished)
        assert same(event.outcome, alone[1][key])
