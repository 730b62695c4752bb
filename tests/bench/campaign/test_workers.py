import os
import signal
import time
from pathlib import Path

import pytest

from dualres.bench.campaign import workers as child
from dualres.bench.campaign.workers import Child, FreshProcessError, Sparing, in_fresh_process
from dualres.errors import ConfigError

ECHO = """
import sys
from multiprocessing.connection import Connection
pipe = Connection(int(sys.argv[1]))
pipe.send((pipe.recv(), sys.argv[2:], sys.path[0]))
"""


@pytest.fixture
def start():
    """Starts children that are ended with the test."""
    children = []

    def start(code, *arguments, threads=2):
        children.append(Child(code, arguments, threads))
        return children[-1]

    yield start
    for each in children:
        each.end()


def test_it_answers_through_its_pipe_and_finds_modules_where_this_process_does(start):
    echo = start(ECHO, "a", "b")
    echo.pipe.send("hello")
    assert echo.pipe.recv() == ("hello", ["a", "b"], str(child.PACKAGE.parent))


def test_its_libraries_are_told_the_number_of_threads(start):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    answer = start(f"import os, sys; sys.exit(' '.join(os.environ[n] for n in {names}))", threads=3)
    assert answer.last_words() == "its worker process ended with status 1: 3 3 3"


def test_a_killed_one_says_what_killed_it_and_what_to_do(start):
    sleeper = start("import time; time.sleep(60)")
    os.kill(sleeper._process.pid, 9)
    assert sleeper.last_words() == "its worker process was ended by SIGKILL; if memory is short, free some"


def test_progress_is_reported_sparingly_but_every_stage_is(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    sent = []
    tell = Sparing(lambda *step: sent.append(step[:3]))
    for done in range(1, 11):
        now[0] += 0.1
        tell("fit", done, 10, "")
    tell("judge", 1, 2, "")
    assert sent == [("fit", 1, 10), ("fit", 4, 10), ("fit", 7, 10), ("fit", 10, 10), ("judge", 1, 2)]


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
