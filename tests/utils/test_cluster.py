import os
import signal
import sys
import time

import pytest

from dualres.errors import RecordingError
from dualres.utils import cluster as module
from dualres.utils.cluster import CallFailedError, Cluster, ClusterError, WorkerLostError


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'dualres[cluster]'")
    with Cluster(cpus=2) as cluster:
        yield cluster


def test_calls_come_back_with_what_they_return(cluster):
    assert (cluster.cpus, cluster.most_cpus, cluster.gpus) == (2, 2, 0)
    shared = cluster.share([3, 4])
    refs = [cluster.submit(pow, 2, 10), cluster.submit(sum, shared), cluster.submit(os.getpid)]
    assert [cluster.result(ref) for ref in refs[:2]] == [1024, 7]
    assert cluster.result(refs[2]) != os.getpid()
    assert set(cluster.finished(refs, 0)) == set(refs)
    assert cluster.finished([], 0) == []


def test_libraries_get_as_many_threads_as_the_call_has_cpus(cluster):
    for cpus in (1, 2):
        assert cluster.result(cluster.submit(os.getenv, "OMP_NUM_THREADS", cpus=cpus)) == str(cpus)


def test_an_error_meant_for_the_user_comes_back_as_its_sentence(cluster):
    def fail():
        raise RecordingError("pump.wav: cannot be read")

    with pytest.raises(CallFailedError, match=r"^pump.wav: cannot be read$"):
        cluster.result(cluster.submit(fail))


def test_any_other_error_is_named(cluster):
    with pytest.raises(CallFailedError, match="ZeroDivisionError"):
        cluster.result(cluster.submit(divmod, 1, 0))


def test_a_lost_worker_is_told_from_a_failed_call_and_quietly(cluster, capfd):
    with pytest.raises(WorkerLostError, match="worker died"):
        cluster.result(cluster.submit(os.kill, 0, signal.SIGKILL))  # 0: all of its own group
    time.sleep(1)  # what Ray has to say comes later
    assert capfd.readouterr() == ("", "")


def test_a_call_may_be_made_again_by_itself(cluster, tmp_path):
    def die_once(mark):
        if not mark.exists():
            mark.touch()
            os.abort()
        return "done"

    assert cluster.result(cluster.submit(die_once, tmp_path / "mark", retries=1)) == "done"


def test_one_connection_at_a_time(cluster):
    with pytest.raises(ClusterError, match="has joined a Ray cluster already"):
        Cluster()


def test_the_first_to_end_is_told_first(cluster):
    """The last of the tests with this cluster: it has one CPU left."""
    slow, quick = cluster.submit(time.sleep, 60), cluster.submit(pow, 2, 2)
    assert cluster.finished([slow, quick], 30) == [quick]
    assert cluster.finished([slow], 0.1) == []


def test_another_version_on_a_machine_is_refused_by_its_name():
    here = module._compared_versions()
    assert module._call(here, pow, 2, 3).value == 8
    problem = module._call({**here, "dualres": "9.9"}, pow, 2, 3).problem
    assert "dualres 9.9" in problem
    assert f"has dualres {here['dualres']}" in problem


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"pip install 'dualres\[cluster\]'"):
        Cluster()


@pytest.fixture
def not_joined(monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'dualres[cluster]'")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    return ray


def test_a_cluster_that_is_not_there(not_joined, monkeypatch):
    def refuse(*arguments, **settings):
        raise ConnectionError("Could not find any\nrunning Ray instance.")

    monkeypatch.setattr(not_joined, "init", refuse)
    monkeypatch.setattr(not_joined, "shutdown", lambda: None)
    with pytest.raises(ClusterError, match=r"auto \(Could not find any running Ray instance.\); .*ray start --head"):
        Cluster("auto")


@pytest.mark.parametrize("address", ["127.0.0.1:9", "nowhere.invalid:6379", "banana"])
def test_an_address_where_nothing_answers_and_what_is_none_are_refused_at_once(address, not_joined, monkeypatch):
    monkeypatch.setattr(not_joined, "init", lambda *arguments, **settings: pytest.fail("Ray would try for minutes"))
    with pytest.raises(ClusterError, match=rf"cannot join a Ray cluster at {address} "):
        Cluster(address)
