"""Jobs of one shape done together, here and by a worker: each ends as if it had been done alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualres.benchmark import local
from dualres.benchmark.executors import Advance, Failed, Finished
from dualres.benchmark.job import Job
from dualres.benchmark.local import LocalExecutor
from dualres.benchmark.protocol import Budget
from dualres.benchmark.together import do_together, shape
from dualres.benchmark.work import do
from dualres.config import Recipe
from dualres.datasets.folds import load_fold
from dualres.errors import ConfigError

JOB = Job("simulated", "S1", load_fold("S1").hash, Budget(1, 1), "dualres", Recipe(2), 41, most_judged=1)
OTHER, BROKEN = replace(JOB, seed=42), replace(JOB, fold_hash="0" * 64)
STORES = Path("stores")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return {job.key: do(job, STORES, tmp_path_factory.mktemp("alone")) for job in (JOB, OTHER)}


def same(outcome, expected):
    return all(
        getattr(outcome, part) == getattr(expected, part) for part in ("recordings", "truth", "scores", "history")
    )


def test_each_job_ends_as_if_alone_and_one_that_cannot_be_done_hinders_no_other(alone, tmp_path):
    told = []
    ends = dict(do_together([JOB, BROKEN, OTHER], STORES, tmp_path, lambda *stage: told.append(stage)))
    assert isinstance(ends[BROKEN], ConfigError)
    for job in (JOB, OTHER):
        assert same(ends[job], alone[job.key])
        assert (tmp_path / "models" / f"{job.key}.safetensors").exists()
        assert {stage for key, stage, *_ in told if key == job.key} == {"fit", "judge"}
        assert ends[job].facts["wall_s"] > ends[job].facts["judge_s"] > 0


def test_only_fits_of_one_shape_on_a_gpu_go_together():
    on_gpu = replace(JOB, device="cuda")
    assert shape(on_gpu) == shape(replace(on_gpu, seed=42)) == shape(replace(on_gpu, fold="S2"))
    for other in ({"budget": Budget(2, 1)}, {"method": "dualres/short"}, {"recipe": Recipe(3)}, {"threads": 2}):
        assert shape(on_gpu) != shape(replace(on_gpu, **other))
    assert shape(JOB) != shape(OTHER)
    assert shape(replace(on_gpu, method="mambasl")) != shape(replace(on_gpu, method="mambasl", seed=42))


def test_a_worker_does_them_together_and_reports_each(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(local, "shape", lambda job: job.method)
    executor = LocalExecutor(1, STORES, tmp_path, together=3)
    assert (executor.slots, executor.workers) == (3, 1)
    for job in (JOB, BROKEN, OTHER):
        executor.start(job)
    ends = {}
    while len(ends) < 3:
        ends |= {event.key: event for event in executor.wait(60) if not isinstance(event, Advance)}
    assert isinstance(ends[BROKEN.key], Failed)
    for job in (JOB, OTHER):
        assert isinstance(ends[job.key], Finished)
        assert same(ends[job.key].outcome, alone[job.key])
    assert len(executor._workers) == 1
    executor.close()


def test_a_killed_worker_loses_all_that_it_did(tmp_path, monkeypatch):
    monkeypatch.setattr(local, "shape", lambda job: job.method)
    executor = LocalExecutor(1, STORES, tmp_path, together=2)
    endless = [replace(job, recipe=Recipe(100_000)) for job in (JOB, OTHER)]
    for job in endless:
        executor.start(job)
    assert executor.wait(60)
    executor._workers[0]._process.kill()
    lost = []
    while len(lost) < 2:
        lost += [event.key for event in executor.wait(60) if not isinstance(event, Advance)]
    assert sorted(lost) == sorted(job.key for job in endless)
    executor.close()
