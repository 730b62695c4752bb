import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.faultlines.severity import limits_of, velocity_rms, zone_of


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


@pytest.mark.parametrize(("velocity", "zone"), [(0.5, "A"), (1.4, "A"), (2.0, "B"), (4.4, "C"), (9.0, "D")])
def test_zones_lie_between_the_limits_that_are_given(velocity, zone):
    assert zone_of(velocity, (1.4, 2.8, 4.5)) == zone


@pytest.mark.parametrize(
    "limits", [(1.0, 2.0), (1.0, 1.0, 2.0), (3.0, 2.0, 1.0), (-1.0, 1.0, 2.0), (1.0, float("nan"), 2.0)]
)
def test_limits_that_do_not_rise_are_refused(limits):
    with pytest.raises(ConfigError, match="rising"):
        zone_of(1.0, limits)


def test_limits_are_read_from_text():
    assert limits_of("1.1, 2.2,3.3") == (1.1, 2.2, 3.3)
    for text in ("1,2", "1,2,x", "3,2,1"):
        with pytest.raises(ConfigError, match="three"):
            limits_of(text)
