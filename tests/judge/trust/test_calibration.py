"""The four answers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import ModelFileError
from dualres.judge.trust.calibration import Calibration, held_out
from dualres.judge.trust.conditions import known_of
from dualres.judge.trust.novelty import NoveltyFeatures
from dualres.recordings.recording import Recording

CLASSES = ("ball", "inner", "outer")
LOOK = NoveltyFeatures(distance=-2.0, spectrum=5.0, level=0.0, bandwidth=12.0, rate=14.0)


def calibration(count=19, unit="recording", new=True, units=None, labels=CLASSES):
    """Held-out recordings, one in ten of which surprised; the doubt and the looks of each differ a little."""
    held = []
    for i in range(count):
        label = labels[i % len(labels)]
        sure = 0.9 - 0.01 * (i % 10)
        shares = np.full(3, (1 - sure) / 2)
        shares[CLASSES.index(label)] = sure
        if i % 10 == 9:
            shares = np.roll(shares, 1)
        look = replace(LOOK, spectrum=5 + 0.01 * i, level=0.1 * (i % 3))
        of = units[i] if units else str(i)
        held.append(held_out(CLASSES, label, of, new, probabilities=shares.tolist(), look=look))
    return Calibration(CLASSES, unit, tuple(held), 2.0, {"load": ("high",)})


def test_one_class_or_several_are_named_at_the_promised_rate():
    answer = calibration().answer([0.96, 0.03, 0.01], LOOK)
    assert (answer.kind, answer.classes, answer.promise, answer.error) == ("named", ("ball",), "recording", 0.1)
    assert answer.probability == pytest.approx(0.78, abs=0.01), "at temperature 2"
    assert str(answer) == "named: ball, at most 10 % of names are wrong"
    strict = calibration().answer([0.3, 0.4, 0.3], replace(LOOK, distance=-3.0), error=0.05)
    assert (strict.kind, strict.classes[0], len(strict.classes)) == ("one_of", "inner", 3)
    assert str(strict).startswith("one of inner, ")


def shares(first, second, margin):
    """Probabilities in which `first` is so many nats ahead of `second`, and the third class behind."""
    ratios = np.full(3, 0.5 * np.exp(-margin))
    ratios[[CLASSES.index(first), CLASSES.index(second)]] = 1, np.exp(-margin)
    return (ratios / ratios.sum()).tolist()


def by_margins(*told):
    """Held out: labels, what came first and by how much, each so many times for every class that follows."""
    held = []
    for right, margin, count in told:
        for turn, label in enumerate(CLASSES * count):
            other = CLASSES[(turn + 1) % 3]
            said = shares(label, other, margin) if right else shares(other, label, margin)
            held.append(held_out(CLASSES, label, f"{len(held)}", True, probabilities=said, look=LOOK))
    return Calibration(CLASSES, "recording", tuple(held))


def test_a_set_of_one_that_is_not_far_enough_ahead_is_one_of_two():
    """Of 39 the 36th is hardly surprising, but three names with a nat's lead are wrong."""
    known = by_margins((True, 3.0, 10), (False, 1.0, 1), (True, 0.5, 1), (False, 0.2, 1))
    assert known.name_limits("recording", 0.1) == pytest.approx([1.0] * 3)
    assert known.sets(np.array([-0.7, 0.7, 0.9]), "recording", 0.1) == {"ball"}
    near = known.answer(shares("inner", "outer", 0.7), LOOK)
    assert (near.kind, near.classes, near.promise, near.names) == ("one_of", ("inner", "outer"), "recording", True)
    assert near.reason == "inner is 0.70 nats ahead, and at most 10 % of names are wrong beyond 1.00"
    assert str(near) == "one of inner, outer"
    assert known.answer(shares("inner", "outer", 1.1), LOOK).kind == "named"
    assert known.answer(shares("inner", "outer", 0.7), LOOK, error=0.2).kind == "named"


def test_where_the_units_are_too_few_for_names_nothing_is_named():
    known = by_margins((False, 3.0, 1), (True, 2.0, 10), (True, 0.5, 1))
    answer = known.answer(shares("ball", "inner", 3.5), LOOK)
    assert (answer.kind, answer.classes, answer.promise, answer.names) == (
        "one_of",
        ("ball", "inner"),
        "recording",
        False,
    )
    assert answer.reason == "36 held-out recordings do not show that at most 10 % of names are wrong"
    assert answer.as_data()["names_error"] is None
    assert answer.as_data()["promise"] == {"unit": "recording", "error": 0.1, "sure": None}


