"""What a card says to expect is read in one table."""

import pytest

from dualres.judge.questions import plural, questions_of, word_of

ENTRY = {"units": 12.0, "rounds": 5.0, "not_known": {}, "same_components": False}
ENDS = {"low": 0.2, "high": 0.61, "level": 0.9}


def entry(unit, score, **more):
    return {**ENTRY, "unit": unit, "macro_f1": score, **more}


def test_the_hardest_comes_first_and_what_is_not_known_last():
    hints = {"component": "label recordings of a second one of ball", "day": "--held-out day measures it"}
    known = [
        entry("recording", 0.935, same_components=True, **ENDS, not_known=hints),
        entry("speed_rpm", 0.851, rounds=2.0, units=2.0, not_known=hints),
        entry("load", 0.408, **ENDS, not_known=hints),
    ]
    assert [(one.unit, one.words, one.score, one.sure) for one in questions_of(known)] == [
        ("load", "an unseen load", "40.8 %", "90 % interval 20 to 61"),
        ("speed_rpm", "an unseen speed", "85.1 %", "two rounds, no interval"),
        ("recording", "another recording of the same components", "93.5 %", "90 % interval 20 to 61"),
        ("component", "an unseen component", "not known", hints["component"]),
        ("day", "an unseen day", "not known", hints["day"]),
    ]


def test_of_equal_scores_the_one_comes_first_that_is_harder_as_a_rule():
    known = [entry(unit, 1.0) for unit in ("recording", "day", "rpm", "load_hp", "component")]
    assert [one.unit for one in questions_of(known)] == ["component", "load_hp", "rpm", "day", "recording"]


def test_as_data_what_is_not_known_is_left_out():
    load, day = questions_of([entry("load", 0.4, not_known={"day": "name it"})])
    assert load.as_data() == {"unit": "load", "question": "an unseen load", "macro_f1": 0.4, "units": 12, "rounds": 5}
    assert day.as_data() == {"unit": "day", "question": "an unseen day", "not_known": "name it"}
    assert questions_of([]) == ()


@pytest.mark.parametrize(
    ("unit", "word", "several"),
    [("load_hp", "load", "loads"), ("rpm", "speed", "speeds"), ("day", "day", "values of day")],
)
def test_units_are_called_as_people_call_them(unit, word, several):
    assert (word_of(unit), plural(unit)) == (word, several)
