import numpy as np
import pytest

from dualres.errors import ConfigError
from dualres.faultlines.bearing import DIMENSIONS, bearing_of
from dualres.faultlines.check import Machine, check_array
from dualres.faultlines.unknown_bearing import HEALTHY, TAILS, elements_of, range_of
from tests.faultlines.struck_bearing import RATE, struck_bearing


@pytest.mark.parametrize("text", ["8-10", "8 - 10", "8 to 10", "8 to 10 elements"])
def test_a_range_may_be_written_in_several_ways(text):
    assert elements_of(text) == (8, 10)


def test_one_number_is_a_range_and_a_name_is_none():
    assert elements_of("9") == elements_of("9 elements") == (9, 9)
    assert [elements_of(text) for text in ("6205", "9,7.94,39.04", "ER-16K", "NICE", "", "-", "a-b")] == [None] * 7


@pytest.mark.parametrize(
    ("text", "reason"), [("3", "from 5 to 30"), ("10-8", "from 5"), ("8-40", "from 5"), ("7-12", "8-10")]
)
def test_what_cannot_be_looked_for_is_refused(text, reason):
    with pytest.raises(ConfigError, match=reason):
        elements_of(text)


@pytest.mark.parametrize("name", DIMENSIONS)
def test_known_bearings_lie_within_the_ranges_of_their_elements(name):
    bearing = bearing_of(name)
    for part, order in (("outer race", bearing.outer), ("inner race", bearing.inner)):
        low, high = range_of(part, bearing.elements)
        assert low < order < high


def test_rings_of_neighbours_are_apart():
    """Of the widest range that is allowed."""
    for least in range(5, 28):
        assert range_of("outer race", least + 2)[1] < range_of("inner race", least)[0]


def test_a_damaged_ring_is_found_by_the_elements_alone():
    signal, bearing, shaft_hz = struck_bearing(0, "outer", 6.0, 10.0)
    told = Machine(elements=(bearing.elements - 1, bearing.elements + 1))
    found = check_array(signal, RATE, shaft_hz, machine=told)
    assert found.answer == "outer race"
    assert found.said == f"outer race, of {bearing.elements} elements"
    assert found.findings[0].order == pytest.approx(bearing.outer, rel=0.01)
    exact = check_array(signal, RATE, shaft_hz, machine=Machine(elements=(bearing.elements,) * 2))
    assert exact.p <= found.p, "a wider search is paid for"


def test_noise_is_no_bearing():
    for seed in range(4):
        signal, bearing, shaft_hz = struck_bearing(seed, None, 4.0, 10.0)
        told = Machine(elements=(bearing.elements - 1, bearing.elements + 1))
        assert check_array(signal, RATE, shaft_hz, machine=told).answer == "nothing found"


def test_a_narrow_band_does_not_tell():
    noise = np.random.default_rng(0).standard_normal(60_000)
    assert "too narrow" in check_array(noise, 1500, 60.0, machine=Machine(elements=(14, 16))).reason


@pytest.mark.parametrize("part", HEALTHY)
def test_healthy_machines_are_a_table_that_falls(part):
    assert len(HEALTHY[part]) == len(TAILS)
    assert list(HEALTHY[part]) == sorted(HEALTHY[part])