def test_a_class_that_others_were_taken_for_is_not_named():
    known = by_margins((True, 3.0, 13))
    taken = [
        held_out(CLASSES, label, label, True, probabilities=shares("ball", label, 4.0), look=LOOK)
        for label in ("inner", "outer")
    ]
    known = replace(known, held=(*known.held, *taken))
    answer = known.answer(shares("ball", "outer", 5.0), LOOK)
    assert (answer.kind, answer.classes) == ("one_of", ("ball", "outer"))
    assert answer.reason == "held-out names of ball do not show that at most 10 % of names are wrong"
    assert known.answer(shares("inner", "ball", 0.1), LOOK).kind == "named"


@pytest.mark.parametrize(("count", "error", "sure"), [(8, 0.1, None), (19, 0.04, None), (21, 0.1, 0.9)])
def test_too_few_units_promise_nothing(count, error, sure):
    answer = calibration(count).answer([0.96, 0.03, 0.01], LOOK, error=error, sure=sure)
    assert (answer.kind, answer.promise) == ("no_promise", None)
    assert f"{count} held-out recordings state no error rate below" in answer.reason


def test_a_condition_that_was_not_labelled_has_no_promise():
    known = calibration()
    assert known.answer([0.96, 0.03, 0.01], LOOK, {"load": "high", "day": "Monday"}).kind == "named"
    answer = known.answer([0.96, 0.03, 0.01], LOOK, {"load": "low"})
    assert (answer.kind, answer.reason) == ("no_promise", "load low was not labelled")
    assert answer.classes == ("ball",), "what would have been said"


def test_a_unit_that_was_held_out_may_be_new():
    known = calibration(unit="load", units=[f"load {i}" for i in range(19)])
    answer = known.answer([0.96, 0.03, 0.01], LOOK, {"load": "low"})
    assert (answer.kind, answer.promise) == ("named", "load")


def components(count=19, few=4):
    """Held-out recordings of a few components, and the same number held out one by one."""
    narrow = replace(calibration(count), conditions={"load": ("high",), "component": tuple(map(str, range(few)))})
    return calibration(count, unit="component", units=[str(i % few) for i in range(count)]).asking([narrow])


def test_too_few_components_promise_recordings_of_the_labelled_ones():
    """Nineteen recordings of four components say nothing of a fifth at 10 %."""
    known, few = components(), "4 held-out components state no error rate below 20 %"
    assert (known.units_of("component"), known.units_of("recording")) == (4, 19)
    assert known.answer([0.96, 0.03, 0.01], LOOK, {"component": "0"}).promise == "recording"
    for condition, why in (
        ({}, "its component is not stated"),
        ({"component": "new"}, "component new was not labelled"),
    ):
        other = known.answer([0.96, 0.03, 0.01], LOOK, condition)
        assert (other.kind, other.reason, other.classes) == ("no_promise", f"{few}; {why}", ("ball",))
        assert known.answer([0.96, 0.03, 0.01], LOOK, condition, error=0.2).promise == "component"


def test_recordings_of_held_out_components_say_nothing_of_known_ones():
    """They are as many, and none was judged by a model that knew its component."""
    alone = components().asking([])
    answer = alone.answer([0.96, 0.03, 0.01], LOOK)
    assert (answer.kind, answer.promise) == ("no_promise", None)
    assert answer.reason == "4 held-out components state no error rate below 20 %"


def test_what_is_of_a_labelled_component_is_promised_as_a_recording():
    known = components(20, few=20)
    assert known.answer([0.96, 0.03, 0.01], LOOK).promise == "component", "it may be a new one"
    assert known.answer([0.96, 0.03, 0.01], LOOK, {"component": "new"}).promise == "component"
    assert known.answer([0.96, 0.03, 0.01], LOOK, {"component": "1"}).promise == "recording"
    assert known.asking([]).answer([0.96, 0.03, 0.01], LOOK, {"component": "1"}).promise == "component"


def test_the_unit_does_not_depend_on_the_set():
    """Of balls there is a single component, so that an unseen one may always be a ball."""
    single = calibration(12, unit="component", new=False, labels=("ball",))
    wide = calibration(40, unit="component", labels=("inner", "outer"))
    known = replace(wide, held=wide.held + single.held).asking(
        [replace(calibration(40), conditions={"component": ("0",)})]
    )
    scores = ([0.03, 0.96, 0.01], [0.96, 0.03, 0.01], [0.3, 0.4, 0.3])
    for condition, promised in (({"component": "0"}, "recording"), ({}, None), ({"component": "new"}, None)):
        found = [known.answer(shares, LOOK, condition) for shares in scores]
        assert {answer.promise for answer in found} == {promised}
        assert len({answer.classes for answer in found}) > 1


