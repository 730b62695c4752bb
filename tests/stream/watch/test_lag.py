import pytest

from dualres.stream.watch import lag
from dualres.stream.watch.lag import Losses, Pace


def test_what_waits_takes_as_long_as_the_rounds_before_say():
    pace = Pace(waiting=500, full=100)
    assert pace.behind_s == 0.0, "nobody knows yet"
    pace.finish_round(100, 0.2)
    assert pace.behind_s == pytest.approx(0.8)
    pace.add(1000)
    assert pace.behind_s == pytest.approx(2.8)
    pace.finish_round(1400, 1.0)
    assert pace.behind_s == 0.0


def test_rounds_with_idle_time_in_them_do_not_count():
    pace = Pace(0, full=100)
    for _ in range(50):
        pace.add(10)
        pace.finish_round(10, 5.0)
    pace.add(100_000)
    assert pace.behind_s == 0.0


def test_a_disk_that_hangs_once_does_not_look_like_too_much_work_but_a_slow_machine_does():
    pace = Pace(100_000, full=100)
    for _ in range(10):
        pace.finish_round(100, 0.1)
    before = pace.behind_s
    pace.finish_round(100, 30.0)
    assert pace.behind_s < before
    for _ in range(15):
        pace.finish_round(100, 0.3)
    assert pace.behind_s > 2.5 * before


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(lag.time, "monotonic", lambda: now[0])
    return now


def test_a_loss_is_told_when_it_begins_and_when_it_is_over(clock):
    said = []
    told = Losses(said.append)
    told.count(0)
    assert said == []
    for lost in (5, 1000, 1000):
        clock[0] += 1
        told.count(lost)
    assert len(said) == 1
    assert "told as missing" in said[0]
    clock[0] += lag.CALM_S
    told.count(1000)
    told.count(1000)
    assert said[1:] == ["1,000 samples were lost, and no more are"]
    told.count(1007, ended=True)
    assert said[3:] == ["7 samples were lost, and no more are"]


def test_nothing_is_said_at_the_end_where_nothing_was_lost(clock):
    said = []
    Losses(said.append).count(0, ended=True)
    assert said == []
