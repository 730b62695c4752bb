import pytest

from dualres.stream.watch.lag import Pace


def test_what_waits_takes_as_long_as_the_rounds_before_say():
    pace = Pace(waiting=500, full=100)
    assert pace.behind_s == 0.0, "nobody knows yet"
    pace.judged(100, 0.2)
    assert pace.behind_s == pytest.approx(0.8)
    pace.came(1000)
    assert pace.behind_s == pytest.approx(2.8)
    pace.judged(1400, 1.0)
    assert pace.behind_s == 0.0


def test_rounds_with_idle_time_in_them_do_not_count():
    pace = Pace(0, full=100)
    for _ in range(50):
        pace.came(10)
        pace.judged(10, 5.0)
    pace.came(100_000)
    assert pace.behind_s == 0.0


def test_a_disk_that_hangs_once_does_not_look_like_too_much_work_but_a_slow_machine_does():
    pace = Pace(100_000, full=100)
    for _ in range(10):
        pace.judged(100, 0.1)
    before = pace.behind_s
    pace.judged(100, 30.0)
    assert pace.behind_s < before
    for _ in range(15):
        pace.judged(100, 0.3)
    assert pace.behind_s > 2.5 * before
