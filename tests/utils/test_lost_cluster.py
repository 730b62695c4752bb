"""A cluster that goes away is an error within a stated time, and not a wait without end."""

import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from dualres.utils import cluster as module
from dualres.utils.cluster import Cluster, ClusterError


class FakeRay:
    """As much of Ray as a connection asks, on one machine; what is in `silent` does not answer."""

    exceptions = SimpleNamespace(
        GetTimeoutError=TimeoutError,
        RayTaskError=type("Task", (Exception,), {}),
        RayError=type("Ray", (Exception,), {}),
    )

    def __init__(self):
        self.alive, self.silent, self.shut = True, set(), 0

    def is_initialized(self):
        return False

    def init(self, *arguments, **settings):
        pass

    def remote(self, function):
        return function

    def get_runtime_context(self):
        return SimpleNamespace(get_node_id=lambda: "ours")

    def nodes(self):
        self._answer("nodes")
        other = {"NodeID": "other", "Alive": True, "Resources": {"CPU": 4.0}}
        return [other, {"NodeID": "ours", "Alive": self.alive, "Resources": {"CPU": 2.0}}]

    def cluster_resources(self):
        self._answer("cluster_resources")
        return {"CPU": 6.0}

    def wait(self, refs, **settings):
        return [], refs

    def get(self, ref, timeout):
        raise TimeoutError

    def shutdown(self):
        self._answer("shutdown")
        self.shut += 1

    def _answer(self, name):
        if name in self.silent:
            time.sleep(60)


@pytest.fixture
def ray(monkeypatch):
    fake = FakeRay()
    monkeypatch.setattr(module, "import_module", lambda name: fake if name == "ray" else SimpleNamespace())
    monkeypatch.setattr(module, "CHECK_S", 0.0)
    monkeypatch.setattr(module, "ANSWER_S", 0.2)
    return fake


WAITS = [lambda cluster: cluster.finished(["call"], 0), lambda cluster: cluster.result("call")]


@pytest.mark.parametrize("wait", WAITS)
def test_a_machine_that_is_cut_off_is_told(ray, wait):
    cluster = Cluster()
    assert cluster.finished(["call"], 0) == []
    ray.alive = False
    said = r"lost \(the part of it on this machine is gone\); what was finished is kept"
    with pytest.raises(ClusterError, match=said):
        wait(cluster)
    cluster.close()
    assert ray.shut == 1


@pytest.mark.parametrize("wait", [*WAITS, lambda cluster: cluster.cpus, lambda cluster: cluster.most_cpus])
def test_a_coordinator_that_does_not_answer_is_told(ray, wait):
    cluster = Cluster()
    assert (cluster.cpus, cluster.most_cpus) == (6, 4)
    ray.silent = {"nodes", "cluster_resources", "shutdown"}
    begin = time.monotonic()
    with pytest.raises(ClusterError, match="it has not answered for"):
        wait(cluster)
    cluster.close()  # nor does this wait for it
    assert time.monotonic() - begin < 50


def test_it_is_not_asked_at_every_wait(ray, monkeypatch):
    monkeypatch.setattr(module, "CHECK_S", 60.0)
    ray.alive = False
    assert Cluster().finished(["call"], 0) == []


def test_a_part_of_ray_that_dies_as_it_starts_is_a_sentence(ray, monkeypatch):
    def dies(*arguments, **settings):
        raise Exception("The current node timed out\nduring startup.")

    monkeypatch.setattr(ray, "init", dies)
    said = r"does not start on this machine \(The current node timed out during startup"
    with pytest.raises(ClusterError, match=said):
        Cluster()


KILLED = """
import os, signal, sys, time
from pathlib import Path
from dualres.utils.cluster import Cluster, ClusterError

def children(name):
    for path in Path("/proc").glob("[0-9]*/stat"):
        its = path.read_text().rpartition(")")[2].split()
        if int(its[1]) == os.getpid() and name in (path.parent / "cmdline").read_text():
            yield int(path.parent.name)

with Cluster(cpus=1) as cluster:
    call = cluster.submit(time.sleep, 600)
    assert cluster.finished([call], 3) == []
    os.kill(next(children(sys.argv[1])), signal.SIGKILL)
    begin = time.monotonic()
    try:
        while True:
            cluster.finished([call], 1)
    except ClusterError as error:
        print(f"{time.monotonic() - begin:.0f}", error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("process", ["raylet/raylet", "gcs/gcs_server"])
def test_a_real_ray_that_loses_a_process_is_told_within_the_stated_time(process):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'dualres[cluster]'")
    done = subprocess.run([sys.executable, "-c", KILLED, process], capture_output=True, text=True, timeout=180)
    seconds, _, words = done.stdout.partition(" ")
    assert words.startswith("the Ray cluster is lost"), done.stderr
    assert int(seconds) <= 40  # as docs/cluster.md says
