import dataclasses
from pathlib import Path

import pytest

from dualres.audit import LeakError, Split, audit
from dualres.errors import ConfigError
from dualres.learn.holdout import plan_rounds, refuse_leaks
from dualres.recordings.recording import Origin, Recording, Segment
from tests.learn.test_estimate import recording


def test_components_are_held_out_whole():
    recordings = [recording(f"{c}{i}", "good" if c < "c" else "worn", c) for c in "abcd" for i in (1, 2)]
    rounds = plan_rounds(recordings)
    assert rounds.unit == "component"
    assert not rounds.remarks
    assert set(rounds.held_out) == {frozenset({"a1", "a2", "c1", "c2"}), frozenset({"b1", "b2", "d1", "d2"})}


def test_without_components_recordings_are_held_out_and_that_is_said():
    rounds = plan_rounds([recording(n, "good" if n < "d" else "worn") for n in "abcdef"])
    assert rounds.unit == "recording"
    assert "easier" in rounds.remarks[0]
    assert sorted(map(sorted, rounds.held_out)) == [["a", "d"], ["b", "e"], ["c", "f"]]


def test_a_class_with_one_component_is_held_out_by_recording_and_told_apart():
    recordings = [recording(f"{c}{i}", "good" if c < "c" else "worn", c) for c in "abcd" for i in (1, 2)]
    recordings += [dataclasses.replace(recording(f"x{i}", "good", "x"), label="bad") for i in range(9)]
    rounds = plan_rounds(recordings)
    assert rounds.remarks == ("bad: a single component, so its recordings are held out: an easier test",)
    assert (rounds.unit, rounds.notes, rounds.not_known) == ("component", (), {})
    assert rounds.easier == {f"x{i}" for i in range(9)}
    assert len(rounds.held_out) == 2, "as many as there are components; more would be fits for the easier test alone"
    assert rounds.units["a2"] == "a"
    assert {split.held_out for split in rounds.splits(recordings)} == {"recording"}
    refuse_leaks_by_name(recordings, rounds)


def test_no_component_is_called_unseen_where_fewer_than_two_classes_have_two():
    recordings = [recording(f"{c}{i}", "good", c) for c in "ab" for i in (1, 2)]
    recordings += [recording(f"w{i}", "worn", "w") for i in (1, 2)]
    rounds = plan_rounds(recordings)
    assert rounds.unit == "recording"
    assert rounds.not_known == {"component": "label recordings of a second one of worn"}
    (remark,) = rounds.remarks
    assert remark == "components cannot be held out (label recordings of a second one of worn): an easier test"
    with pytest.raises(ConfigError, match="fewer than two classes have recordings of two components, so no component"):
        plan_rounds(recordings, "component")


def test_a_class_with_one_recording_stays_in_training():
    recordings = [recording(n, "good" if n < "c" else "worn", n) for n in "abcd"]
    lone = Recording("x", recordings[0].load, 64_000, "broken", "x")
    rounds = plan_rounds([*recordings, lone])
    assert "broken: a single recording" in rounds.remarks[0]
    assert not any("x" in held for held in rounds.held_out)
    assert rounds.unit == "component"


def test_a_component_of_two_classes_is_held_out_with_both():
    """A bearing recorded before and after its damage: both recordings go together."""
    recordings = [recording(f"{c}{label[0]}", label, c) for c in "abc" for label in ("good", "worn")]
    for held in plan_rounds(recordings).held_out:
        assert {name[0] for name in held} == {next(iter(held))[0]}


def test_a_component_that_one_class_learns_from_is_not_claimed_to_be_new_for_another():
    recordings = [recording("a1", "good", "a"), recording("b1", "good", "b")]
    recordings += [recording(f"w{i}", "worn", "a") for i in (1, 2)]
    assert plan_rounds(recordings).unit == "recording"
    more = [dataclasses.replace(recording(f"{c}1", "good", c), label="bad") for c in "cd"]
    rounds = plan_rounds([*recordings, *more])
    assert rounds.unit == "component"
    assert rounds.easier == {"a1", "w1", "w2"}, "a is learned from in both rounds, b in one"
    assert rounds.notes == ("good: 1 held out at a component that was learned from, too; they do not count",)


