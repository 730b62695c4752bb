"""What an engineer reads; what could not be held out is never called unseen."""

import pytest

from dualres.learn.expectation import sentences

TOLD = {
    "unit": "component",
    "macro_f1": 0.551,
    "spread": 0.12,
    "low": 0.31,
    "high": 0.79,
    "level": 0.9,
    "units": 13.0,
    "rounds": 5.0,
    "classes": ["ball", "inner"],
    "classes_not_covered": [],
    "on_another_recording": {},
    "not_known": {},
    "same_components": False,
    "notes": [],
}


def test_what_was_held_out_comes_first():
    (said,) = sentences(TOLD)
    assert said == (
        "Expected on an unseen component: macro-F1 55.1 %, 90 % interval 31 to 79 (13 components held out in 5 rounds)"
    )


def test_a_recording_is_not_called_an_unseen_component():
    help_ = {"component": "label recordings of a second one of ball, inner"}
    first, second = sentences(TOLD | {"unit": "recording", "units": 28.0, "not_known": help_, "same_components": True})
    assert first.startswith("Expected on another recording of the same components: macro-F1 55.1 %")
    assert first.endswith("(28 recordings held out in 5 rounds)")
    assert second == "Expected on an unseen component: not known; label recordings of a second one of ball, inner"
    (unnamed,) = sentences(TOLD | {"unit": "recording"})
    assert unnamed.startswith("Expected on another recording: macro-F1")
    (at_load,) = sentences(TOLD | {"unit": "load", "same_components": True})
    assert at_load.startswith("Expected at an unseen load of the same components: macro-F1")


def test_classes_that_could_not_be_held_out_are_told_apart():
    few = {"classes_not_covered": ["good", "odd"], "on_another_recording": {"good": [2, 3]}}
    first, second, third = sentences(TOLD | few | {"notes": ["odd: a single recording, which cannot be held out"]})
    assert first.endswith("(ball, inner alone; 13 components held out in 5 rounds)")
    assert second == (
        "  good: not known on an unseen component, label recordings of another one; "
        "on another recording of the same one 2 of 3 right"
    )
    assert third == "  note: odd: a single recording, which cannot be held out"


@pytest.mark.parametrize(("unit", "where", "counted"), [("load", "load", "2 loads"), ("day", "day", "2 values of day")])
def test_a_condition_is_named_and_too_few_values_have_no_interval(unit, where, counted):
    few = {name: value for name, value in TOLD.items() if name not in ("low", "high", "level")}
    (said,) = sentences(few | {"unit": unit, "units": 2.0, "rounds": 2.0})
    assert said.startswith(f"Expected at an unseen {where}: macro-F1 55.1 %, too few ")
    assert said.endswith(f"for an interval ({counted} held out in 2 rounds)")
