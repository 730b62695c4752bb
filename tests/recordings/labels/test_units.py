import pytest

from dualres.recordings.labels.units import doubtful_speeds


def speeds(column, *cells):
    return [{column: cell} for cell in cells]


def test_a_number_among_others_sixty_times_as_large_is_pointed_out():
    (sentence,) = doubtful_speeds(speeds("rpm", *["1500"] * 5, "25"))
    assert sentence.startswith('rpm "25" once, taken as 25 rpm, and 1500 rpm is usual here')
    (sentence,) = doubtful_speeds(speeds("speed_hz", *["25", "30"] * 3, "1750"))
    assert sentence.startswith('speed_hz "1750" once, taken as 1.05e+05 rpm, and 1800 rpm is usual here')


def test_a_small_number_whose_unit_nobody_states_is_pointed_out():
    (sentence,) = doubtful_speeds(speeds("speed", "25", "25"))
    assert sentence == 'speed "25" 2 times, taken as 25 rpm: is it in Hz? Write 25Hz, or name the column speed_hz'


@pytest.mark.parametrize(
    "conditions",
    [
        [],
        [{"load": "1"}],
        speeds("speed", "1500", "1800", "3000", "600"),
        speeds("speed", "25rpm"),
        speeds("rpm", "25"),
        speeds("speed_hz", "25", "30"),
    ],
)
def test_speeds_as_they_are_raise_no_doubt(conditions):
    assert doubtful_speeds(conditions) == []


def test_what_is_no_speed_is_said_once():
    (sentence,) = doubtful_speeds(speeds("speed", "fast", "fast", "1500"))
    assert sentence.startswith('speed "fast" 2 times: is no speed of a turning shaft')
