import os
import subprocess
import sys
import threading
from time import monotonic, sleep

import pytest

from dualres.kernel import threads as kernel_threads
from dualres.kernel.threads import room, share_out

AT_EXIT = """
import atexit
from dualres.kernel.threads import share_out

done = []
share_out(done.append, range(2), 2)
done.clear()
atexit.register(lambda: (share_out(done.append, range(5), 3), print(done)))
"""

AFTER_A_FORK = """
import os
import threading
from dualres.kernel.threads import share_out

def meet():
    together = threading.Barrier(2, timeout=60)
    share_out(lambda piece: together.wait(), range(2), 2)

meet()
child = os.fork()
if not child:
    meet()
    os._exit(7)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def threads_at_work(threads: int) -> set[int]:
    """Who does a call's pieces, where there are as many of them as threads and none is over before all have begun."""
    together, seen = threading.Barrier(threads, timeout=60), set()

    def call(piece: int) -> None:
        seen.add(threading.get_ident())
        together.wait()

    share_out(call, range(threads), threads)
    return seen


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("pieces", [range(0), range(1), range(0, 1000, 3)], ids=str)
def test_every_piece_is_done_once(pieces, threads):
    done = []
    share_out(done.append, pieces, threads)
    assert sorted(done) == list(pieces)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_so_many_threads_and_the_calling_one_among_them(threads):
    seen = threads_at_work(threads)
    assert len(seen) == threads
    assert threading.get_ident() in seen


def test_threads_are_shared_by_calls_of_all_sizes(monkeypatch):
    monkeypatch.setattr(kernel_threads, "_pool", kernel_threads._Pool())  # whatever earlier calls have wanted
    before = _alive()
    for threads in (2, 5, 9, 7, 3):
        threads_at_work(threads)
    until = monotonic() + 60
    while len(_alive() - before) > 8 and monotonic() < until:  # those of the smaller pools are on their way out
        sleep(0.01)
    assert len(_alive() - before) == 8


def _alive() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("dualres")}


@pytest.mark.parametrize("threads", [2, 4])
def test_whoever_interrupts_leaves_nobody_at_work(threads):
    caller, begun = threading.get_ident(), threading.Event()
    started, ended = [], []

    def call(piece: int) -> None:
        if threading.get_ident() == caller:
            assert begun.wait(60)
            raise KeyboardInterrupt
        started.append(piece)
        begun.set()
        sleep(0.2)
        ended.append(piece)

    with pytest.raises(KeyboardInterrupt):
        share_out(call, range(1000), threads)
    assert sorted(started) == sorted(ended)
    assert len(started) < threads


def test_an_error_in_another_thread_ends_the_call():
    caller, failed, done = threading.get_ident(), threading.Event(), []

    def call(piece: int) -> None:
        if threading.get_ident() != caller:
            failed.set()
            raise ArithmeticError(f"piece {piece}")
        assert failed.wait(60)
        sleep(0.01)
        done.append(piece)

    with pytest.raises(ArithmeticError, match="piece"):
        share_out(call, range(1000), 2)
    assert len(done) < 999


def test_at_the_interpreter_s_exit_the_calling_thread_does_it_alone():
    run = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=300)
    assert run.stdout.strip() == "[0, 1, 2, 3, 4]", run.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_forked_off_has_threads_of_its_own():
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", AFTER_A_FORK], stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == 7, run.stderr


def test_each_thread_has_its_own_room():
    mine, others = room(100), []
    assert room(50) is mine
    assert len(room(200)) >= 200
    thread = threading.Thread(target=lambda: others.append(room(200)))
    thread.start()
    thread.join()
    assert others[0].ctypes.data != room(200).ctypes.data
