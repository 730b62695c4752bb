"""Which questions labels allow, and what to label where they do not."""

from dataclasses import replace
from itertools import product

import pytest

from dualres.errors import ConfigError
from dualres.learn.holdout import missing
from dualres.learn.questions import questions_for
from dualres.learn.settings import FitSettings
from dualres.recordings.speed import Speed
from tests.learn.test_estimate import recording


def made(loads="01", speeds=("1000", "2000"), again=2, components=("a",), **more):
    """Two classes, each of these components at all of these conditions."""
    return tuple(
        replace(
            recording("/".join(map(str, (label, *where))), label, f"{label} {where[0]}"),
            condition={"load_hp": where[1], "rpm": where[2], **more},
        )
        for label in ("good", "worn")
        for where in product(components, loads, speeds, range(again))
    )


def asked(recordings, **how):
    return questions_for(FitSettings(recordings, **how))


def units(questions):
    return [plan.unit for plan in questions.plans]


def test_every_question_is_asked_and_the_others_say_what_to_label():
    questions = asked(made())
    assert units(questions) == ["load_hp", "rpm", "recording"]
    assert questions.promised == {"load_hp", "rpm", "recording"}
    assert not questions.wanted
    for plan in questions.plans:
        assert plan.not_known == {"component": "label recordings of a second one of good, worn"}
    both = asked(made(components="ab", loads="0", speeds=("1000",)))
    assert units(both) == ["component", "recording"]
    assert both.plans[0].not_known == {"load_hp": "label a second load", "rpm": "label a second speed, 5 % off or more"}


def test_what_no_list_tells_is_to_be_named():
    plain = tuple(replace(one, condition={}) for one in made(components="ab"))
    assert asked(plain).plans[0].not_known == {
        "load": "name the load of every recording in a column load",
        "speed": "name the speed of every recording in a column speed",
    }
    some = tuple(replace(one, condition={"load": "1"} if i else {}) for i, one in enumerate(plain))
    assert asked(some).plans[0].not_known["load"] == "1 recordings do not name theirs"


def test_another_recording_is_no_question_where_each_component_has_one():
    questions = asked(made(components="abc", loads="0", speeds=("1000",), again=1))
    assert units(questions) == ["component"]
    assert questions.plans[0].not_known["recording"] == "label a second recording of a component"


def test_a_class_with_one_recording_asks_for_a_second():
    good = made(loads="01", speeds=("1000",), again=1)
    few = tuple(one for one in good if one.label == "good" or one.condition["load_hp"] == "0")
    others = tuple(replace(one, id=f"b{one.id}", label="bad", component="bad") for one in few if one.label == "good")
    assert missing(few, "recording") == "label a second recording of worn"
    assert asked((*few, *others)).plans[0].unit == "load_hp"


def test_speeds_that_are_nearly_the_same_are_one():
    near = made(loads="0", speeds=("1790", "1797rpm"))
    (plan,) = asked(near).plans
    assert (plan.unit, plan.not_known["rpm"]) == ("recording", "label a second speed, 5 % off or more")
    apart = asked(made(loads="0", speeds=("1790", "1797", "2400")))
    assert set(apart.plans[0].units.values()) == {"1790 to 1797", "2400"}
    assert len(apart.plans[0].held_out) == 2


def test_a_speed_that_a_file_states_can_be_held_out_too():
    plain = (replace(one, condition={}, speed=Speed.of_rpm(float(one.condition["rpm"]))) for one in made())
    recordings = tuple(plain)
    assert units(asked(recordings)) == ["speed", "recording"]
    assert units(asked(recordings, held_out=("speed",)))[0] == "speed"
    heard = tuple(replace(one, speed=replace(one.speed, source="estimated")) for one in recordings)
    assert units(asked(heard)) == ["recording"]


def test_of_other_columns_two_are_held_out_and_the_rest_is_named():
    varied = tuple(
        replace(
            one, condition={name: str((i // step) % 2) for step, name in ((1, "a"), (2, "b"), (4, "c"))} | {"k": "1"}
        )
        for i, one in enumerate(made(components="ab"))
    )
    questions = asked(varied)
    assert units(questions) == ["component", "a", "b", "recording"]
    assert questions.plans[0].not_known["c"] == "--held-out c measures it"
    assert questions.promised == {"component", "recording"}
    assert not any("k" in plan.not_known for plan in questions.plans), "what is the same everywhere is warned of"
    named = tuple(replace(one, condition={"note": str(i)}) for i, one in enumerate(varied))
    assert "note" not in units(asked(named)), "it is a name of each"


def test_what_somebody_asks_for_is_held_out_and_known_ones_again():
    questions = asked(made(), held_out=("load",))
    assert units(questions) == ["load_hp", "recording"]
    assert questions.wanted == {"load_hp"}
    assert questions.plans[0].not_known["rpm"] == "--held-out rpm measures it"
    with pytest.raises(ConfigError, match="fewer than two classes have recordings of two components"):
        asked(made(), held_out=("component",))


def test_a_training_by_updates_holds_out_one_unit():
    questions = asked(made(), recipe="paper")
    assert units(questions) == ["load_hp"]
    assert questions.plans[0].not_known["recording"] == "--held-out recording measures it"


def test_where_nothing_can_be_held_out_the_error_says_so():
    with pytest.raises(ConfigError, match="--no-estimate"):
        asked(made(loads="0", speeds=("1000",), again=1))
