from dataclasses import replace

import pytest

from dualres import fit_model
from dualres.errors import ConfigError
from dualres.learn.geometry import StatedGeometry, faults_of
from dualres.recordings.recording import Segment
from tests.struck import labelled


def of(*labels, each=1, **stated):
    known = labelled(*labels, each=each)
    return StatedGeometry(**{"bearing": "6205", **stated}).for_classes(known, [one.label for one in known])


def test_nothing_stated_is_no_geometry():
    assert of("healthy", "outer", bearing=None) is None


def test_classes_are_known_by_their_names_and_what_nobody_labelled_is_added():
    found = of("healthy", "outer", each=2)
    assert found.faults == {"outer": "outer race", "inner race": "inner race", "rolling element": "rolling element"}
    assert found.labelled == {"healthy": 2, "outer": 2}
    assert found.unlabelled == ("inner race", "rolling element")
    assert of("healthy", "outer", labelled_only=True).unlabelled == ()


def test_orders_say_which_parts_may_be_added():
    assert of("healthy", "outer", bearing=None, orders="outer=3.57,inner=5.43").unlabelled == ("inner race",)


def test_beside_a_name_that_is_not_known_nothing_is_added():
    """It may be the very fault that would be added."""
    assert of("healthy", "outer", "worn").unlabelled == ()
    assert of("healthy", "outer", "worn", faults={"worn": "none"}).unlabelled == ("inner race", "rolling element")
    found = of("healthy", "outer", "worn", faults={"worn": "inner"})
    assert (found.faults["worn"], found.unlabelled) == ("inner race", ("rolling element",))


def test_a_class_that_nobody_labelled_may_have_any_name():
    found = of("healthy", "outer", faults={"loose cage": "cage", "inner": "inner"})
    assert found.unlabelled == ("loose cage", "inner", "rolling element")
    with pytest.raises(ConfigError, match="--fault inner: nothing is labelled so"):
        of("healthy", "outer", faults={"inner": "inner"}, labelled_only=True)


def test_a_bearing_that_no_class_is_a_fault_of_is_an_error():
    with pytest.raises(ConfigError, match=r"no class is known as the fault of a bearing \(S1, S2\); say which"):
        of("S1", "S2")
    assert of("S1", "S2", bearing=None, by_column=True) is None  # which is there for its own sake


def test_parts_of_a_file_are_one_recording(tmp_path):
    known = labelled("outer", each=3)
    cut = [replace(one, origin=replace(one.origin, path=tmp_path, part=Segment(0, 1))) for one in known]
    found = StatedGeometry("6205").for_classes(cut, ["outer"] * 3)
    assert found.labelled == {"outer": 1}


def test_a_column_states_the_bearing():
    known = [replace(one, condition={"bearing": "6205"}) for one in labelled("healthy", "outer")]
    model = fit_model(known, estimate=False, windows_each=2).model
    assert model.geometry.own_orders is None
    assert model.names == ("healthy", "outer", "inner race", "rolling element")
    numbered = [replace(one, condition={"bearing": "B1"}) for one in known]  # names a bearing, and no kind of one
    assert fit_model(numbered, estimate=False, windows_each=2).model.geometry is None


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ({"bearing": "6205", "orders": "outer=3"}, "--bearing and --orders both"),
        ({"bearing": "6999"}, "bearing '6999' is not known"),
        ({"bearing": "6205", "faults": {"worn": "tooth"}}, "fault 'tooth' is not known"),
    ],
)
def test_what_cannot_be_understood_is_an_error_at_once(stated, complaint):
    with pytest.raises(ConfigError, match=complaint):
        StatedGeometry(**stated)


def test_faults_are_written_as_name_and_part():
    assert faults_of(["worn=inner", "a=b = ball"]) == {"worn": "inner", "a=b": "ball"}
    with pytest.raises(ConfigError, match="give NAME=PART"):
        faults_of(["inner"])