def loaded(name, label, component=None, **condition):
    return dataclasses.replace(recording(name, label, component), condition=condition)


def test_a_condition_is_held_out_with_all_classes_at_once():
    known = [(label, load) for label in ("good", "worn") for load in "012"]
    recordings = [loaded(f"{label}{load}", label, label, load_hp=load, speed="1800") for label, load in known]
    rounds = plan_rounds(recordings, "load")
    assert rounds.unit == "load_hp"
    assert sorted(map(sorted, rounds.held_out)) == [[f"good{load}", f"worn{load}"] for load in "012"]
    assert rounds.units["worn1"] == "1"
    assert {split.held_out for split in rounds.splits(recordings)} == {"load_hp"}
    refuse_leaks_by_name(recordings, rounds)
    assert plan_rounds(recordings, "recording").unit == "recording"
    with pytest.raises(ConfigError, match="fewer than two classes have recordings of two speeds"):
        plan_rounds(recordings, "speed")
    with pytest.raises(ConfigError, match="--held-out torque: no recording has a torque; there is recording, compon"):
        plan_rounds(recordings, "torque")
    recordings[0] = loaded("good0", "good", "good", speed="1800")
    with pytest.raises(ConfigError, match="the load_hp of 1 recordings is not known, such as that of good0"):
        plan_rounds(recordings, "load")


def test_the_default_is_the_hardest_that_the_labels_allow():
    def at(**condition):
        return [
            loaded(f"{label}{i}", label, label + condition["component"][i], load=condition["load"][i],
                   speed=condition["speed"][i], repeat=condition["repeat"][i])
            for label in ("good", "worn") for i in (0, 1)
        ]  # fmt: skip

    same, two = "aa", "ab"
    everything = {"component": two, "load": two, "speed": two, "repeat": two}
    assert plan_rounds(at(**everything)).unit == "component"
    assert plan_rounds(at(**everything | {"component": same})).unit == "load"
    assert "component" in plan_rounds(at(**everything | {"component": same})).not_known
    assert plan_rounds(at(**everything | {"component": same, "load": same})).unit == "speed"
    # Of other columns nobody knows how hard they are.
    assert plan_rounds(at(**everything | {"component": same, "load": same, "speed": same})).unit == "recording"
    assert plan_rounds(at(**everything), "repeat").unit == "repeat"


def test_a_class_at_one_load_leaves_that_load_known():
    recordings = [loaded(f"{label}{load}", label, load=load) for label in ("good", "worn") for load in "012"]
    recordings += [dataclasses.replace(loaded(f"bad{i}", "good", load="0"), label="bad") for i in range(2)]
    rounds = plan_rounds(recordings, "load")
    assert rounds.easier == {"good0", "worn0", "bad0", "bad1"}


def test_at_most_five_rounds():
    recordings = [recording(f"{label}{i}", label, f"{label}{i}") for label in ("good", "worn") for i in range(9)]
    rounds = plan_rounds(recordings)
    assert len(rounds.held_out) == 5
    assert sorted(name for held in rounds.held_out for name in held) == sorted(r.id for r in recordings)


def test_nothing_to_hold_out_is_said():
    with pytest.raises(ConfigError, match=r"fewer than two classes .* --no-estimate"):
        plan_rounds([recording("a", "good"), recording("b", "good"), recording("w", "worn")])
    with pytest.raises(ConfigError, match="--no-estimate"):
        plan_rounds([recording(f"{label}1", label, "a") for label in ("good", "worn")])


def test_every_round_is_a_split_that_claims_what_holds_for_every_class():
    recordings = [recording(n, "good" if n < "c" else "worn", n) for n in "abcd"]
    splits = plan_rounds(recordings).splits(recordings)
    assert splits == [Split(("b", "d"), ("a", "c"), "component"), Split(("a", "c"), ("b", "d"), "component")]
    by_recording = [dataclasses.replace(r, component=None) for r in recordings]
    assert {split.held_out for split in plan_rounds(by_recording).splits(by_recording)} == {"recording"}


