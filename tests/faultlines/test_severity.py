import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.faultlines.severity import velocity_rms


@pytest.mark.parametrize(("unit", "factor"), [("m/s2", 1.0), ("g", 9.80665), ("mm/s2", 1e-3)])
def test_of_a_tone(unit, factor):
    t = np.arange(80_000) / 8000
    acceleration = 2.0 * np.sin(2 * np.pi * 100 * t)
    assert velocity_rms(acceleration, 8000, unit) == pytest.approx(
        1000 * factor * 2 / (2 * np.pi * 100) / np.sqrt(2), rel=1e-6
    )


def test_what_lies_outside_the_band_does_not_count():
    t = np.arange(80_000) / 8000
    outside = 50 * np.sin(2 * np.pi * 5 * t) + 50 * np.sin(2 * np.pi * 2000 * t) + 9.81
    assert velocity_rms(outside, 8000, "m/s2") < 1e-2


def test_an_unknown_unit_is_refused():
    with pytest.raises(ConfigError, match="m/s2, g"):
        velocity_rms(np.ones(10), 10, "V")
