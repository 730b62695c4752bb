import time

import numpy as np
import pytest
import torch

from dualres.bench.profile import memory
from dualres.bench.profile.memory import Before, held_now, memory_of, resident_bytes, watched

pytestmark = pytest.mark.skipif(not memory.STATM.exists(), reason="needs Linux")

MUCH = 200 * 2**20


def hold_much():
    held = np.ones(MUCH, np.uint8)
    time.sleep(0.1)
    return len(held)


def test_a_peak_between_beginning_and_end_is_seen():
    before = resident_bytes()
    with watched() as resident:
        hold_much()
    assert resident.peak - before > 0.9 * MUCH
    assert resident_bytes() < resident.peak - 0.5 * MUCH


def test_what_little_work_takes_is_little():
    seen = memory_of(lambda: time.sleep(0.02), 2, "cpu", held_now("cpu"))
    assert seen.rss_rise < 0.1 * MUCH
    assert seen.rss_peak > 50 * 2**20  # the interpreter and PyTorch
    assert (seen.cuda_allocated, seen.cuda_reserved, seen.cuda_rise) == (None, None, None)


def test_what_was_made_before_the_watching_and_stays_is_part_of_the_rise():
    before = held_now("cpu")
    held = np.ones(MUCH, np.uint8)
    seen = memory_of(lambda: time.sleep(0.02), 1, "cpu", before)
    assert seen.rss_rise > 0.9 * MUCH == 0.9 * len(held)


def test_the_work_is_done_as_often_as_asked():
    done = []
    memory_of(lambda: done.append(1), 3, "cpu", Before(0))
    assert len(done) == 3


def test_a_system_that_does_not_tell_gives_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "STATM", tmp_path / "none")
    seen = memory_of(lambda: None, 1, "cpu", held_now("cpu"))
    assert (seen.rss_peak, seen.rss_rise) == (None, None)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_memory_of_a_gpu_is_counted_above_what_was_there():
    held = torch.ones(2**20, device="cuda")
    seen = memory_of(lambda: torch.ones(MUCH, dtype=torch.uint8, device="cuda"), 2, "cuda", held_now("cuda"))
    assert seen.cuda_rise == MUCH
    assert seen.cuda_allocated >= MUCH + held.nbytes
    assert seen.cuda_reserved >= seen.cuda_allocated
