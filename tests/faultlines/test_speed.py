import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.faultlines.speed import speed_hz, speed_in, tachometer_hz


@pytest.mark.parametrize(
    ("text", "hz"), [("1797rpm", 29.95), ("29.95 Hz", 29.95), ("1800 1/min", 30), ("1e3RPM", 1000 / 60)]
)
def test_a_stated_speed(text, hz):
    assert speed_hz(text) == pytest.approx(hz)


@pytest.mark.parametrize("text", ["1797", "fast", "0rpm", "1.2.3Hz", "-5Hz", ""])
def test_what_is_no_speed_is_refused(text):
    with pytest.raises(ConfigError, match="1797rpm"):
        speed_hz(text)


def test_a_column_says_the_speed():
    assert speed_in({"load": "1", "rpm": "1200"}) == 20
    assert speed_in({"speed": "30 Hz"}) == 30
    assert speed_in({"speed": "1200"}) == 20
    assert speed_in({"load": "1"}) is None
    with pytest.raises(ConfigError, match="unit"):
        speed_in({"speed": "30"})


@pytest.mark.parametrize(("duty", "pulses"), [(0.5, 1), (0.01, 1), (0.3, 8)])
def test_a_tachometer(duty, pulses):
    t = np.arange(100_000) / 20_000
    rng = np.random.default_rng(0)
    signal = 5.0 * ((29.95 * pulses * t) % 1 < duty) + 0.05 * rng.standard_normal(len(t))
    assert tachometer_hz(signal, 20_000, pulses) == pytest.approx(29.95, rel=1e-3)


def test_a_tachometer_that_stands_still_is_refused():
    with pytest.raises(RecordingError, match="pulses"):
        tachometer_hz(np.r_[np.zeros(1000), np.ones(1000)], 1000)
    with pytest.raises(ConfigError, match="at least one"):
        tachometer_hz(np.zeros(10), 1000, 0)
