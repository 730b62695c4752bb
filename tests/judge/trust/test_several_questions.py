"""Components, loads and recordings held out, each for itself: which of these a promise is about."""

import pytest

from dualres.judge.trust.calibration import Calibration, held_out
from dualres.judge.trust.novelty import NoveltyFeatures

LOOK = NoveltyFeatures(0.0, 0.0, 0.0, 0.0, 0.0)
COMPONENTS, LOADS = ("a", "b"), ("0", "1")


def question(unit, **conditions):
    units = [*map(str, range(100, 140)), *(COMPONENTS + LOADS if unit != "recording" else ())]
    said = {"x": (0.9, 0.1), "y": (0.1, 0.9)}
    held = (
        held_out("xy", "xy"[i % 2], one, True, probabilities=said["xy"[i % 2]], look=LOOK)
        for i, one in enumerate(units)
    )
    return Calibration(("x", "y"), unit, tuple(held), conditions=conditions)


ASKED = question("component", load=LOADS).asking(
    [question("load", component=COMPONENTS), question("recording", component=COMPONENTS, load=LOADS)]
)


@pytest.mark.parametrize(
    ("condition", "promised"),
    [
        ({"component": "a", "load": "0"}, "recording"),
        ({"component": "new", "load": "0"}, "component"),
        ({"component": "a", "load": "7"}, "load"),
        ({"component": "new", "load": "7"}, None),
        ({"load": "7"}, None),
        ({}, "component"),
        ({"component": "a"}, "load"),  # which may be an unseen one
    ],
)
def test_what_is_new_decides_and_two_new_things_are_promised_nothing(condition, promised):
    assert ASKED.answer((0.9, 0.1), LOOK, condition).promise == promised


def test_what_a_promise_takes_for_granted_is_said():
    assert ASKED.answer((0.9, 0.1), LOOK, {}).assumed == ("load",)
    assert ASKED.answer((0.9, 0.1), LOOK, {"component": "a"}).assumed == (), "it holds at an unseen load"
    assert ASKED.answer((0.9, 0.1), LOOK, {"component": "new", "load": "0"}).assumed == ()
    nothing = ASKED.answer((0.9, 0.1), LOOK, {"load": "7"})
    assert (nothing.assumed, nothing.reason) == ((), "load 7 was not labelled; its component is not stated")
