import pytest

from dualres.errors import ConfigError
from dualres.recordings.speed import given_speed, speed_in, unit_of


@pytest.mark.parametrize(
    ("text", "hz"),
    [("1797rpm", 29.95), ("29.95 Hz", 29.95), ("1800 1/min", 30), ("1e3RPM", 1000 / 60), ("1800", 30), (1800, 30)],
)
def test_a_stated_speed(text, hz):
    assert given_speed(text).mean_hz == pytest.approx(hz)


@pytest.mark.parametrize("text", ["fast", "0rpm", "1.2.3Hz", "-5Hz", ""])
def test_what_is_no_speed_is_refused(text):
    with pytest.raises(ConfigError, match="1797rpm"):
        given_speed(text)


@pytest.mark.parametrize(
    ("condition", "hz"),
    [
        ({"load": "1", "rpm": "1200"}, 20),
        ({"speed": "30 Hz"}, 30),
        ({"speed": "1200"}, 20),
        ({"speed": "30"}, 0.5),
        ({"speed_rpm": "1200 rpm"}, 20),
        ({"shaft_hz": "30"}, 30),
        ({"speed_hz": "1800rpm"}, 30),
        ({"speed": "fast", "rpm": "1200"}, 20),
    ],
)
def test_a_column_says_the_speed(condition, hz):
    assert speed_in(condition).mean_hz == hz


@pytest.mark.parametrize("condition", [{}, {"load": "1"}, {"speed": "fast"}, {"rpm": "0"}])
def test_what_a_list_says_otherwise_is_no_speed(condition):
    assert speed_in(condition) is None


def test_a_name_says_its_unit():
    assert [unit_of(name) for name in ("shaft_hz", "Speed [Hz]", "rpm", "speed")] == ["hz", "hz", "rpm", "rpm"]
