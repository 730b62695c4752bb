"""A real Ray cluster of two machines, both of them this one."""

import contextlib
import os
import signal
import threading
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from safetensors.torch import load as tensors

from dualres.bench.campaign import ray_executor
from dualres.bench.campaign.coordinator import run
from dualres.bench.campaign.executors import JobAdvance, JobFailure, JobLoss, JobSuccess, begun
from dualres.bench.campaign.job import Job, read_job
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.ray_executor import RayExecutor
from dualres.bench.campaign.run_job import run_job
from dualres.bench.datasets.folds import load_fold
from dualres.config import Recipe
from dualres.learn.fold import Budget
from dualres.utils.cluster import ClusterError
from tests.bench.campaign.synthetic import synthetic_outcome

PATIENCE_S = 120


def job(seed=41, method="itransformer", updates=2, **fields):
    recipe = Recipe(updates=updates)
    fold = load_fold("S1")
    return Job("simulated", "S1", fold.hash, Budget(1, 1), method, recipe, seed, most_judged=2, **fields)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("campaign")


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """Two machines with one CPU each, and what they keep on their disks."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'dualres[cluster]'")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DUALRES_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        one = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=one)
        cluster.second = cluster.add_node(**one)
        yield cluster
        cluster.shutdown()


@pytest.fixture(scope="module")
def executor(machines, folder):
    executor = RayExecutor(folder / "stores", folder, address=machines.address)
    yield executor
    executor.close()


def results(executor, *jobs):
    """The events that end the jobs, by key."""
    for one in jobs:
        executor.start(one)
    events, end = {}, time.monotonic() + PATIENCE_S
    while len(events) < len(jobs):
        assert time.monotonic() < end, "the jobs do not end"
        events |= {event.key: event for event in executor.wait(1) if not isinstance(event, JobAdvance)}
    return events


def workers(one):
    """Ids of the processes that do the job: Ray names them after it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().startswith(f"ray::dualres job {one.key[:16]}".encode()):
                found.append(int(path.parent.name))
    return found


def awaited_worker(one):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := workers(one):
            return found[0]
        time.sleep(0.02)
    raise AssertionError("no worker has taken the job up")


def told(outcome):
    """All of an outcome but the times and the machine."""
    facts = {name: outcome.facts[name] for name in ("held_out", "labelled_s", "support", "inputs", "versions")}
    return outcome.history, outcome.scores, outcome.truth, outcome.windows, outcome.recordings, facts


@pytest.mark.exhaustive
def test_results_are_those_of_this_process_whatever_a_worker_did_before(executor, folder, tmp_path):
    jobs = [job(41), job(42, "crossformer"), job(41, updates=3), job(42)]  # more than there are workers
    assert executor.slots == 2
    events = results(executor, *jobs)
    for one in jobs:
        event = events[one.key]
        assert isinstance(event, JobSuccess), event
        here = run_job(one, folder / "stores", tmp_path)
        assert told(event.outcome) == told(here)
        sent = (folder / "models" / f"{one.key}.safetensors").read_bytes()
        assert sha256(sent).hexdigest() == event.outcome.facts["model_sha256"]
        mine = tensors((tmp_path / "models" / f"{one.key}.safetensors").read_bytes())
        assert {name: t.tolist() for name, t in tensors(sent).items()} == {n: t.tolist() for n, t in mine.items()}
        assert event.outcome.facts["machine"]["threads"] == 1


def test_signals_are_kept_by_the_machine_that_resampled_them(executor, folder):
    results(executor, job(45))
    assert list(Path(os.environ["DUALRES_CACHE"]).glob("at_64_kHz/*/*.npy"))
    assert not (folder / "cache").exists()


def test_a_job_that_cannot_be_done_fails_with_its_reason(executor, folder):
    absent = Job("cwru", "C1", load_fold("C1").hash, Budget(1, 1), "itransformer", Recipe(updates=1), 41)
    outdated = replace(job(46), fold_hash="0" * 64)
    events = results(executor, absent, outdated)
    assert isinstance(events[absent.key], JobFailure)
    assert f"{folder / 'stores' / 'cwru'}: is not on" in events[absent.key].reason
    assert isinstance(events[outdated.key], JobFailure)
    assert "the job was planned for another" in events[outdated.key].reason


def test_nothing_in_flight_is_nothing_to_wait_for(executor):
    assert executor.wait(30) == []


