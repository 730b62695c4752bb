"""Work that takes turns with other work: each piece goes and ends as if it were alone."""

import random
import time
import weakref
from functools import partial

import pytest
import torch

from dualres.machinery import side_by_side
from dualres.machinery.seeding import seeded
from dualres.machinery.side_by_side import SideBySide, completed


def drawing(steps):
    """What is drawn in so many steps, by each of the generators."""
    drawn = []
    for _ in range(steps):
        drawn.append((random.random(), torch.rand(2).tolist()))
        yield None
    return drawn


def failing(steps, error):
    for _ in range(steps):
        yield None
    raise error


class Gated:
    """A gate that is open when somebody has opened it."""

    def __init__(self):
        self.open = False

    def query(self):
        return self.open


def ends(work):
    return {ended.name: ended.result for ended in work.ended()}


def alone(seed, steps):
    with seeded(seed):
        return completed(drawing(steps))


def test_each_draws_what_it_draws_alone_and_the_caller_s_generators_stay_as_they_are():
    work = SideBySide("cpu")
    for seed, steps in ((1, 3), (2, 5), (1, 4)):
        work.begin((seed, steps), seed, partial(drawing, steps))
    random.seed(9)
    torch.manual_seed(9)
    found = ends(work)
    assert found == {(seed, steps): alone(seed, steps) for seed, steps in found}
    drawn = random.random(), torch.rand(1).item()
    random.seed(9)
    torch.manual_seed(9)
    assert drawn == (random.random(), torch.rand(1).item())


def test_what_one_fails_of_is_its_own_end_alone():
    work, error = SideBySide("cpu"), ValueError("odd")
    work.begin("sound", 1, partial(drawing, 4))
    work.begin("failing", 2, partial(failing, 2, error))
    work.begin("stillborn", 3, partial(int, "x"))
    found = ends(work)
    assert found["sound"] == alone(1, 4)
    assert found["failing"] is error
    assert isinstance(found["stillborn"], ValueError)


def test_an_error_does_not_hold_on_to_what_its_function_held():
    held = []

    def greedy():
        ballast = torch.ones(3)
        held.append(weakref.ref(ballast))
        yield None
        raise ValueError("odd")

    work = SideBySide("cpu")
    work.begin("greedy", 1, greedy)
    found = ends(work)
    assert isinstance(found["greedy"], ValueError)
    assert held[0]() is None


def test_one_that_has_to_wait_holds_nobody_up_and_goes_on_when_it_can():
    gate, log = Gated(), []

    def waiting():
        yield gate
        log.append("waited")

    def busy():
        for step in range(3):
            log.append(step)
            yield None

    work = SideBySide("cpu")
    work.begin("waiting", 1, waiting)
    work.begin("busy", 1, busy)
    while work.feed():
        pass
    assert log == [0, 1, 2]
    gate.open = True
    assert work.feed()
    assert log[-1] == "waited"
    assert set(ends(work)) == {"waiting", "busy"}


def test_no_more_are_under_way_than_may_be_and_each_has_a_stream_of_its_own():
    under_way, most = set(), []

    def counted(name):
        under_way.add(name)
        most.append(len(under_way))
        yield None
        under_way.remove(name)

    work = SideBySide("cpu", at_once=2)
    for name in range(5):
        work.begin(name, 0, partial(counted, name))
    work.feed()
    assert sorted(one.number for one in work._under_way) == [0, 1]
    assert set(ends(work)) == set(range(5))
    assert max(most) == 2


def test_time_is_shared_out_among_those_under_way(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(side_by_side.time, "perf_counter", lambda: clock[0])

    def lasting(steps):
        for _ in range(steps):
            clock[0] += 1
            yield None

    work = SideBySide("cpu")
    for name in ("a", "b"):
        work.begin(name, 0, partial(lasting, 2))
    clock[0] += 100  # nothing is under way yet
    spent = {ended.name: ended.spent for ended in work.ended()}
    assert sum(one.seconds for one in spent.values()) == pytest.approx(4)
    assert spent["a"].seconds == pytest.approx(2)
    assert spent["a"].peak_bytes is None


def test_work_done_alone_waits_for_its_gates():
    waited = []

    class Slow:
        def synchronize(self):
            waited.append(True)

    def gated():
        yield Slow()
        yield None
        return "done"

    assert completed(gated()) == "done"
    assert waited == [True]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
class TestOnAGpu:
    def drawing(self, steps, size=4096):
        """Graphs of dropout, replayed again and again while others replay theirs."""
        from dualres.machinery.cuda_graphs import Captured

        model, seen = torch.nn.Dropout(0.5).train(), torch.zeros(size, device="cuda")
        drawn = Captured(lambda ones: seen.add_(model(ones)), model, seen)
        for _ in range(steps):
            drawn(torch.ones(size, device="cuda"))
            mark = torch.cuda.Event()
            mark.record()
            yield mark
        seen.add_(torch.rand(size, device="cuda"))
        return seen.cpu()

    def alone(self, seed, steps):
        with seeded(seed):
            return completed(self.drawing(steps))

    def test_graphs_of_several_draw_what_each_draws_alone(self):
        cases = [(seed, steps) for seed in (1, 2, 3) for steps in (3, 50)]
        expected = {case: self.alone(*case) for case in cases}
        torch.manual_seed(5)
        undisturbed = torch.rand(3, device="cuda")
        torch.manual_seed(5)
        for _ in range(3):
            work = SideBySide("cuda")
            for seed, steps in cases:
                work.begin((seed, steps), seed, partial(self.drawing, steps))
            for case, result in ends(work).items():
                assert not isinstance(result, Exception), result
                assert torch.equal(result, expected[case]), case
        assert torch.equal(torch.rand(3, device="cuda"), undisturbed)

    def test_the_memory_of_one_is_not_counted_for_another(self):
        def holding(megabytes):
            kept = [torch.empty(megabytes << 20, dtype=torch.uint8, device="cuda")]
            yield None
            kept.append(torch.empty(megabytes << 20, dtype=torch.uint8, device="cuda"))
            yield None

        work = SideBySide("cuda")
        for megabytes in (10, 20):
            work.begin(megabytes, 0, partial(holding, megabytes))
        for ended in work.ended():
            assert ended.spent.peak_bytes == 2 * ended.name << 20

    def test_a_long_one_holds_no_short_one_up(self):
        def sleeping(cycles, steps):
            for _ in range(steps):
                torch.cuda._sleep(cycles)
                mark = torch.cuda.Event()
                mark.record()
                yield mark
            return time.perf_counter()

        work = SideBySide("cuda")
        work.begin("long", 0, partial(sleeping, 500_000_000, 2))
        work.begin("short", 0, partial(sleeping, 1_000_000, 20))
        at = ends(work)
        assert at["short"] < at["long"]
