import pytest

from dualres.errors import ConfigError
from dualres.faultlines.fault_names import is_no_part, part_of, stated_part


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("outer", "outer race"),
        ("Outer Race", "outer race"),
        ("OR", "outer race"),
        ("OR007@6_2", "outer race"),
        ("break+inner", "inner race"),
        ("IR-014", "inner race"),
        ("ball", "rolling element"),
        ("B021", "rolling element"),
        ("roller_wear", "rolling element"),
        ("ball bearing, inner ring", "inner race"),
        ("cage", "cage"),
    ],
)
def test_usual_names_speak_of_a_part(name, part):
    assert part_of(name) == part
    assert not is_no_part(name)


@pytest.mark.parametrize(
    "name", ["B", "S3", "wear or crack", "inner+outer", "rolling bearing", "healthy ball", "other", "b", "worn"]
)
def test_what_is_not_clear_is_no_part(name):
    assert part_of(name) is None


@pytest.mark.parametrize(
    ("name", "no_part"),
    [("healthy", True), ("good_2", True), ("unbalance", True), ("broken tooth", True), ("wear", False), ("S1", False)],
)
def test_a_name_may_say_that_the_bearing_is_sound(name, no_part):
    assert is_no_part(name) == no_part


def test_a_part_is_stated_by_its_name_or_as_none():
    assert stated_part("inner") == "inner race"
    assert stated_part(" Rolling element ") == "rolling element"
    assert stated_part("none") is None
    with pytest.raises(ConfigError, match="fault 'gear' is not known; give one of outer, inner, ball, cage or none"):
        stated_part("gear")
