import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.tachometer import recorded_speed, tachometer_hz, tachometer_speed

RATE = 20_000


def pulses_of(turns, pulses=1, duty=0.1):
    """A tachometer's samples while a shaft has turned so often."""
    return 5.0 * ((turns * pulses) % 1 < duty)


@pytest.mark.parametrize(("duty", "pulses"), [(0.5, 1), (0.01, 1), (0.3, 8)])
def test_a_tachometer(duty, pulses):
    t = np.arange(100_000) / RATE
    signal = pulses_of(29.95 * t, pulses, duty) + 0.05 * np.random.default_rng(0).standard_normal(len(t))
    assert tachometer_hz(signal, RATE, pulses) == pytest.approx(29.95, rel=1e-3)
    speed = tachometer_speed(signal, RATE, pulses)
    assert speed.source == "measured"
    assert speed.mean_hz == pytest.approx(29.95, rel=1e-3)


def test_a_tachometer_that_stands_still_is_refused():
    with pytest.raises(RecordingError, match="pulses"):
        tachometer_hz(np.r_[np.zeros(1000), np.ones(1000)], 1000)
    with pytest.raises(ConfigError, match="at least one"):
        tachometer_hz(np.zeros(10), 1000, 0)


def test_a_speed_that_rises_is_followed():
    t = np.arange(100_000) / RATE
    speed = tachometer_speed(pulses_of(20 * t + t**2, pulses=4), RATE, 4)  # 20 to 30 Hz in 5 s
    assert len(speed.hz) >= 15
    assert max(np.diff(speed.at_s)) < 0.3
    np.testing.assert_allclose(speed.hz, 20 + 2 * np.array(speed.at_s), rtol=5e-3)


def test_few_pulses_give_their_mean():
    t = np.arange(40_000) / RATE
    speed = tachometer_speed(pulses_of(4 * t), RATE)
    assert not speed.varies
    assert speed.mean_hz == pytest.approx(4, rel=1e-3)


def test_a_channel_may_hold_the_speed_itself():
    rpm = np.linspace(1200, 1800, 5 * 1000)
    speed = recorded_speed(rpm, 1000)
    np.testing.assert_allclose(speed.hz, 20 + 2 * np.array(speed.at_s), rtol=1e-3)
    assert recorded_speed(np.full(1000, 25.0), 1000, "hz").hz == (25.0,)


def test_what_is_missing_and_a_shaft_that_stands_still_are_left_out():
    rpm = np.r_[np.full(1000, np.nan), np.zeros(1000), np.full(500, 1200.0), np.full(500, 1800.0)]
    speed = recorded_speed(rpm, 1000)
    assert set(speed.hz) == {20.0, 30.0}
    assert min(speed.at_s) > 2
    with pytest.raises(RecordingError, match="nowhere that the shaft turns"):
        recorded_speed(np.zeros(1000), 1000)
