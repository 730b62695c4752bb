import numpy as np
import pytest

from dualres.judge.trust.conditions import as_labelled, known_of, stated_of
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed


def recording(condition=None, speed=None, **more):
    return Recording("a", np.zeros(4), 1000, condition=condition or {}, speed=speed, **more)


@pytest.mark.parametrize(
    ("said", "is_called"),
    [("1797", "1797"), ("1790", "1797"), ("29.9Hz", "1797"), ("1770.2", "1772"), ("1200", "1200"), ("fast", "fast")],
)
def test_a_speed_goes_by_the_labelled_one_that_it_cannot_be_told_from(said, is_called):
    assert as_labelled({"speed": said, "load": "2"}, {"speed": {"1772", "1797"}}) == {"speed": is_called, "load": "2"}


def test_it_is_looked_for_in_whatever_column_was_labelled():
    assert as_labelled({"speed": "1797"}, {"shaft_hz": {"29.95"}}) == {"speed": "1797", "shaft_hz": "29.95"}
    assert as_labelled({"speed": "600"}, {"rpm": ["1797"]}) == {"speed": "600", "rpm": "600 rpm"}


def test_without_a_labelled_speed_nothing_changes():
    assert as_labelled({"speed": "1797", "load": "1"}, {"load": {"1"}}) == {"speed": "1797", "load": "1"}
    assert as_labelled({"load": "1"}, {"speed": {"1797"}}) == {"load": "1"}


def test_a_speed_that_no_list_states_is_a_condition_where_it_was_told():
    assert stated_of(recording(speed=Speed.of_rpm(1300))) == {"speed": "1300"}
    assert stated_of(recording({"rpm": "900"}, Speed.of_rpm(900))) == {"rpm": "900"}
    assert stated_of(recording(speed=Speed.of_rpm(1300, "estimated"))) == {}
    assert known_of(recording({"load": "1"}, Speed.of_rpm(1300), component="b")) == {"load": "1", "component": "b"}
