"""How calls to the compiled training step are made; what it computes is tested with the encoder."""

import os
import subprocess
import sys
import threading
from weakref import ref

import pytest
import torch

from dualres.kernel import compiled
from dualres.kernel.training import Training, available, parameter_count, threads_taken_over

AFTER_A_FORK = """
import os
import torch
from dualres.learn.trained.forward import encode
from dualres.model.network import DualRes

torch.set_num_threads(2)
network, views = DualRes(3).train(), (torch.rand(12, 5, 129), torch.rand(12, 5, 513))
encode(network.encoder, *views).sum().backward()  # the threads are there
child = os.fork()
if not child:
    encode(network.encoder, *views).sum().backward()
    os._exit(7)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def inputs(dtype=torch.float32):
    shapes = [(2, 5, 9), (2, 5, 33), (2, 64), (parameter_count(9, 33, 64, 4),), (5, 8)]
    return [torch.zeros(shape, dtype=dtype) for shape in shapes]


def test_without_the_library_it_is_not_available(monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert not available()


def test_sizes_follow_from_the_shapes():
    training = Training(*inputs())
    sizes = {name: getattr(training, name) for name in ("tokens", "short_bins", "long_bins", "width", "states")}
    assert sizes == {"tokens": 5, "short_bins": 9, "long_bins": 33, "width": 64, "states": 4}


def test_what_the_library_reads_is_held_by_what_is_handed_to_it():
    some = inputs()
    held, training = [ref(tensor) for tensor in some], Training(*some)
    del some
    assert [tensor().data_ptr() for tensor in held[:2]] == [training.short_view, training.long_view]
    assert all(tensor() is not None for tensor in held)


def test_what_the_library_would_misread_is_refused():
    with pytest.raises(ValueError, match=r"short_view is torch\.float64"):
        Training(*inputs(torch.float64))
    short, long, *rest = inputs()
    with pytest.raises(ValueError, match=r"long_view .* strides \(165, 1, 5\)"):
        Training(short, long.reshape(2, 33, 5).mT, *rest)


@pytest.mark.parametrize(
    ("place", "shape"),
    [(1, (2, 4, 33)), (1, (3, 5, 33)), (1, (2, 5, 32)), (2, (1, 64)), (2, (2, 128)), (3, (10,)), (4, (4, 8))],
)
def test_shapes_that_do_not_fit_together_are_refused(place, shape):
    some = inputs()
    some[place] = torch.zeros(shape)
    with pytest.raises(ValueError, match=r"(long_view|log_damping|parameters|ahead) is \(.*\), not \("):
        Training(*some)


def interrupted() -> None:
    with threads_taken_over():
        assert torch.get_num_threads() == 1
        raise KeyboardInterrupt


def test_threads_are_given_back_whatever_happens():
    torch.set_num_threads(3)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert torch.get_num_threads() == 3


def test_the_last_of_several_gives_the_threads_back():
    torch.set_num_threads(3)
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))
    seen = []

    def first() -> None:
        with threads_taken_over():
            first_is_in.set()
            assert second_is_in.wait(60)
        first_is_out.set()

    def second() -> None:
        assert first_is_in.wait(60)
        with threads_taken_over():
            second_is_in.set()
            assert first_is_out.wait(60)
            seen.append(torch.get_num_threads())

    both = [threading.Thread(target=target) for target in (first, second)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert seen == [1]
    assert torch.get_num_threads() == 3


@pytest.mark.subprocess
@pytest.mark.skipif(not (available() and hasattr(os, "fork")), reason="no library, or no fork")
def test_a_process_forked_off_starts_threads_of_its_own():
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", AFTER_A_FORK], start_new_session=True) as process:
        try:
            assert process.wait(timeout=300) == 7
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # with the child that hangs
            raise
