import pytest

from dualres.errors import ConfigError
from dualres.faultlines.bearing import DIMENSIONS, bearing_of
from tests.faultlines.published_rates import PRINTED


@pytest.mark.parametrize("name", DIMENSIONS)
def test_elements_pass_both_rings_as_often_as_the_shaft_brings_them(name):
    bearing = bearing_of(name)
    assert bearing.outer + bearing.inner == pytest.approx(bearing.elements, abs=1e-9)
    assert bearing.cage == pytest.approx(bearing.outer / bearing.elements, abs=1e-12)


@pytest.mark.parametrize("one", PRINTED, ids=lambda one: f"{one.bearing} {one.rate}")
def test_rates_are_those_that_are_printed(one):
    """To the last digit; CWRU's differ by a few of it from what the dimensions beside them give."""
    assert one.off <= (5 if one.source.startswith("Case") else 0)


def test_the_two_rates_that_everybody_quotes_are_exact():
    exact = {(one.bearing, one.rate) for one in PRINTED if one.computed == one.text}
    assert {("6205", "BPFO"), ("6205", "BPFI"), ("6203", "BPFI")} <= exact


@pytest.mark.parametrize("text", ["6205", "9,0.3126,1.537", " 9, 0.3126, 1.537, 0"])
def test_a_bearing_by_name_and_by_dimensions(text):
    assert bearing_of(text.strip()).inner == pytest.approx(5.4152, abs=5e-5)
    assert bearing_of("er 16k") == bearing_of("ER-16K")


def test_a_contact_angle_counts():
    assert bearing_of("16,0.331,2.815,15.17") == bearing_of("ZA-2115")
    assert bearing_of("16,0.331,2.815").outer < bearing_of("ZA-2115").outer


@pytest.mark.parametrize("text", ["6299", "9,7.94", "1,7.94,39", "9,40,39", "9,7.94,39,90", "nine,7,39", "9,nan,39"])
def test_what_is_no_bearing_is_refused(text):
    with pytest.raises(ConfigError, match="bearing"):
        bearing_of(text)
