from dataclasses import replace

import pytest

from dualres.errors import RecordingError
from dualres.recordings.axes import common_channels, in_order
from dualres.recordings.recording import Origin, Recording


def of(*names, id="pump"):
    return Recording.from_axes({name: [i, 2.0] for i, name in enumerate(names)}, 1000, id=id)


def one(id="pump"):
    return Recording.from_array([1.0, 2.0], 1000, id=id)


def test_recordings_of_the_same_axes_have_common_channels():
    assert common_channels([of("x", "y", "z"), of("z", "y", "x")]) == ("x", "y", "z")
    assert common_channels([of("x", "y"), of("Y", "X")]) == ("x", "y")
    assert common_channels([one(), one()]) == ()


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (of("x", "y", id="fan"), r"fan: has 2 axes \(x, y\), and pump has 3 axes \(x, y, z\); all recordings need"),
        (of("x", "y", "w", id="fan"), r"fan: has 3 axes \(x, y, w\)"),
        (one("fan"), "fan: has one signal, and pump has 3 axes"),
    ],
)
def test_the_first_recording_of_other_axes_is_named(other, reason):
    with pytest.raises(RecordingError, match=reason):
        common_channels([of("x", "y", "z"), of("x", "y", "z"), other])


def test_axes_come_by_their_names():
    assert [axis.origin.channel for axis in in_order(of("x", "y", "z", "w"), ("z", "x"))] == ["z", "x"]
    assert [axis.origin.channel for axis in in_order(of("X", "Y"), ("y", "x"))] == ["Y", "X"]
    assert [axis.origin.channel for axis in in_order(of("x", "X"), ("X", "x"))] == ["X", "x"]
    assert [axis.origin.channel for axis in in_order(of("DE.x", "DE.y"), ("y", "x"))] == ["DE.y", "DE.x"]
    assert [axis.origin.channel for axis in in_order(of("x", "y"), ("y",))] == ["y"]
    single = one()
    assert in_order(single, ()) == in_order(single, ("x",)) == (single,)


def test_axes_without_names_come_by_their_numbers():
    named = of("x", "y")
    nameless = replace(named, axes=tuple(replace(axis, origin=Origin()) for axis in named.axes))
    assert nameless.channels == ("1", "2")
    assert [axis.signal[0] for axis in in_order(nameless, ("b", "a"))] == [0, 1]
    assert [axis.signal[0] for axis in in_order(named, ("1", "2"))] == [0, 1]
    with pytest.raises(RecordingError, match="judges the axes x, y, z"):
        in_order(nameless, ("x", "y", "z"))


@pytest.mark.parametrize(
    ("recording", "channels", "reason"),
    [
        (one(), ("x", "y"), "pump: has one signal, and the model judges the axes x, y; choose"),
        (of("a.x", "b.x"), ("x", "y"), "judges the axes x, y"),
        (of("x", "y"), ("x", "z"), r"pump: has 2 axes \(x, y\), and the model judges the axes x, z"),
        (of("a", "b"), ("x", "z"), "judges the axes x, z"),
        (of("x", "X"), ("X", "y"), "judges the axes X, y"),
        (of("x", "y"), (), "judges one signal"),
        (of("x", "y"), ("z",), "judges z;"),
    ],
)
def test_missing_axes_are_an_error(recording, channels, reason):
    with pytest.raises(RecordingError, match=reason):
        in_order(recording, channels)