def test_a_class_that_was_never_held_out_leaves_no_promise_to_any():
    known = calibration(60, labels=("inner", "outer"))
    for shares in ([0.03, 0.96, 0.01], [0.96, 0.03, 0.01], [0.3, 0.4, 0.3]):
        answer = known.answer(shares, LOOK)
        assert (answer.kind, answer.promise) == ("no_promise", None)
        assert answer.reason == "no recording of ball was held out, so nothing rules that out"
    assert known.promises() == [
        "about an unseen recording no error rate: no recording of ball was held out, so nothing rules that out"
    ]


def test_classes_with_units_enough_have_limits_of_their_own():
    rng = np.random.default_rng(0)
    held = []
    for label, wide in zip(CLASSES, (0.5, 1.0, 2.0), strict=True):
        for i in range(40):
            logits = wide * rng.normal(size=3) + 2 * (np.array(CLASSES) == label)
            shares = (np.exp(logits) / np.exp(logits).sum()).tolist()
            held.append(held_out(CLASSES, label, f"{label}{i}", True, probabilities=shares, look=LOOK))
    own = Calibration(CLASSES, "recording", tuple(held)).limits("recording", 0.1, None)
    few = Calibration(CLASSES, "recording", tuple(held[::4])).limits("recording", 0.1, None)
    assert len(set(own)) == 3
    assert own[0] < own[2]
    assert len(set(few)) == 1, "ten of a class are too few: they share a limit"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"spectrum": 7.0}, "spectrum"),
        ({"level": -9.0}, "level"),
        ({"level": 5.0}, "level"),
        ({"bandwidth": 10.0}, "bandwidth"),
        ({"rate": 15.0}, "rate"),
    ],
)
def test_what_lies_beyond_all_that_was_labelled_is_none_of_these(change, word):
    known = calibration()
    answer = known.answer([0.96, 0.03, 0.01], replace(LOOK, **change), {"load": "low"})
    assert answer.kind == "none_of_these"
    assert word in answer.reason
    assert known.answer([0.96, 0.03, 0.01], replace(LOOK, spectrum=0.0)).kind == "named", "nothing is too near"


def test_a_recording_of_which_no_class_stands_out_is_none_of_these():
    known = calibration()
    far = known.answer([0.96, 0.03, 0.01], replace(LOOK, distance=-0.5))
    assert (far.kind, far.promise) == ("none_of_these", "recording")
    assert "no class stands out: the nearest by 0.50 nats, with 2.00 as the limit" in far.reason
    assert known.answer([0.96, 0.03, 0.01], replace(LOOK, distance=-2.5)).kind == "named"


def test_of_familiar_recordings_as_many_are_in_doubt_as_was_stated():
    rng = np.random.default_rng(7)
    held = [
        held_out(CLASSES, "ball", str(i), True, probabilities=[0.9, 0.05, 0.05], look=replace(LOOK, distance=float(d)))
        for i, d in enumerate(rng.normal(size=800))
    ]
    flagged = []
    for _ in range(40):
        order = rng.permutation(800)
        most = Calibration(CLASSES, "recording", tuple(held[i] for i in order[:39])).doubt_limit("recording", 0.1)
        flagged.append(np.mean([held[i].look.distance > most for i in order[39:]]))
    assert 0.08 < np.mean(flagged) < 0.12


def test_a_part_of_a_recording_has_a_promise_where_it_is_as_long():
    known = replace(calibration(), windows=30)
    assert known.answer([0.96, 0.03, 0.01], LOOK, part=30).kind == "named"
    short = known.answer([0.96, 0.03, 0.01], LOOK, part=29)
    assert (short.kind, short.classes, short.promise) == ("no_promise", ("ball",), None)
    assert short.reason == "a stretch of 29 windows is shorter than held-out recordings, of up to 30"
    assert known.answer([0.96, 0.03, 0.01], replace(LOOK, level=9.0), part=29).kind == "none_of_these"
    elsewhere = known.answer([0.96, 0.03, 0.01], LOOK, {"load": "low"}, part=29)
    assert elsewhere.reason == "load low was not labelled", "which no longer stretch mends"


def test_all_questions_come_back_from_a_card():
    known = replace(components(), without_speed=calibration(unit="component"))
    known = known.asking([replace(one, without_speed=calibration()) for one in known.others])
    again = Calibration.parsed(known.as_data(), CLASSES)
    assert [one.unit for one in again.questions] == ["component", "recording"]
    assert [one.unit for one in again.without_speed.questions] == ["component", "recording"]
    assert again.as_data() == known.as_data()