@pytest.mark.subprocess
def test_a_killed_worker_loses_its_job_and_another_does_it(executor, folder, monkeypatch, capfd):
    slow, other = job(47, updates=30), job(48)
    seen = []

    def wait(seconds):
        events = RayExecutor.wait(executor, seconds)
        seen.extend(events)
        return events

    def kill():
        worker = awaited_worker(slow)
        time.sleep(0.3)  # it is in the middle of the fit then
        os.kill(worker, signal.SIGKILL)

    monkeypatch.setattr(executor, "wait", wait)
    monkeypatch.setattr(executor, "close", lambda: None)
    killer = threading.Thread(target=kill)
    killer.start()
    with Ledger(folder / "ledger.sqlite") as ledger:
        summary = run([slow, other], ledger, executor)
        assert ledger.keys() == {slow.key, other.key}
    killer.join()
    assert not summary.failed
    assert [event.key for event in seen if isinstance(event, JobLoss)] == [slow.key]
    assert capfd.readouterr() == ("", ""), "Ray keeps quiet"


@pytest.mark.subprocess
def test_a_machine_that_goes_away_loses_its_job_only(executor, machines):
    """The last of these tests: one machine is left."""
    endless = [job(49, updates=1_000_000), job(50, updates=1_000_000)]
    for one in endless:
        executor.start(one)
    for one in endless:
        awaited_worker(one)
    machines.remove_node(machines.second, allow_graceful=False)
    assert executor.wait(PATIENCE_S) == [begun(one.key) for one in endless]
    (event,) = executor.wait(PATIENCE_S)
    assert isinstance(event, JobLoss)
    end = time.monotonic() + PATIENCE_S
    while executor.slots > 1 and time.monotonic() < end:
        time.sleep(0.1)
    assert executor.slots == 1
    assert executor.wait(0.5) == []
    assert sum(bool(workers(one)) for one in endless) == 1


class Paper:
    """A cluster that exists on paper."""

    cpus, gpus, most_cpus = 24, 3, 8

    def __init__(self, address, cpus):
        self.address, self.asked, self.closed, self.submitted = address, cpus, False, []

    def submit(self, function, *arguments, cpus, gpus, name):
        self.submitted.append((cpus, gpus))

    def close(self):
        self.closed = True


@pytest.mark.parametrize(
    ("settings", "slots", "share"),
    [
        ({}, 24, 0),
        ({"threads": 4}, 6, 0),
        ({"jobs": 5}, 5, 0),
        ({"device": "cuda"}, 12, 1 / 4),
        ({"device": "cuda", "jobs": 18}, 18, 1 / 6),
        ({"device": "cuda", "threads": 8}, 3, 1 / 4),
    ],
)
def test_jobs_share_cpus_and_gpus(monkeypatch, tmp_path, settings, slots, share):
    monkeypatch.setattr(ray_executor, "Cluster", Paper)
    executor = RayExecutor(tmp_path, tmp_path, address="auto", **settings)
    assert executor.slots == slots
    executor.start(job(device=settings.get("device", "cpu"), threads=settings.get("threads", 1)))
    executor.start(job(device="cpu"))
    assert executor._cluster.submitted == [(settings.get("threads", 1), share), (1, 0)]


@pytest.mark.parametrize(("settings", "reason"), [({"threads": 9}, "largest has 8 CPUs"), ({"device": "cuda"}, "GPU")])
def test_what_no_machine_has_is_refused_at_once(monkeypatch, tmp_path, settings, reason):
    monkeypatch.setattr(ray_executor, "Cluster", Paper)
    monkeypatch.setattr(Paper, "gpus", 0)
    with pytest.raises(ClusterError, match=reason):
        RayExecutor(tmp_path, tmp_path, address="auto", **settings)


class Breaking(Paper):
    """A cluster that does one job and is lost at the second."""

    def __init__(self, address, cpus):
        super().__init__(address, cpus)
        self.calls = []

    def submit(self, function, plan, *arguments, **settings):
        self.calls.append(read_job(plan))
        return len(self.calls) - 1

    def finished(self, refs, seconds):
        return list(refs)

    def result(self, ref):
        if ref:
            raise ClusterError("the Ray cluster is lost")
        return JobSuccess(self.calls[0].key, synthetic_outcome(self.calls[0])), b"model"


def test_jobs_that_were_finished_when_the_cluster_was_lost_are_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(ray_executor, "Cluster", Breaking)
    jobs = [job(41), job(42), job(43)]
    executor = RayExecutor(tmp_path, tmp_path, address="auto")
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        with pytest.raises(ClusterError, match="lost"):
            run(jobs, ledger, executor)
        assert ledger.keys() == {jobs[0].key}
        assert ledger.failures() == {}  # the next run does the others
    assert executor._cluster.closed
