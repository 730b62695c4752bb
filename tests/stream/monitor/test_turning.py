"""How fast the shaft of a stream turns reaches its windows, also after a stream was resumed."""

import json

import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.recordings.speed import Speed
from dualres.stream.monitor.monitor import Monitor
from dualres.stream.monitor.turning import ToldSpeed

RATE = 1000


def test_a_speed_holds_until_another_one_is_told():
    told = ToldSpeed(RATE)
    assert told.over(0, 500) is None
    told.tell(25.0, 0)
    told.tell(30.0, 1000)
    assert told.over(200, 700).hz == (25.0,)
    assert told.over(2000, 2500).hz == (30.0,)
    turning = told.over(800, 1300)
    assert (turning.hz, turning.at_s) == ((25.0, 30.0, 30.0), (0.0, 0.2, 0.5))
    late = ToldSpeed(RATE)
    late.tell(25.0, 1000)
    assert late.over(0, 500).hz == (25.0,), "what is told first holds before, too"


def test_source_and_spread_are_kept_and_the_least_exact_counts():
    told = ToldSpeed(RATE)
    told.tell_all(Speed((25.0,), source="measured"), 0)
    assert told.over(0, 500) == Speed((25.0,), source="measured")
    told.tell_all(Speed((25.0,), spread=0.05), 1000)
    assert told.over(600, 1100) == Speed((25.0,), spread=0.05)
    again = ToldSpeed(RATE, json.loads(json.dumps(told.marker())))
    assert again.over(600, 1100) == told.over(600, 1100)
    assert again.mean(0, 900) == Speed((25.0,), source="measured")


def test_a_speed_that_changes_holds_until_another_is_told():
    told = ToldSpeed(RATE)
    told.tell_all(Speed((20.0, 30.0), (0.0, 2.0)), 1000)
    assert told.mean(1500, 2000).mean_hz == pytest.approx(23.75, abs=0.7)
    assert told.over(4000, 4500).hz == (30.0,)
    told.tell(22.0, 1500)
    assert told.over(2000, 2500).hz == (22.0,), "what was told for later holds no more"
    told.tell(23.0, 1500)
    assert told.over(2000, 2500).hz == (23.0,)


def test_little_is_kept_however_often_it_is_told():
    told = ToldSpeed(RATE)
    for at in range(0, 10_000, 10):
        told.tell(20 + at / 1000, at)
    assert len(told.marker()) < 45
    whole = told.over(5000, 5500)
    np.testing.assert_allclose(whole.hz, 25 + np.array(whole.at_s), atol=0.3)
    assert len(told.forget(9500).marker()) < 5
    assert told.over(9600, 9900).mean_hz == pytest.approx(29.75, abs=0.3)


def test_windows_that_wait_know_their_speed_and_a_marker_keeps_it(views):
    signal = np.random.default_rng(0).standard_normal(60_000).astype(np.float32)
    monitor = Monitor(views, 12_800)
    monitor.push(signal[:30_000], speed=1500)
    marker = json.loads(json.dumps(monitor.marker()))
    for again in (
        monitor,
        Monitor.resumed(views, marker, signal[marker["needed_from"] : 30_000]),
        Monitor.restored(views, monitor.state()),
    ):
        again.take(signal[30_000:], speed="30Hz")
        speeds = [again.speed_of(window) for window in again._pending]
        assert speeds[0].hz[0] == 25.0
        assert speeds[-1].hz == (30.0,)
    silent = Monitor(views, 12_800)
    silent.take(signal[:10_000])
    assert silent.speed_of(silent._pending[0]) is None
    assert "speed" not in Monitor(views, 12_800).marker()
    with pytest.raises(ConfigError, match="1797rpm"):
        silent.push(signal[:10], speed="fast")
