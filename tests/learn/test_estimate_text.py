"""What an engineer reads; what could not be held out is never called unseen."""

import pytest

from dualres.learn.estimate_text import expected, sentences

TOLD = {"unit": "component", "macro_f1": 0.551, "spread": 0.12, "low": 0.31, "high": 0.79, "level": 0.9}
TOLD |= {"units": 13.0, "rounds": 5.0, "classes": ["ball", "inner"], "classes_not_covered": []}
TOLD |= {"on_another_recording": {}, "not_known": {}, "same_components": False, "notes": []}


def test_what_was_held_out_is_named_with_the_score():
    assert sentences(TOLD) == [
        "Expected on an unseen component: macro-F1 55.1 % (90 % interval 31 to 79)",
        "  held out: 13 components in 5 rounds",
    ]


def test_a_recording_is_not_called_an_unseen_component():
    advice = {"component": "label recordings of a second one of ball, inner"}
    told = TOLD | {"unit": "recording", "units": 28.0, "not_known": advice, "same_components": True}
    assert sentences(told) == [
        "Expected on another recording of the same components: macro-F1 55.1 % (90 % interval 31 to 79)",
        "  held out: 28 recordings in 5 rounds",
    ]
    assert expected([told, told]) == [
        *(2 * sentences(told)),
        "Expected on an unseen component: not known; label recordings of a second one of ball, inner",
    ]
    assert sentences(TOLD | {"unit": "recording"})[0].startswith("Expected on another recording: macro-F1")
    assert sentences(TOLD | {"unit": "rpm"})[0].startswith("Expected at an unseen speed: macro-F1")
    at_load = sentences(TOLD | {"unit": "load", "same_components": True})[0]
    assert at_load.startswith("Expected at an unseen load of the same components: macro-F1")


def test_classes_that_could_not_be_held_out_are_told_apart():
    few = {"classes_not_covered": ["good", "odd"], "on_another_recording": {"good": [2, 3]}}
    assert sentences(TOLD | few | {"notes": ["odd: a single recording, which cannot be held out"]})[1:] == [
        "  held out: 13 components of ball, inner, in 5 rounds",
        "  good: not known on an unseen component, label another one; on another recording 2 of 3 right",
        "  note: odd: a single recording, which cannot be held out",
    ]


@pytest.mark.parametrize(("unit", "several"), [("load", "loads"), ("day", "values of day")])
def test_a_condition_is_named_and_two_rounds_have_no_interval(unit, several):
    few = {name: value for name, value in TOLD.items() if name not in ("low", "high", "level")}
    assert sentences(few | {"unit": unit, "units": 2.0, "rounds": 2.0}) == [
        f"Expected at an unseen {unit}: macro-F1 55.1 % (two rounds, no interval)",
        f"  held out: 2 {several} in 2 rounds",
    ]


@pytest.mark.parametrize(
    ("without", "said"),
    [
        (0.4282, "was worth 12.3 points: 55.1 with it, 42.8 where"),
        (0.5531, "cost 0.2 points: 55.1 with it, 55.3 where"),
    ],
)
def test_what_knowing_the_speed_is_worth_is_told(without, said):
    told = sentences(TOLD | {"without_speed": {"macro_f1": without}})
    assert told[2] == f"  Knowing the speed {said} it has to be found"


def test_what_geometry_was_worth_is_told():
    assert "  Knowing the geometry was worth 5.1 points: 55.1 with it, 50.0 by labels alone" in sentences(
        TOLD | {"by_labels": {"macro_f1": 0.5}}
    )
    assert "  Knowing the geometry cost 0.9 points: 55.1 with it, 56.0 by labels alone" in sentences(
        TOLD | {"by_labels": {"macro_f1": 0.56}}
    )