def test_a_copy_that_would_be_judged_is_refused_and_named():
    recordings = [recording(n, "good" if n < "c" else "worn", n) for n in ("a", "bb", "ccc", "dddd")]
    refuse_leaks(recordings, plan_rounds(recordings))
    recordings[1] = dataclasses.replace(recordings[0], id="bb", component="bb")
    told = []
    with pytest.raises(LeakError, match="1 leak found; fix the recordings") as caught:
        refuse_leaks(recordings, plan_rounds(recordings), lambda *x: told.append(x))
    assert "identical-content" in {leak.kind for leak in caught.value.findings}
    assert {name for leak in caught.value.findings for name in leak.recordings} == {"a", "bb"}
    assert {stage for stage, *_ in told} == {"Audit round 1 of 2", "Audit round 2 of 2"}


def part(file, number, label, component=None):
    origin = Origin(Path(file), file, "x", Segment(number, number + 1))
    one = recording(f"{file}{number}", "good", component)
    return dataclasses.replace(one, label=label, origin=origin)


def test_parts_of_a_file_are_held_out_together_whatever_their_labels():
    parts = [part(file, n, "good" if n < 2 else "worn") for file in "abc" for n in range(4)]
    rounds = plan_rounds(parts)
    assert sorted(map(sorted, rounds.held_out)) == [[f"{file}{n}" for n in range(4)] for file in "abc"]
    refuse_leaks_by_name(parts, rounds)


def test_parts_of_different_components_are_held_out_apart():
    parts = [part(file, n, label, f"{file}{n}") for file, label in (("a", "good"), ("b", "worn")) for n in (0, 1)]
    rounds = plan_rounds(parts)
    assert sorted(map(sorted, rounds.held_out)) == [["a0", "b0"], ["a1", "b1"]]
    refuse_leaks_by_name(parts, rounds)


def test_parts_of_a_component_s_file_stay_together_where_a_class_has_no_other_component():
    """The file f is of component A in both classes, but worn has A only: its recordings are held out."""
    parts = [part("f", 0, "good", "A"), part("f", 1, "worn", "A"), part("g", 0, "worn", "A")]
    parts += [recording("h", "good", "B")]
    rounds = plan_rounds(parts)
    assert all(("f0" in held) == ("f1" in held) for held in rounds.held_out)
    refuse_leaks_by_name(parts, rounds)


def test_a_part_is_not_judged_where_the_rest_of_its_file_is_learned():
    """Only one recording is broken, so it stays in training, and the worn part of its file cannot be judged."""
    parts = [part("f", 0, "broken"), part("f", 1, "worn")]
    others = [recording(n, "worn" if n < "c" else "good") for n in "abcd"]
    rounds = plan_rounds([*parts, *others])
    assert not any({"f0", "f1"} & held for held in rounds.held_out)
    assert "f1: not judged, as the file's other parts are learned" in rounds.remarks


def test_a_class_of_one_file_cannot_be_held_out():
    parts = [part("f", n, "broken") for n in (0, 1)]
    rounds = plan_rounds([*parts, *(recording(n, "worn" if n < "c" else "good") for n in "abcd")])
    assert "broken: parts of a single file, which cannot be held out" in rounds.remarks[1]
    assert not any({"f0", "f1"} & held for held in rounds.held_out)


def test_files_that_all_classes_share_leave_nothing_to_hold_out():
    parts = [part("f", n, "good" if n < 2 else "worn") for n in range(4)]
    with pytest.raises(ConfigError, match="nothing can be held out"):
        plan_rounds(parts)


def refuse_leaks_by_name(recordings, rounds):
    """As the audit sees it, by what is known of the recordings."""
    for split in rounds.splits(recordings):
        findings = audit(recordings, split, signals=False)
        assert not [f.message for f in findings if f.severity == "leak"]