@pytest.mark.parametrize("windows", [0, 30])
def test_a_calibration_comes_back_from_a_card(windows):
    known = replace(calibration(), windows=windows)
    assert ("windows" in known.as_data()) == bool(windows)
    again = Calibration.parsed(known.as_data(), CLASSES)
    assert again == replace(known, held=again.held)
    assert again.answer([0.5, 0.4, 0.1], LOOK) == known.answer([0.5, 0.4, 0.1], LOOK)


def test_a_card_from_before_names_had_a_rate_names_what_it_can():
    """Of wrong names it has neither the class nor the margin, which was the surprise at most."""
    data = calibration(19).as_data()
    before = {name: value for name, value in data.items() if name not in ("verdict", "margin")}
    older = Calibration.parsed(before, CLASSES)
    assert older.as_data() == before
    assert older.answer([0.96, 0.03, 0.01], LOOK).kind == "named"
    assert Calibration.parsed({**before, "without_speed": data}, CLASSES).without_speed.held[0].margin is not None
    assert Calibration.parsed({**data, "without_speed": before}, CLASSES).without_speed.held[0].margin is None
    sure = [held_out(CLASSES, "ball", f"x{i}", True, probabilities=[1e-6, 1.0, 0.1], look=LOOK) for i in range(3)]
    for held, named in (
        (older.held, True),
        ((*older.held, *(replace(o, verdict=None, margin=None) for o in sure)), False),
    ):
        assert (replace(older, held=held).name_limits("recording", 0.1) is not None) == named


@pytest.mark.parametrize(
    "broken", [{"verdict": [3] * 19}, {"margin": [-1.0] * 19}, {"verdict": None}, {"margin": [1.0]}]
)
def test_broken_names_are_told(broken):
    with pytest.raises(ModelFileError, match="calibration in the model's card"):
        Calibration.parsed({**calibration().as_data(), **broken}, CLASSES)


def test_a_card_from_before_classes_stood_out_keeps_its_sets():
    """Its distances were positive, and its doubt stood beside them: nothing is above their limit now."""
    data = calibration().as_data()
    before = {**data, "doubt": [6.5] * 19, "look": [[6.0, *look[1:]] for look in data["look"]]}
    assert Calibration.parsed(before, CLASSES).answer([0.96, 0.03, 0.01], replace(LOOK, distance=-0.1)).kind == "named"


@pytest.mark.parametrize("broken", [{}, {"label": [7]}, {"held": []}, {"look": [[1.0]] * 19}, {"label": [], "of": []}])
def test_a_broken_calibration_is_told(broken):
    data = {**calibration().as_data(), **broken} if broken else {}
    if broken == {"held": []}:
        data |= {name: [] for name in ("label", "of", "new", "surprise", "look")}
    with pytest.raises(ModelFileError, match="calibration in the model's card"):
        Calibration.parsed(data, CLASSES)


def test_a_component_is_known_where_it_is_named():
    one = Recording("a", lambda: np.zeros(4, np.float32), Fraction(8000), condition={"load": "low"})
    assert known_of(one) == {"load": "low"}
    assert known_of(replace(one, component="pump 7")) == {"load": "low", "component": "pump 7"}


def test_json_has_the_rate_within_the_promise():
    data = calibration().answer([0.96, 0.03, 0.01], LOOK).as_data()
    assert data["answer"] == "named"
    assert data["set"] == ["ball"]
    assert data["promise"] == {"unit": "recording", "error": 0.1, "sure": None}
    assert data["names_error"] == 0.1
    assert calibration(3).answer([0.96, 0.03, 0.01], LOOK).as_data()["promise"] is None


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e308])
@pytest.mark.parametrize("where", ["surprise", "look", "temperature"])
def test_numbers_that_no_recording_has_are_refused(where, number):
    """A limit that is not a number would name everything."""
    data = calibration().as_data()
    if where == "look":
        data["look"][3][1] = number
    elif where == "surprise":
        data["surprise"][3] = number
    else:
        data["temperature"] = number
    with pytest.raises(ModelFileError, match="cannot be understood"):
        Calibration.parsed(data, CLASSES)


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_a_temperature_is_positive(temperature):
    with pytest.raises(ModelFileError, match="cannot be understood"):
        Calibration.parsed(calibration().as_data() | {"temperature": temperature}, CLASSES)
