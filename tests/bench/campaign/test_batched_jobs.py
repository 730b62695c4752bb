"""Jobs of one shape done together, here and by a worker: each ends as if it had been done alone."""

import time
import weakref
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from dualres.bench.campaign import batched_jobs as together
from dualres.bench.campaign import process_executor as local
from dualres.bench.campaign.batched_jobs import batch_key, run_batch
from dualres.bench.campaign.executors import JobAdvance, JobFailure, JobLoss, JobSuccess, begun
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.process_executor import LocalExecutor, _run_all
from dualres.bench.campaign.run_job import run_job
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods.dualres import DualResMethod
from dualres.bench.methods.neural import NeuralMethod
from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.learn.fold import Budget
from dualres.model_file.file import read
from dualres.utils.progress import quiet

JOB = Job("simulated", "S1", load_fold("S1").hash, Budget(1, 1), "dualres", Recipe(2), 41, most_judged=1)
OTHER, BROKEN = replace(JOB, seed=42), replace(JOB, fold_hash="0" * 64)
STORES = Path("stores")
PATIENCE_S = 60

# A worker whose disk is full when it judges the job with seed 41.
FULL_DISK = """
import sys
from dualres.bench.campaign import process_executor as local
from dualres.bench.campaign import batched_jobs as together
sound = together.judge_fitted
def judge_fitted(gathered, *rest, **settings):
    if gathered.job.seed == 41:
        raise OSError(28, "No space left on device")
    return sound(gathered, *rest, **settings)
together.judge_fitted = judge_fitted
local.serve(*sys.argv[1:])
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return {job.key: run_job(job, STORES, tmp_path_factory.mktemp("alone")) for job in (JOB, OTHER)}


@pytest.fixture
def executor(tmp_path, monkeypatch):
    """One worker that does up to three jobs together, on a CPU, too."""
    monkeypatch.setattr(local, "batch_key", lambda job: job.method)
    executor = LocalExecutor(1, STORES, tmp_path, together=3)
    yield executor
    executor.close()


def same(outcome, expected):
    parts = ("recordings", "truth", "scores", "history")
    return all(getattr(outcome, part) == getattr(expected, part) for part in parts)


def ends_of(executor, *jobs):
    """The events that end the jobs, by key."""
    for job in jobs:
        executor.start(job)
    ends, deadline = {}, time.monotonic() + PATIENCE_S
    while len(ends) < len(jobs):
        assert time.monotonic() < deadline, "the jobs do not end"
        ends |= {event.key: event for event in executor.wait(1) if not isinstance(event, JobAdvance)}
    assert ends.keys() == {job.key for job in jobs}
    return ends


def answers(folder, *jobs):
    """What a worker answers, by key, in order."""
    silent = SimpleNamespace(send=lambda message: None)
    return {event.key: (event, goes_on) for event, goes_on in _run_all(jobs, STORES, folder, silent)}


def deaf(key, sharing):
    """For what is told while jobs go on."""
    return quiet


def for_seed(seed, error, sound):
    """`sound`, but for the job with the seed, which ends with the error."""

    def spoiled(first, *rest, **settings):
        if getattr(first, "job", first).seed == seed:
            raise error
        return sound(first, *rest, **settings)

    return spoiled


def test_each_job_ends_as_if_alone_and_one_that_cannot_be_done_hinders_no_other(alone, tmp_path):
    told = []
    ends = dict(
        run_batch([JOB, BROKEN, OTHER], STORES, tmp_path, lambda *of: lambda *stage: told.append((*of, *stage)))
    )
    assert isinstance(ends[BROKEN], ConfigError)
    for job in (JOB, OTHER):
        assert same(ends[job], alone[job.key])
        assert (tmp_path / "models" / f"{job.key}.safetensors").exists()
        assert {(sharing, stage) for key, sharing, stage, *_ in told if key == job.key} == {(2, "fit"), (1, "judge")}
        updates = [rest[:2] for key, _, stage, *rest in told if (key, stage) == (job.key, "fit")]
        assert updates == [[1, 4], [2, 4], [3, 4], [4, 4]]  # of both fits
        assert ends[job].facts["wall_s"] > ends[job].facts["judge_s"] > 0
        assert (ends[job].facts["fitted_together"], alone[job.key].facts["fitted_together"]) == (2, 1)


def test_only_fits_of_one_shape_on_a_gpu_go_together(monkeypatch):
    monkeypatch.setattr(together, "fits_together", lambda config, device, recipe: device == "cuda")
    on_gpu = replace(JOB, device="cuda")
    assert batch_key(on_gpu) == batch_key(replace(on_gpu, seed=42)) == batch_key(replace(on_gpu, fold="S2"))
    for other in ({"budget": Budget(2, 1)}, {"method": "dualres/short"}, {"recipe": Recipe(2, 1e-3)}, {"threads": 2}):
        assert batch_key(on_gpu) != batch_key(replace(on_gpu, **other))
    assert batch_key(JOB) != batch_key(OTHER)
    monkeypatch.setattr(together, "fits_together", lambda config, device, recipe: False)  # a GPU without our kernels
    assert batch_key(on_gpu) != batch_key(replace(on_gpu, seed=42))
    assert batch_key(replace(on_gpu, method="mambasl")) != batch_key(replace(on_gpu, method="mambasl", seed=42))


@pytest.mark.parametrize("method", ["dualres", "patchtst"])
def test_jobs_that_differ_in_their_updates_share_one_fit_and_end_as_if_alone(method, tmp_path, monkeypatch):
    fits = []
    long, short = (replace(JOB, method=method, recipe=Recipe(updates)) for updates in (3, 2))
    assert batch_key(long) == batch_key(short) != batch_key(replace(short, seed=42))
    alone = {job: run_job(job, STORES, tmp_path / "alone") for job in (long, short)}
    of_one = NeuralMethod._learn_stages
    monkeypatch.setattr(NeuralMethod, "_learn_stages", lambda *given: fits.append(given) or of_one(*given))
    ends = dict(run_batch([long, short], STORES, tmp_path, deaf))
    for job in (long, short):
        assert same(ends[job], alone[job])
        assert len(ends[job].history) == job.recipe.updates
        file = f"models/{job.key}.safetensors"
        arrays, expected = (load_file(folder / file) for folder in (tmp_path, tmp_path / "alone"))
        assert arrays.keys() == expected.keys()
        assert all(np.array_equal(arrays[name], expected[name]) for name in expected)
        assert read(tmp_path / file)[0].recipe == job.recipe
    assert len(fits) == (method != "dualres")  # DualRes has its own way


def test_a_recipe_with_augmentations_from_elsewhere_shares_no_fit():
    for more, share in (((), True), ((("hum", 0.1),), False)):
        long, short = (replace(JOB, recipe=Recipe(updates, more=more)) for updates in (3, 2))
        assert (batch_key(long) == batch_key(short)) is share


def test_each_takes_its_own_time_and_an_even_share_of_the_fit(tmp_path, monkeypatch):
    clock, accounts = [0.0], {}

    def lasting(seconds_of, function):
        def slow(*arguments, **settings):
            clock[0] += seconds_of(*arguments)
            return function(*arguments, **settings)

        return slow

    def judge(gathered, fitted, folder, *, begin, **settings):
        accounts[gathered.job.seed] = clock[0] - begin
        clock[0] += 100

    monkeypatch.setattr(together, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(together, "gather_inputs", lasting(lambda job, *_: job.seed, together.gather_inputs))
    monkeypatch.setattr(DualResMethod, "learn_together", lasting(lambda *_: 8, DualResMethod.learn_together))
    monkeypatch.setattr(together, "judge_fitted", judge)
    list(run_batch([JOB, OTHER], STORES, tmp_path, deaf))
    assert accounts == {41: 41 + 8 / 2, 42: 42 + 8 / 2}


def test_a_model_is_let_go_of_when_it_is_judged(tmp_path, monkeypatch):
    models, alive = [], []
    fit, judge = DualResMethod.learn_together, together.judge_fitted

    def living():
        return sum(model() is not None for model in models)

    def counting_fit(*arguments, **settings):
        alive.append(living())
        return fit(*arguments, **settings)

    def counting_judge(gathered, fitted, *rest, **settings):
        alive.append(living())
        models.append(weakref.ref(fitted))
        return judge(gathered, fitted, *rest, **settings)

    monkeypatch.setattr(DualResMethod, "learn_together", counting_fit)
    monkeypatch.setattr(together, "judge_fitted", counting_judge)
    of_another_length = replace(JOB, budget=Budget(1, 2))
    for _, end in run_batch([JOB, OTHER, of_another_length], STORES, tmp_path, deaf):
        assert not isinstance(end, Exception)
    assert alive == [0] * 5  # two fits, three models


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not count peaks anew")
def test_the_peak_memory_is_that_of_these_jobs(alone, tmp_path):
    ballast = np.ones(60_000_000)  # 480 MB, gone before the jobs begin
    del ballast
    for job, end in run_batch([JOB, OTHER], STORES, tmp_path, deaf):
        assert 0 < end.facts["peak_rss_bytes"] < alone[job.key].facts["peak_rss_bytes"] + 300e6


def test_a_support_that_cannot_be_used_fails_its_own_job(tmp_path, monkeypatch):
    sound = together.gather_inputs

    def spoiled(job, *rest):
        gathered = sound(job, *rest)
        if job == JOB:
            gathered.support.windows[0, 0] = np.nan
        return gathered

    monkeypatch.setattr(together, "gather_inputs", spoiled)
    ends = answers(tmp_path, JOB, OTHER)
    assert ends[JOB.key] == (JobFailure(JOB.key, "a support window holds NaN or infinite samples"), True)
    event, goes_on = ends[OTHER.key]
    assert isinstance(event, JobSuccess)
    assert goes_on


@pytest.mark.parametrize("part", ["gather_inputs", "judge_fitted"])
def test_an_unforeseen_error_fails_its_own_job_and_ends_the_worker(tmp_path, monkeypatch, part):
    error = OSError(28, "No space left on device")
    monkeypatch.setattr(together, part, for_seed(42, error, getattr(together, part)))
    ends = answers(tmp_path, OTHER, JOB) if part == "gather_inputs" else answers(tmp_path, JOB, OTHER)
    event, goes_on = ends.pop(OTHER.key)
    assert isinstance(event, JobFailure)
    assert event.reason.startswith("OSError: [Errno 28] No space left on device")
    assert not goes_on
    rest = [(type(event), goes_on) for event, goes_on in ends.values()]
    assert rest == [(JobSuccess, True)] * (part != "gather_inputs")


def test_a_job_for_which_memory_is_too_short_when_it_is_judged_is_lost_alone(tmp_path, monkeypatch):
    error = torch.cuda.OutOfMemoryError("8 GiB")
    monkeypatch.setattr(together, "judge_fitted", for_seed(42, error, together.judge_fitted))
    ends = answers(tmp_path, JOB, OTHER)
    assert isinstance(ends[JOB.key][0], JobSuccess)
    event, goes_on = ends[OTHER.key]
    assert isinstance(event, JobLoss)
    assert event.reason.startswith("not enough memory beside the other jobs; OutOfMemoryError: 8 GiB")
    assert not goes_on


@pytest.mark.parametrize(
    ("error", "worker_goes_on"),
    [(torch.cuda.OutOfMemoryError("8 GiB"), False), (RuntimeError("misaligned"), False), (ConfigError("odd"), True)],
)
def test_what_a_fit_of_several_fails_of_may_be_the_fault_of_any(tmp_path, monkeypatch, error, worker_goes_on):
    def fail(*_, **settings):
        raise error

    monkeypatch.setattr(DualResMethod, "learn_together", fail)
    ends = answers(tmp_path, JOB, BROKEN, OTHER)
    assert isinstance(ends.pop(BROKEN.key)[0], JobFailure)
    assert list(ends) == [JOB.key, OTHER.key]
    for event, _ in ends.values():
        assert isinstance(event, JobLoss)
        assert event.reason.startswith("together with other jobs it failed; ")
        assert str(error) in event.reason
    assert [goes_on for _, goes_on in ends.values()] == [True, worker_goes_on]


def test_a_worker_does_them_together_and_reports_each(alone, executor):
    assert (executor.slots, executor.workers) == (3, 1)
    ends = ends_of(executor, JOB, BROKEN, OTHER)
    assert isinstance(ends[BROKEN.key], JobFailure)
    for job in (JOB, OTHER):
        assert isinstance(ends[job.key], JobSuccess)
        assert same(ends[job.key].outcome, alone[job.key])
        assert ends[job.key].outcome.facts["fitted_together"] == 2
    assert len(executor._workers) == 1


def test_one_job_that_ends_its_worker_fails_and_the_others_can_be_done_again(alone, executor, monkeypatch):
    monkeypatch.setattr(local, "_SERVE", FULL_DISK)
    ends = ends_of(executor, JOB, OTHER)
    assert isinstance(ends[JOB.key], JobFailure)
    assert ends[OTHER.key] == JobLoss(OTHER.key, "its worker process ended with another job")
    assert not executor._workers
    again = ends_of(executor, OTHER)[OTHER.key]
    assert isinstance(again, JobSuccess)
    assert same(again.outcome, alone[OTHER.key])


def test_a_killed_worker_loses_all_that_it_did_and_each_is_done_alone_afterwards(executor):
    endless = [replace(job, recipe=Recipe(100_000)) for job in (JOB, OTHER)]
    for job in endless:
        executor.start(job)
    assert executor.wait(PATIENCE_S) == [begun(job.key, 2) for job in endless]
    executor._workers[0]._process.kill()
    lost, deadline = [], time.monotonic() + PATIENCE_S
    while len(lost) < 2:
        assert time.monotonic() < deadline
        lost += executor.wait(1)
    assert [(type(event), event.key) for event in lost] == [(JobLoss, job.key) for job in endless]
    assert all("ended by SIGKILL" in event.reason for event in lost)
    third = replace(endless[0], seed=43)
    for job in (*endless, third):
        executor.start(job)
    assert executor.wait(PATIENCE_S) == [begun(endless[0].key)]
