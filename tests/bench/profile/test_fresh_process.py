import os
import signal
from pathlib import Path

import pytest

from dualres.bench.profile.fresh_process import FreshProcessError, in_fresh_process
from dualres.errors import ConfigError


def told(a, b, tell):
    tell("add", 1, 2, "")
    return a + b, os.getpid(), os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]


def refuse(tell):
    raise ConfigError("this will not do")


def die(tell):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def call(monkeypatch):
    """Calls a function of this module, which the other process must find, too."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(Path.cwd()), os.environ.get("PYTHONPATH")])))

    def call(work, *arguments, tell=lambda *step: None):
        return in_fresh_process(work, *arguments, threads=3, tell=tell)

    return call


def test_the_result_comes_from_another_process_with_its_own_threads(call):
    steps = []
    total, pid, *threads = call(told, 1, 2, tell=lambda *step: steps.append(step))
    assert total == 3
    assert pid != os.getpid()
    assert threads == ["3", "3"]
    assert steps == [("add", 1, 2, "")]


def test_an_error_for_the_user_stays_one(call):
    with pytest.raises(FreshProcessError, match=r"^this will not do$"):
        call(refuse)


def test_a_killed_process_says_so(call):
    with pytest.raises(FreshProcessError, match="ended by SIGKILL; if memory is short, free some"):
        call(die)
