"""What can be told from the labels, components, conditions and windows of a split alone."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.audit import Split, audit
from dualres.recordings.recording import Recording

NOISE = np.random.default_rng(0).standard_normal((4, 64_000)).astype(np.float32)

SPLIT = Split(support=("a", "b"), evaluation=("e", "f"))


def bench(components="1234", **conditions):
    """Two learned recordings, a and b, and two judged, e and f; one value of each condition per recording."""
    made = []
    for i, (id, label) in enumerate(zip("abef", ("good", "bad") * 2, strict=True)):
        condition = {key: values[i] for key, values in conditions.items() if values[i]}
        plain = Recording.from_array(NOISE[i], 64_000, id, label)
        made.append(replace(plain, component=components[i].strip() or None, condition=condition))
    return made


def found(recordings, signals=False, **changes):
    findings = audit(recordings, replace(SPLIT, **changes), signals=signals)
    return [(f.kind, f.severity, f.recordings) for f in findings]


@pytest.mark.parametrize("claim", ["component", "bearing", "Unit"])
def test_a_component_on_both_sides_under_the_claim_of_a_new_one(claim):
    assert found(bench("1214"), held_out=claim) == [("shared-component", "leak", ("a", "e"))]
    assert found(bench("1234"), held_out=claim) == []


@pytest.mark.parametrize("claim", [None, "recording", "load"])
def test_a_shared_component_limits_any_other_claim(claim):
    recordings = bench("1212", load=("low", "low", "high", "high"))
    assert found(recordings, held_out=claim) == [("shared-component", "limitation", ("a", "e", "b", "f"))]


@pytest.mark.parametrize("claim", ["component", None])
def test_a_component_that_may_go_by_two_spellings_is_pointed_out(claim):
    assert found(bench(("B007", "b2", "b007", "B9")), held_out=claim) == [("component-spelling", "warning", ("a", "e"))]
    assert found(bench(("B-7", "b2", "b 7", "B9")), held_out=claim) == [("component-spelling", "warning", ("a", "e"))]
    assert found(bench(("1-2", "B12", "12", "B1-2")), held_out=claim) == []


def test_a_unit_that_is_not_known():
    assert found(bench("12 4"), held_out="bearing") == [("unknown-unit", "warning", ("e",))]
    assert found(bench(speed="xxyy"), held_out="load") == [("unknown-unit", "warning", ("a", "b", "e", "f"))]
    assert found(bench(load=("low", "low", "high", None)), held_out="load") == [("unknown-unit", "warning", ("f",))]


def test_a_shared_condition_and_a_window_of_a_judged_recording():
    recordings = bench(load=("low", "low", "low", "high"))
    assert found(recordings, held_out="load") == [("shared-condition", "leak", ("a", "b", "e"))]
    assert found(bench(), windows={"e": (0,)}) == [("windows-outside-exposure", "leak", ("e",))]


def test_a_claim_may_be_worded_more_fully_than_its_condition_which_may_carry_a_unit():
    assert found(bench(mode="xxyy"), held_out="motion mode") == []
    assert found(bench(mode="xxyx"), held_out="motion mode") == [("shared-condition", "leak", ("a", "b", "f"))]
    assert found(bench(load_hp="0022"), held_out="load") == []
    assert found(bench(load_hp="0020"), held_out="load") == [("shared-condition", "leak", ("a", "b", "f"))]
    assert found(bench(load="0022", load_hp="0000"), held_out="load") == []


def test_a_condition_that_coincides_with_the_classes_but_does_not_number_recordings():
    assert found(bench(speed=("1000", "2000", "3000", "3000"))) == [("condition-is-class", "warning", ("a", "b"))]
    assert found(bench(speed=("1000", "1000", "2000", "3000"))) == []
    recordings = [*bench(serial="1234"), *(replace(r, id=r.id.upper()) for r in bench(serial="5678"))]
    assert found(recordings, support=("a", "b", "A", "B"), evaluation=("e", "f"), held_out="component") == []


def test_a_condition_that_only_one_class_has():
    recordings = [replace(r, label=label) for r, label in zip(bench(speed="xyxy"), "pqpq", strict=True)]
    third = [replace(recordings[1], id=id, label="r") for id in "cg"]
    recordings += third
    split = {"support": ("a", "b", "c"), "evaluation": ("e", "f", "g"), "held_out": "recording"}
    kinds = [f for f in found(recordings, **split) if f[1] == "warning"]
    assert kinds == [("condition-is-class", "warning", ("a",))]


def test_classes_and_labels_that_are_missing():
    recordings = bench()
    assert found(recordings, support=("a",)) == [("missing-class", "leak", ("f",))]
    assert found(recordings, evaluation=("e",)) == [("missing-class", "warning", ("b",))]
    recordings = bench()
    recordings[2] = replace(recordings[2], label=None)
    assert ("missing-label", "warning", ("e",)) in found(recordings)


def test_windows_beyond_the_declared_exposure():
    windows = {"a": (0, 8_000, 16_000), "b": (0,)}
    sizes = {"rate": 64_000, "window": 16_000}
    assert found(bench(), windows=windows, exposure_s={"good": 0.5, "bad": 0.25}, **sizes) == []
    assert found(bench(), windows=windows, exposure_s={"good": 0.49, "bad": 0.25}, **sizes) == [
        ("windows-outside-exposure", "leak", ("a",))
    ]
    assert found(bench(), windows=windows, exposure_s={"good": 0.5}, **sizes) == [
        ("windows-outside-exposure", "leak", ("b",))
    ]
    assert found(bench(), windows=windows, **sizes) == []


@pytest.mark.parametrize("start", [-1, 64_000 - 16_000 + 1])
def test_a_window_outside_its_recording(start):
    sizes = {"rate": 64_000, "window": 16_000, "signals": True}
    assert found(bench(), windows={"a": (start,)}, **sizes) == [("windows-outside-exposure", "leak", ("a",))]
    assert found(bench(), windows={"a": (0, 48_000)}, **sizes) == []


def test_leaks_come_first_and_limitations_are_passed_on():
    findings = audit(bench("1212"), replace(SPLIT, support=("a",)), limitations=["old"], signals=False)
    assert [f.severity for f in findings] == ["leak", "limitation", "limitation"]
    assert findings[2].message == "old"
